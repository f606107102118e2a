import { chmod, cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Aggregate, CanonicalRow, DatasetCatalogue, Matrix, type HumanRound } from '../../contract/index.ts'
import { loadManifest } from '../../main/manifests/load-manifest.ts'
import { startPlatformProcess } from '../helpers/platform-process.ts'
import { childrenOf } from '../helpers/processes.ts'
import { runCli, smokeProject, startCli, type CliResult } from '../helpers/cli.ts'

const MODELS = 'vanilla-rag,hybrid-rag,contextual-rag,lazy-graph-rag'
const CELLS = 16

let root: string
let first: CliResult
const ladder = (...more: string[]): string[] => [
  'ladder',
  '--project',
  root,
  '--dataset',
  'smoke',
  '--run-id',
  'test',
  '--json',
  ...more,
]
const evidence = (): string => join(root, 'results/test-smoke-evidence.jsonl')
const plan = (result: CliResult) =>
  result.events.find(({ type }) => type === 'plan.ready')?.['plan'] as Record<string, unknown>
const rowsOf = async (file: string): Promise<CanonicalRow[]> =>
  (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => {
      const { checksum: _checksum, ...row } = JSON.parse(line) as Record<string, unknown>
      return CanonicalRow.parse(row)
    })

beforeAll(async () => {
  root = await smokeProject()
  first = await runCli(ladder('--models', MODELS))
})
afterAll(() => rm(root, { recursive: true, force: true }))

describe('a first run', () => {
  it('climbs all steps in order and ends well', () => {
    expect(first.stderr).toBe('')
    expect(first.code).toBe(0)
    const steps = first.events
      .filter(({ type }) => type === 'step.finished' || type === 'step.skipped')
      .map(({ step }) => step)
    expect(steps).toEqual([
      'validate',
      'cold_reset',
      'start',
      'ingest',
      'contextualize',
      'cells',
      'evaluate',
      'check_cells',
      'judge',
      'summarize',
      'check_artifacts',
      'publish',
    ])
    expect(plan(first)).toMatchObject({ total: CELLS, reuse: 0, run: CELLS, conflicts: [] })
  })

  it('leaves valid artifacts with provenance in every row', async () => {
    const rows = await rowsOf(evidence())
    expect(rows).toHaveLength(CELLS)
    for (const row of rows) {
      expect(row.status).toBe('ok')
      expect(row.evidence!.contexts.length).toBeGreaterThan(0)
      expect(row.reproducibility.ingestion).toMatchObject({ profile: 'smoke', mode: 'platform' })
      expect(row.reproducibility.runtime.models!.roles['light_gen']).toEqual({
        backend: 'builtin',
        model: 'extractive-answerer',
      })
      expect(row.metrics.ragas.evaluator_model).toBe('rule-critic')
    }
    const read = async (kind: string): Promise<unknown> =>
      JSON.parse(await readFile(join(root, `results/test-smoke-${kind}.json`), 'utf8'))
    expect(Matrix.parse(await read('matrix')).cells).toHaveLength(CELLS)
    expect(Aggregate.parse(await read('evaluation')).run_id).toBe('test')
  })

  it('keeps the platform’s credentials to itself', async () => {
    const file = join(root, '.rag-ladder/secrets.json')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const { version: _version, ...secrets } = JSON.parse(await readFile(file, 'utf8')) as Record<string, string>
    expect(Object.keys(secrets)).toHaveLength(4)
    const holders = async (): Promise<string[]> => {
      const found: string[] = []
      for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name)
        if (!entry.isFile() || path === file) continue
        const bytes = await readFile(path)
        if (Object.values(secrets).some((secret) => bytes.includes(secret))) found.push(path)
      }
      return found
    }
    expect(await holders()).toEqual([])
    await writeFile(join(root, 'results/leak.txt'), `before ${secrets['operator_token']!} after`)
    expect(await holders()).toEqual([join(root, 'results/leak.txt')])
    await rm(join(root, 'results/leak.txt'))
    for (const secret of Object.values(secrets)) expect(first.stdout + first.stderr).not.toContain(secret)
  })

  it('publishes them and says so in the catalogue, comments kept', async () => {
    expect((await readdir(join(root, 'docs/results'))).sort()).toEqual([
      'README.md',
      'ladder.html',
      'smoke.md',
      'test-smoke-evaluation.json',
      'test-smoke-evidence.jsonl',
      'test-smoke-matrix.json',
    ])
    const catalogue = await loadManifest(root, 'manifests/datasets.yaml', DatasetCatalogue)
    expect(catalogue.datasets[0]!.published!.run_id).toBe('test')
    expect(await readFile(join(root, 'manifests/datasets.yaml'), 'utf8')).toContain('# The ladder: each rung')
  })
})

describe('a second run', () => {
  it('reuses every row, calls no model and changes no byte', async () => {
    const before = await readFile(evidence())
    const again = await runCli(ladder('--models', MODELS, '--no-cold-reset'))
    expect(again.code).toBe(0)
    expect(plan(again)).toMatchObject({ reuse: CELLS, run: 0, resume_answered: 0, conflicts: [] })
    expect(again.events.filter(({ type }) => type === 'cell.started')).toEqual([])
    expect(again.events.filter(({ type }) => type === 'ingestion.progressed').length).toBeGreaterThan(0)
    expect(again.events.find(({ type }) => type === 'usage.reported')).toMatchObject({
      model_calls: {},
      alias_calls: {},
    })
    expect((await readFile(evidence())).equals(before)).toBe(true)
  })

  it('only adds what a wider selection asks for', async () => {
    const wider = await runCli(ladder('--models', `${MODELS},hybrid-rag-fast`, '--no-cold-reset'))
    expect(plan(wider)).toMatchObject({ total: CELLS + 4, reuse: CELLS, run: 4 })
    expect(await rowsOf(evidence())).toHaveLength(CELLS + 4)
  })

  it('refuses rows made under another seed, names the field and calls nothing', async () => {
    const manifest = join(root, 'manifests/evaluation.yaml')
    const text = await readFile(manifest, 'utf8')
    await writeFile(manifest, text.replace("seed: 'ladder'", "seed: 'other'"))
    const refused = await runCli(ladder('--models', MODELS, '--no-cold-reset'))
    await writeFile(manifest, text)
    expect(refused.code).toBe(4)
    const failure = refused.events.find(({ type }) => type === 'step.failed')!
    expect(failure).toMatchObject({ step: 'cells', code: 'resume_conflict' })
    expect(failure['message']).toContain('reproducibility.')
    expect(refused.events.filter(({ type }) => type === 'cell.started')).toEqual([])
  })

  it('plans another set of models as the conflict that it would be, and knows no unknown one', async () => {
    const options = ['plan', '--project', root, '--dataset', 'smoke', '--run-id', 'test', '--models', MODELS, '--json']
    const planned = await runCli([...options, '--model-set', 'ollama'])
    const unknown = await runCli([...options, '--model-set', 'nope'])
    expect(planned.code).toBe(4)
    expect(JSON.parse(planned.stdout)).toMatchObject({ reuse: 0, run: 0 })
    expect(planned.stdout).toContain('reproducibility.runtime.models.roles.agentic.backend')
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toMatch(/--model-set: there is no model set nope; manifests\/models.yaml has builtin, /)
  })

  it('refuses a torn file, recovers it, and makes only the lost cell again', async () => {
    const whole = await readFile(evidence())
    await writeFile(evidence(), whole.subarray(0, whole.length - 10))
    const torn = await runCli(ladder('--models', `${MODELS},hybrid-rag-fast`, '--no-cold-reset'))
    expect(torn.code).toBe(4)
    expect(torn.events.find(({ type }) => type === 'step.failed')).toMatchObject({ code: 'torn_tail' })
    expect((await runCli(['verify', evidence()])).code).toBe(4)
    expect((await runCli(['recover', evidence()])).code).toBe(0)
    expect((await runCli(['verify', evidence()])).code).toBe(0)
    const resumed = await runCli(ladder('--models', `${MODELS},hybrid-rag-fast`, '--no-cold-reset'))
    expect(plan(resumed)).toMatchObject({ reuse: CELLS + 3, run: 1 })
    expect(resumed.code).toBe(0)
  })
})

describe('interruption', () => {
  it('Ctrl-C finishes the cells in flight, keeps them, and the next run makes the rest', async () => {
    const args = [
      'ladder',
      '--project',
      root,
      '--dataset',
      'smoke',
      '--run-id',
      'stopped',
      '--json',
      '--no-publish',
      '--models',
      MODELS,
    ]
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
    expect(plan(rest)).toMatchObject({ reuse: kept, run: CELLS - kept })
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
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const [command, environment] = await Promise.all(
        ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'utf8').catch(() => '')),
      )
      expect(secrets.filter((secret) => command!.includes(secret))).toEqual([])
      if (secrets.some((secret) => environment!.includes(secret))) lines.push(command!)
    }
    run.child.kill('SIGINT')
    const { code, stdout, stderr } = await run.done
    expect(lines.filter((line) => line.includes('providers/platform/index.ts'))).toHaveLength(1)
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
    expect(gatewayOnly.stderr + gatewayOnly.stdout).toContain('GET /rag/health answered HTTP 403')
    const text = await readFile(join(root, 'results/external-smoke-evidence.jsonl'), 'utf8')
    for (const credential of Object.values({ ...both, ...edge })) {
      expect(text + done.stdout + done.stderr + gatewayOnly.stderr).not.toContain(credential)
    }
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
    // Without a reset, and into a folder that nobody has made: what `npm run ladder` does on a fresh clone.
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

describe('judges and a person', () => {
  it('grade the stored answers blindly, and are compared when the seal is opened', async () => {
    const results = join(root, 'judged')
    await cp(join(root, 'results'), results, { recursive: true })
    const judge = (...more: string[]) =>
      runCli(['judge', ...more, '--project', root, '--dataset', 'smoke', '--run-id', 'test', '--results', results])
    const judges = 'builtin-lexical-support,builtin-semantic-match'
    const panel = await judge('run', '--judge-models', judges, '--rotations', '2')
    expect([panel.code, panel.stderr]).toEqual([0, ''])
    expect(panel.stdout).toContain('judges of smoke: alpha')

    expect((await judge('human', 'export')).code).toBe(0)
    const file = (name: string) => join(results, `test-smoke-human-${name}.json`)
    const round = JSON.parse(await readFile(file('round'), 'utf8')) as HumanRound
    expect((await judge('human', 'export')).stderr).toContain('is there already')
    const votes = round.sets.map(({ set, answers }) => ({
      set,
      scores: Object.fromEntries(answers.map(({ letter, text }) => [letter, text.length > 60 ? 4 : 2])),
      best: 'A',
    }))
    const ballot = (changes: object) =>
      writeFile(file('votes'), JSON.stringify({ round_id: round.round_id, rater: 'Ada', votes, ...changes }))

    await ballot({ round_id: 'round-other' })
    const foreign = await judge('human', 'import')
    expect([foreign.code, foreign.stderr]).toEqual([2, expect.stringContaining('the votes are for round-other')])
    await ballot({})
    const [first] = round.sets
    const edited = { ...round, sets: [{ ...first!, question: 'Which?' }, ...round.sets.slice(1)] }
    await writeFile(file('round'), JSON.stringify(edited))
    const broken = await judge('human', 'import')
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining('not the ones that were sealed')])
    await writeFile(file('round'), JSON.stringify(round))

    const opened = await judge('human', 'import')
    expect([opened.code, opened.stderr]).toEqual([0, ''])
    for (const name of judges.split(','))
      expect(opened.stdout).toMatch(new RegExp(`${name}: weighted kappa -?(0|1)\\.`))
    await ballot({ rater: 'Bob' })
    expect((await judge('human', 'import')).stderr).toContain('was opened with other votes of Ada')
  })
})

describe('other commands', () => {
  it('plan says what is stored without starting anything', async () => {
    const result = await runCli([
      'plan',
      '--project',
      root,
      '--dataset',
      'smoke',
      '--run-id',
      'test',
      '--models',
      MODELS,
      '--json',
    ])
    expect(result.code).toBe(0)
    expect(JSON.parse(result.stdout.trim().split('\n').at(-1)!)).toMatchObject({ total: CELLS, reuse: CELLS, run: 0 })
  })

  it('summarize prints the matrix and the same CSV twice', async () => {
    const csv = join(root, 'out.csv')
    const summarize = () =>
      runCli(['summarize', '--results', join(root, 'results'), '--run-id', 'test', '--csv-output', csv])
    const printed = await summarize()
    const once = await readFile(csv)
    await summarize()
    expect(printed.stdout).toContain('hybrid-rag-fast')
    expect((await readFile(csv)).equals(once)).toBe(true)
    expect(once.toString().split('\n')[0]).toContain('metric_class')
  })

  it('evaluate scores stored answers as a new run', async () => {
    const result = await runCli([
      'evaluate',
      '--project',
      root,
      '--dataset',
      'smoke',
      '--from',
      'test',
      '--run-id',
      'rescored',
      '--metrics',
      'context_recall',
    ])
    expect(result.stderr).toBe('')
    expect(result.code).toBe(0)
    const rows = await rowsOf(join(root, 'results/rescored-smoke-evidence.jsonl'))
    expect(rows).toHaveLength(CELLS + 4)
    expect(rows[0]!.derived_from!.run_id).toBe('test')
    expect(rows[0]!.metrics.ragas.requested).toEqual(['context_recall'])
  })

  it.each([
    [['ladder', '--modles', 'x'], /Unknown option '--modles'/],
    [['ladder', '--models', 'x'], /unknown alias: x/],
    [['ladder', '--dataset', 'x'], /unknown dataset: x/],
    [['ladder', '--concurrency', '99'], /--concurrency: a whole number from 1 to 32/],
    [['frobnicate'], /unknown command: frobnicate/],
  ])('bad input %j is named and exits with 2', async (args, message) => {
    const result = await runCli(args[0] === 'ladder' ? [...args, '--project', root] : args)
    expect(result.stderr).toMatch(message)
    expect(result.code).toBe(2)
  })
})
