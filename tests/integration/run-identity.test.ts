import { execFileSync } from 'node:child_process'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { RunIdentity } from '../../contract/evidence/run-identity.ts'
import { runCli, smokeProject, startCli } from '../helpers/cli.ts'
import { ladderArgs, planOf, rowsOf, smokeRun } from '../helpers/ladder-run.ts'
import { startPlatformProcess } from '../helpers/platform-process.ts'
import { startStubGateway, type StubGateway } from '../helpers/stub-gateway.ts'

let root: string
let gateway: StubGateway

beforeAll(async () => {
  root = await smokeProject()
  gateway = await startStubGateway()
})
afterAll(async () => {
  await gateway.close()
  await rm(root, { recursive: true, force: true })
})

const evidence = (run: string): string => join(root, `results/${run}-smoke-evidence.jsonl`)
const common = (run: string, models: string): string[] => [
  ...smokeRun(root, run),
  '--models',
  models,
  '--no-evaluate',
  '--json',
]
const matrix = (run: string, models: string, url = gateway.url): string[] => [
  'matrix',
  ...common(run, models),
  '--gateway',
  url,
]

/** Does something with another seed in the manifest, and puts the manifest back. */
async function withOtherSeed<Result>(work: () => Promise<Result>): Promise<Result> {
  const manifest = join(root, 'manifests/evaluation.yaml')
  const text = await readFile(manifest, 'utf8')
  await writeFile(manifest, text.replace("seed: 'ladder'", "seed: 'other'"))
  try {
    return await work()
  } finally {
    await writeFile(manifest, text)
  }
}

describe('matrix against evidence that holds other cells', () => {
  beforeEach(() => rm(join(root, 'results'), { recursive: true, force: true }))

  it('refuses another seed before any call, naming the field, both values and what to do; plan reports the same', async () => {
    expect((await runCli(matrix('mixed', 'vanilla-rag'))).code).toBe(0)
    const calls = gateway.calls()
    const before = await readFile(evidence('mixed'))
    await withOtherSeed(async () => {
      const refused = await runCli(matrix('mixed', 'hybrid-rag'))
      expect(refused.code).toBe(4)
      const message = refused.events.find(({ type }) => type === 'step.failed')!['message']
      expect(message).toContain('reproducibility.seed: stored "ladder", now "other" (4 rows)')
      expect(message).toContain('Start a new run with --run-id')
      const options = common('mixed', 'hybrid-rag').filter((option) => option !== '--json')
      const planned = await runCli(['plan', ...options, '--gateway', gateway.url, '--no-cold-reset'])
      expect(planned.code).toBe(4)
      expect(planned.stdout).toContain('reproducibility.seed: stored "ladder", now "other" (4 rows)')
    })
    expect(gateway.calls()).toBe(calls)
    expect((await readFile(evidence('mixed'))).equals(before)).toBe(true)
  })

  it('adds the cells of another approach that has the same conditions', async () => {
    await runCli(matrix('wider', 'vanilla-rag'))
    const wider = await runCli(matrix('wider', 'hybrid-rag'))
    expect(wider.code).toBe(0)
    expect(planOf(wider)).toMatchObject({ reuse: 0, run: 4, conflicts: [] })
    expect(await rowsOf(evidence('wider'))).toHaveLength(8)
  })

  it('refuses to add scores of another evaluator to a run; plan reports the same', async () => {
    const scored = (...more: string[]): string[] => more.filter((option) => option !== '--no-evaluate')
    const env = { MATRIX_EVALUATOR_URL: 'http://127.0.0.1:9/score' }
    // The gateway's own evaluator scores nothing, which leaves its columns empty; the rows are stored.
    expect((await runCli(scored(...matrix('scored', 'vanilla-rag')))).code).toBe(3)
    const difference =
      'reproducibility.runtime.providers.evaluator: stored "platform", now "http://127.0.0.1:9/score" (4 rows)'
    const refused = await runCli(scored(...matrix('scored', 'hybrid-rag')), env)
    expect(refused.code).toBe(4)
    expect(refused.events.find(({ type }) => type === 'step.failed')!['message']).toContain(difference)
    const options = scored(...common('scored', 'hybrid-rag')).filter((option) => option !== '--json')
    const planned = await runCli(['plan', ...options, '--gateway', gateway.url, '--no-cold-reset'], env)
    expect([planned.code, planned.stdout]).toEqual([4, expect.stringContaining(difference)])
  })

  it('refuses to add rows to those of an earlier runner version, whose figures mean something else; plan reports the same', async () => {
    await runCli(matrix('earlier', 'vanilla-rag'))
    const file = evidence('earlier')
    const rows = (await rowsOf(file)).map(({ checksum: _checksum, ...row }) => ({ ...row, runner_version: 1 }))
    await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    const record = file.replace('.jsonl', '.identity.json')
    const { runner_version: _version, ...stored } = JSON.parse(await readFile(record, 'utf8')) as RunIdentity
    await writeFile(record, JSON.stringify(stored))
    const calls = gateway.calls()
    const difference = 'runner_version: stored 1, now 2 (4 rows)'
    const refused = await runCli(matrix('earlier', 'hybrid-rag'))
    expect([refused.code, refused.events.find(({ type }) => type === 'step.failed')!['message']]).toEqual([
      4,
      expect.stringMatching(
        new RegExp(
          `differs: the version of the program\\.\n.*Start a new run with --run-id[^]*${RegExp.escape(difference)}`,
        ),
      ),
    ])
    const options = common('earlier', 'hybrid-rag').filter((option) => option !== '--json')
    const planned = await runCli(['plan', ...options, '--gateway', gateway.url, '--no-cold-reset'])
    expect([planned.code, planned.stdout]).toEqual([4, expect.stringContaining(difference)])
    expect(gateway.calls()).toBe(calls)
  })

  it('takes the conditions of a file without a record from its rows', async () => {
    await runCli(matrix('old', 'vanilla-rag'))
    const record = evidence('old').replace('.jsonl', '.identity.json')
    await rm(record)
    await withOtherSeed(async () => expect((await runCli(matrix('old', 'hybrid-rag'))).code).toBe(4))
    await expect(readFile(record)).rejects.toMatchObject({ code: 'ENOENT' })
    expect((await runCli(matrix('old', 'hybrid-rag'))).code).toBe(0)
    expect(JSON.parse(await readFile(record, 'utf8'))).toMatchObject({ run_id: 'old', dataset_id: 'smoke' })
  })
})

describe('two runners at once', () => {
  it('never mix two seeds in one file: the second is refused while the first has no row yet', async () => {
    const [released, asked] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()]
    const slow = createServer((request, response) => {
      const send = async (reply: Response): Promise<void> => {
        response.setHeader('content-type', 'application/json').end(await reply.text())
      }
      // It is asked first for what it can answer, and answers at once.
      if (request.method === 'GET') return void fetch(`${gateway.url}${request.url!}`).then(send)
      asked.resolve(null)
      request.resume()
      void released.promise
        .then(() => fetch(gateway.url, { method: 'POST', body: '{"model":"vanilla-rag"}' }))
        .then(send)
    })
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`
    try {
      const first = startCli(matrix('both', 'vanilla-rag', url))
      await asked.promise
      const second = await withOtherSeed(() => runCli(matrix('both', 'hybrid-rag', url)))
      released.resolve(null)
      expect((await first.done).code).toBe(0)
      expect(second.code).toBe(4)
      expect(second.events.find(({ type }) => type === 'step.failed')!['message']).toContain(
        'reproducibility.seed: stored "ladder", now "other"',
      )
      const seeds = (await rowsOf(evidence('both'))).map(({ reproducibility }) => reproducibility.seed)
      expect(seeds).toEqual(['ladder', 'ladder', 'ladder', 'ladder'])
    } finally {
      slow.close()
    }
  })
})

describe('a ladder', () => {
  it('refuses to add another approach over a changed corpus before anything is ingested', async () => {
    const ladder = (models: string) =>
      runCli(ladderArgs(root, '--models', models, '--no-cold-reset', '--no-publish', '--no-evaluate'))
    expect((await ladder('vanilla-rag')).code).toBe(0)
    const before = await readFile(evidence('test'))
    await writeFile(join(root, 'corpus/smoke/added.md'), '# Added\n\nOne more document.\n')
    const refused = await ladder('contextual-rag')
    expect(refused.code).toBe(4)
    const failure = refused.events.find(({ type }) => type === 'step.failed')!
    expect(failure).toMatchObject({ step: 'validate', code: 'resume_conflict' })
    expect(failure['message']).toMatch(
      /differs: the ingested documents \(corpus\/smoke\)\.[^]*reproducibility.ingestion.content_digest: stored "/,
    )
    expect((await readFile(evidence('test'))).equals(before)).toBe(true)
  })

  it('refuses another seed before its platform is started', async () => {
    const refused = await withOtherSeed(() => runCli(ladderArgs(root, '--models', 'hybrid-rag', '--no-cold-reset')))
    expect(refused.code).toBe(4)
    expect(refused.events.find(({ type }) => type === 'step.failed')).toMatchObject({
      step: 'validate',
      code: 'resume_conflict',
    })
  })
})

describe('plan over the corpus of a stored run', () => {
  it('reports an edited, added or removed document as the conflict that the ladder ends with, unless another platform ingests', async () => {
    const project = await smokeProject()
    const results = join(project, 'results')
    const documents = join(project, 'corpus/smoke')
    const common = ['--project', project, '--dataset', 'smoke', '--models', 'vanilla-rag']
    const plan = (...more: string[]) => runCli(['plan', ...common, '--run-id', 'test', '--no-cold-reset', ...more])
    try {
      // No gold fact is in it: only the digest of the corpus shows that it is gone.
      const extra = join(documents, 'extra.md')
      await writeFile(extra, '# Extra\n')
      const ladder = ladderArgs(project, '--models', 'vanilla-rag', '--no-publish', '--no-evaluate')
      expect((await runCli(ladder)).code).toBe(0)
      const stored = await readdir(results)
      const same = await plan('--no-evaluate')
      expect([same.code, same.stderr, same.stdout]).toEqual([0, '', expect.stringContaining('4 reused, 0 to call')])

      const added = join(documents, 'added.md')
      const conflict =
        /differs: the ingested documents \(corpus\/smoke\)\.\n.*--run-id, restore[^]*content_digest: stored "[0-9a-f]{12}", now "[0-9a-f]{12}" \(4 rows\)/
      const changes = [
        () => writeFile(extra, '# Edited\n'),
        () => rm(extra),
        () => Promise.all([writeFile(extra, '# Extra\n'), writeFile(added, '# Added\n')]),
      ]
      for (const change of changes) {
        await change()
        const changed = await plan('--no-evaluate')
        expect([changed.code, changed.stdout]).toEqual([4, expect.stringMatching(conflict)])
        expect(changed.stdout).toContain('0 reused, 0 to call')
      }
      const elsewhere = await plan('--no-evaluate', '--gateway', gateway.url)
      expect(elsewhere.stdout).not.toContain('content_digest')
      expect((await runCli(['plan', ...common, '--run-id', 'next'])).code).toBe(0)
      expect(await readdir(results)).toEqual(stored)

      const now = /content_digest: stored "\w+", now "(\w+)"/
      const planned = now.exec((await plan('--no-evaluate')).stdout)![1]
      const refused = (await runCli([...ladder, '--no-cold-reset'])).events.find(({ type }) => type === 'step.failed')
      expect(now.exec(refused!['message'] as string)![1]).toBe(planned)

      // Another run ingests the changed documents; then they are restored and ingested again.
      const next = ['ladder', ...smokeRun(project, 'next'), '--models', 'vanilla-rag', '--no-publish', '--no-evaluate']
      expect((await runCli(next)).code).toBe(0)
      await rm(added)
      expect((await plan('--no-evaluate')).stdout).toContain('4 reused, 0 to call')
      const resumed = await runCli([...ladder, '--models', 'vanilla-rag,hybrid-rag', '--no-cold-reset'])
      expect([resumed.code, planOf(resumed)]).toMatchObject([0, { reuse: 4, run: 4, conflicts: [] }])
      const rows = await rowsOf(join(results, 'test-smoke-evidence.jsonl'))
      expect(new Set(rows.map(({ reproducibility }) => reproducibility.ingestion!.job_id)).size).toBe(2)
    } finally {
      await rm(project, { recursive: true, force: true })
    }
  })
})

describe('a corpus that is ingested again while cells run', () => {
  it('ends the run as a conflict, and no answer of the new corpus is stored under the old digest', async () => {
    const project = await smokeProject()
    const token = 'token-of-the-operator'
    const platform = await startPlatformProcess({
      RAG_LADDER_STATE_DIR: join(project, 'external'),
      RAG_INGESTION_CORPUS_ROOT: join(project, 'corpus'),
      RAG_PROFILE: 'smoke',
      BACKEND_INTERNAL_API_TOKEN: token,
      GATEWAY_MASTER_KEY: 'key-of-the-gateway',
    })
    try {
      const options = ['--project', project, '--dataset', 'smoke', '--run-id', 'moved', '--json', '--no-publish']
      const models = ['--models', 'vanilla-rag', '--repeats', '20', '--no-evaluate', '--gateway', platform.url]
      const run = startCli(['ladder', ...options, ...models], {
        MATRIX_GATEWAY_API_KEY: 'key-of-the-gateway',
        MATRIX_PLATFORM_TOKEN: token,
      })
      await run.event('cell.finished')
      const document = join(project, 'corpus/smoke/a-corpus-that-changes.md')
      await writeFile(document, '# Changed\n\nThe bridge opened in 1999.\n')
      const submitted = await fetch(`${platform.url}/api/rag/ingestions?async_job=true`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: '{"profile":"smoke"}',
      })
      const submittedAt = Date.now()
      expect(submitted.status).toBe(202)
      const result = await run.done
      expect(result.code).toBe(4)
      expect(result.events.find(({ type }) => type === 'step.failed')).toMatchObject({
        step: 'cells',
        code: 'corpus_changed',
      })
      const rows = await rowsOf(join(project, 'results/moved-smoke-evidence.jsonl'))
      expect(rows.length).toBeLessThan(80)
      for (const row of rows) expect(Date.parse(row.finished_at)).toBeLessThan(submittedAt)
    } finally {
      await platform.stop()
      await rm(project, { recursive: true, force: true })
    }
  })
})

describe('a project in git that ignores nothing', () => {
  it('resumes its run although results, state and evidence put elsewhere are not committed, and runs no program of its configuration', async () => {
    const project = await smokeProject()
    try {
      const git = (...args: string[]) =>
        execFileSync('git', ['-C', project, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args])
      git('init', '-q')
      git('add', '-A')
      git('commit', '-qm', 'project')
      const canary = join(project, '..', `canary-${project.slice(-6)}`)
      await writeFile(join(project, '.git/monitor'), `#!/bin/sh\ntouch '${canary}'\nfalse\n`, { mode: 0o755 })
      git('config', 'core.fsmonitor', join(project, '.git/monitor'))
      await rm(canary, { force: true })

      const options = ['--project', project, '--dataset', 'smoke', '--run-id', 'git', '--models', 'vanilla-rag']
      const env = { MATRIX_CANONICAL_FILE: join(project, 'evidence/own-evidence.jsonl') }
      const run = () => runCli(['ladder', ...options, '--no-cold-reset', '--no-publish', '--json'], env)
      // Everything but the evidence is in results, in the project as well.
      expect((await run()).code).toBe(0)
      const again = await run()
      expect(again.code).toBe(0)
      expect(planOf(again)).toMatchObject({ reuse: 4, run: 0, conflicts: [] })
      expect((await runCli(['plan', ...options, '--no-cold-reset'], env)).stdout).toContain('4 reused, 0 to call')
      const changed = git('-c', 'core.fsmonitor=false', 'status', '--porcelain', '-uall').toString()
      for (const folder of ['results/', '.rag-ladder/', 'evidence/']) expect(changed).toContain(`?? ${folder}`)
      await expect(stat(canary)).rejects.toMatchObject({ code: 'ENOENT' })
      const [row] = await rowsOf(env.MATRIX_CANONICAL_FILE)
      expect(row!.reproducibility.runtime).toMatchObject({
        repository: { dirty: false, patch_sha256: null },
        providers: { platform: 'embedded', converter: 'not needed' },
        platform: { revision: expect.stringMatching(/^[0-9a-f]{40}/) as string },
      })
    } finally {
      await rm(project, { recursive: true, force: true })
    }
  })
})
