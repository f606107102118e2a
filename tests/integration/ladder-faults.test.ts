import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { runCli, smokeProject, startCli } from '../helpers/cli.ts'
import { CELLS, MODELS, ladderArgs, planOf, rowsOf, smokeRun } from '../helpers/ladder-run.ts'
import { completionOf } from '../helpers/capable-model.ts'
import { startModelService } from '../helpers/model-service.ts'
import { writeModelSet } from '../helpers/model-set.ts'
import { json, startFaultServer } from '../helpers/fault-server.ts'
import { startPlatformProcess } from '../helpers/platform-process.ts'
import { childrenOf } from '../helpers/processes.ts'
import { programFile } from '../helpers/program.ts'

let root: string
const ladder = (...more: string[]): string[] => ladderArgs(root, ...more)

beforeAll(async () => {
  root = await smokeProject('mixed_formats')
})
afterAll(() => rm(root, { recursive: true, force: true }))

/** Adds a model set `slow`, whose answers come from a service, until the end of the test. */
async function answerBy(url: string): Promise<void> {
  await writeModelSet(root, 'slow', { url: `${url}/v1` }, (roles) =>
    roles.replace(/light_gen: .*/, 'light_gen: { connection: slow, model: m }'),
  )
  onTestFinished(() => rm(join(root, '.rag-ladder/models.yaml')))
}

it('a run with failed answers ends with the command that makes them again and keeps the others', async () => {
  const service = await startModelService(({ path }) =>
    path === '/v1/models'
      ? { json: { data: [{ id: 'm' }] } }
      : { status: 400, json: { error: { message: 'The prompt is not allowed' } } },
  )
  onTestFinished(() => service.close())
  await answerBy(service.url)
  const args = ['ladder', ...smokeRun(root, 'refused'), '--no-publish', '--no-evaluate', '--models', 'bm25,vanilla-rag']
  const run = await runCli([...args, '--model-set', 'slow'])
  expect(run.code).toBe(3)
  expect(run.stdout).toMatch(/to make the failed answers again and keep the others: .*--no-cold-reset --retry-failed\n/)
})

describe('interruption', () => {
  it('Ctrl-C finishes the cells in flight, keeps them, and the next run makes the rest', async () => {
    const args = ['ladder', ...smokeRun(root, 'stopped'), '--json', '--no-publish', '--models', MODELS]
    const run = startCli(args)
    await run.event('cell.started')
    run.child.kill('SIGINT')
    const stopped = await run.done
    expect(stopped.code).toBe(130)
    const kept = stopped.events.filter(({ type }) => type === 'cell.finished').length
    expect(kept).toBeGreaterThan(0)
    expect(kept).toBeLessThan(CELLS)
    const rest = await runCli([...args, '--no-cold-reset'])
    expect(rest.code).toBe(0)
    expect(planOf(rest)).toMatchObject({ reuse: kept, run: CELLS - kept })
  })

  it('Ctrl-C does not wait for the pause that a service asks for: the answer is made when the run is resumed', async () => {
    let isLimited = true
    const service = await startModelService(({ path }) =>
      path === '/v1/models'
        ? { json: { data: [{ id: 'm' }] } }
        : isLimited
          ? { status: 429, headers: { 'retry-after': '30' }, json: { error: { message: 'Rate limit reached' } } }
          : { json: completionOf({ content: 'In 1904 [1].' }) },
    )
    onTestFinished(() => service.close())
    await answerBy(service.url)
    const args = ['ladder', ...smokeRun(root, 'paused'), '--json', '--no-publish', '--no-evaluate', '--no-cold-reset']
    const run = startCli([...args, '--models', 'vanilla-rag', '--model-set', 'slow'])
    await run.event('cell.started')
    await expect.poll(() => service.calls.length, { timeout: 20_000 }).toBeGreaterThan(1)
    const stoppedAt = performance.now()
    run.child.kill('SIGINT')
    const stopped = await run.done
    expect(performance.now() - stoppedAt).toBeLessThan(15_000)
    expect(stopped.code).toBe(130)
    expect(stopped.stdout).toContain('a service limits its calls and is to be called again in')
    isLimited = false
    // The pause that was asked for holds for the next run too.
    await rm(join(root, '.rag-ladder/model-records/paces'), { recursive: true })
    const resumed = await runCli([...args, '--models', 'vanilla-rag', '--model-set', 'slow'])
    expect([resumed.code, planOf(resumed)]).toMatchObject([0, { reuse: 0, run: 4 }])
  })
})

describe('a platform that cannot start as it is set up', () => {
  it('ends the run at once and once, whatever the number of datasets, and names the variable', async () => {
    const args = ['ladder', '--project', root, '--dataset', 'smoke,mixed_formats', '--model-set', 'openai']
    const run = await runCli([...args, '--no-publish', '--no-cold-reset'], { OPENAI_API_KEY: '' })
    expect(run.code).toBe(2)
    expect(run.stdout.match(/OPENAI_API_KEY is not set/g)).toHaveLength(1)
    expect(run.stdout).not.toContain('started again')
  })

  it('deletes nothing for a cold reset when a variable or a service of its models is missing', async () => {
    const args = ['ladder', '--project', root, '--dataset', 'smoke', '--no-publish', '--run-id', 'stopped']
    const evidence = join(root, 'results/stopped-smoke-evidence.jsonl')
    const before = await readFile(evidence, 'utf8')
    expect(before.trim().split('\n')).toHaveLength(CELLS)
    const keyless = await runCli([...args, '--cold-reset', '--model-set', 'openai'], { OPENAI_API_KEY: '' })
    expect(keyless).toMatchObject({ code: 2, stdout: expect.stringContaining('OPENAI_API_KEY is not set') })
    const serverless = await runCli([...args, '--cold-reset', '--model-set', 'ollama'], {
      OLLAMA_URL: 'http://127.0.0.1:1',
    })
    expect(serverless).toMatchObject({ code: 5, stdout: expect.stringContaining('cannot be reached') })
    expect(await readFile(evidence, 'utf8')).toBe(before)
  })
})

describe('gold facts', () => {
  it('that their document does not hold end a run before its platform starts, named by question', async () => {
    const file = join(root, 'manifests/datasets/smoke.yaml')
    const before = await readFile(file, 'utf8')
    await writeFile(file, before.replace('was opened in May 1904"', 'was opened in May 1905"'))
    try {
      const run = await runCli(ladder())
      expect(run.code).toBe(2)
      expect(run.stdout + run.stderr).toMatch(/question \S+: tidewater-lock\.md does not hold the fact/)
      expect(run.events.some(({ type }) => type === 'service.changed')).toBe(false)
    } finally {
      await writeFile(file, before)
    }
  })
})

describe('credentials', () => {
  const secretsFile = (): string => join(root, '.rag-ladder/secrets.json')

  it('that others may read stop a run before the platform starts', async () => {
    await chmod(secretsFile(), 0o644)
    const refused = await runCli(ladder('--models', 'vanilla-rag', '--no-cold-reset'))
    await chmod(secretsFile(), 0o600)
    expect(refused.code).toBe(5)
    expect(refused.stderr + refused.stdout).toContain('secrets.json: has mode 0644')
  })

  it.runIf(process.platform === 'linux')('go to the platform by environment, never in an argument list', async () => {
    const run = startCli(['platform', '--project', root, '--dataset', 'smoke'])
    await new Promise((resolve) => run.child.stdout!.once('data', resolve))
    const secrets = Object.values(JSON.parse(await readFile(secretsFile(), 'utf8')) as Record<string, string>).slice(1)
    const lines: string[] = []
    // The first line may be printed before the platform's process is there.
    for (let tries = 0; lines.length === 0 && tries < 200; tries += 1) {
      for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
        const [command, environment] = await Promise.all(
          ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
        )
        expect(secrets.filter((secret) => command!.includes(secret))).toEqual([])
        if (secrets.some((secret) => environment!.includes(secret))) lines.push(command!)
      }
      await delay(50)
    }
    run.child.kill('SIGINT')
    const { code, stdout, stderr } = await run.done
    expect(lines.filter((line) => line.includes(programFile('providers/platform/index.ts')))).toHaveLength(1)
    expect(lines).toHaveLength(1)
    expect(code).toBe(0)
    expect(stderr).toContain('secrets.json')
    for (const secret of secrets) expect(stdout + stderr).not.toContain(secret)
  })

  it('of an external platform come from the environment: one for the gateway, one for the rest, one for its edge', async () => {
    const platform = await startPlatformProcess({
      RAG_LADDER_STATE_DIR: join(root, 'external'),
      RAG_INGESTION_CORPUS_ROOT: join(root, 'corpus'),
      RAG_PROFILE: 'smoke',
      BACKEND_INTERNAL_API_TOKEN: 'token-of-the-operator',
      GATEWAY_MASTER_KEY: 'key-of-the-gateway',
      BACKEND_EDGE_AUTH: 'key-auth',
      BACKEND_EDGE_API_KEY: 'key-of-the-edge',
    })
    const run = (env: Record<string, string>) =>
      runCli(ladder('--models', 'vanilla-rag', '--gateway', platform.url, '--no-publish', '--run-id', 'external'), env)
    const edge = { MATRIX_EDGE_API_KEY: 'key-of-the-edge' }
    const both = { MATRIX_GATEWAY_API_KEY: 'key-of-the-gateway', MATRIX_PLATFORM_TOKEN: 'token-of-the-operator' }
    const withoutEdge = await run(both)
    const gatewayOnly = await run({ MATRIX_GATEWAY_API_KEY: 'key-of-the-gateway', ...edge })
    const done = await run({ ...both, ...edge })
    await platform.stop()
    expect([withoutEdge.code, gatewayOnly.code, done.code]).toEqual([5, 5, 0])
    expect(withoutEdge.stderr + withoutEdge.stdout).toContain('answered HTTP 401')
    expect(gatewayOnly.stderr + gatewayOnly.stdout).toContain('/api/rag/ingestions?limit=1 answered HTTP 403')
    const text = await readFile(join(root, 'results/external-smoke-evidence.jsonl'), 'utf8')
    for (const credential of Object.values({ ...both, ...edge })) {
      expect(text + done.stdout + done.stderr + gatewayOnly.stderr).not.toContain(credential)
    }
  })

  it('that a LiteLLM proxy does not know are named, although its answer speaks of a database', async () => {
    const proxy = await startFaultServer()
    const error = { message: 'No connected db.', type: 'no_db_connection', param: null, code: '400' }
    proxy.script(json({ error }, 400))
    const refused = await runCli(ladder('--models', 'vanilla-rag', '--gateway', proxy.url, '--run-id', 'proxied'))
    await proxy.close()
    expect(refused.code).toBe(5)
    expect(refused.stdout).toContain('No connected db.; set MATRIX_GATEWAY_API_KEY')
  })

  it('in the address of a platform are refused', async () => {
    const address = 'http://user:hunter2@127.0.0.1:1'
    const refused = await runCli(ladder('--models', 'vanilla-rag', '--gateway', address))
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('MATRIX_GATEWAY_API_KEY')
    expect(refused.stderr).not.toContain('hunter2')
  })
})

describe('a platform that dies', () => {
  it('is restarted on its port, and no cell is lost to it', async () => {
    // Without a reset, and into a folder that does not exist yet: what `npm run ladder` does on a fresh clone.
    const fresh = ['--no-cold-reset', '--results', join(root, 'killed')]
    const options = ['--run-id', 'killed', ...fresh, '--no-publish', '--models', MODELS]
    const run = startCli(['ladder', '--project', root, '--dataset', 'smoke', '--json', ...options])
    await run.event('cell.started')
    const [platform] = await childrenOf(run.child.pid!)
    process.kill(platform!, 'SIGKILL')
    const result = await run.done
    const states = result.events.filter(({ type }) => type === 'service.changed').map(({ state }) => state)
    expect(states).toEqual(['starting', 'ready', 'backoff', 'starting', 'ready', 'stopping', 'stopped'])
    expect(result.code).toBe(0)
    const rows = await rowsOf(join(root, 'killed/killed-smoke-evidence.jsonl'))
    expect(rows.map(({ status }) => status)).toEqual(Array.from({ length: CELLS }, () => 'ok'))
    expect(rows.map(({ metrics }) => metrics.ragas.status)).not.toContain('error')
  })
})
