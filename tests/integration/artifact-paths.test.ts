import { readPublished } from '../../main/report/publication/published-folder.ts'
import { existsSync } from 'node:fs'
import { appendFile, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli, smokeProject } from '../helpers/cli.ts'
import { type CliResult } from '../helpers/cli-in-process.ts'
import { startEngine } from '../helpers/engine-process.ts'
import { ranToEnd } from '../helpers/engine-runs.ts'
import { BUILTINS } from '../helpers/judge-panel.ts'
import { rowsOf } from '../helpers/ladder-run.ts'
import { startSpecifiedPlatform, type SpecifiedPlatform } from '../helpers/specified-platform.ts'

const NAMED = {
  MATRIX_CANONICAL_FILE: 'elsewhere/rows.jsonl',
  MATRIX_SUMMARY_FILE: 'elsewhere/summary.json',
  MATRIX_RESULTS_FILE: 'elsewhere/cells.json',
}

let root = ''
let stub: SpecifiedPlatform
beforeAll(async () => {
  root = await smokeProject()
  stub = await startSpecifiedPlatform({ aliases: ['vanilla-rag', 'hybrid-rag'] })
})
afterAll(async () => {
  await stub.close()
  await rm(root, { recursive: true })
})

const at = (name: string): string => join(root, name)
const cli = (name: string, ...options: string[]): Promise<CliResult> =>
  runCli([name, ...options, '--project', root], { ...NAMED, ...addresses() })
const addresses = (): Record<string, string> => ({
  MATRIX_GATEWAY_URL: stub.gateway,
  MATRIX_PLATFORM_URL: stub.platform,
  MATRIX_EVALUATOR_URL: stub.evaluator,
})

describe('files that MATRIX_CANONICAL_FILE, MATRIX_SUMMARY_FILE and MATRIX_RESULTS_FILE put elsewhere', () => {
  it('are used by ladder, plan, summarize, report, verify, recover and publish', async () => {
    const run = ['--dataset', 'smoke', '--run-id', 'placed']
    const models = ['--models', 'vanilla-rag,hybrid-rag']
    const ladder = await cli('ladder', ...run, ...models, '--no-cold-reset', '--no-publish')
    expect([ladder.stderr, ladder.code]).toEqual(['', 0])
    expect((await readdir(at('elsewhere'))).filter((name) => /^(rows\.jsonl|.*\.json)$/.test(name)).toSorted()).toEqual(
      ['cells.json', 'rows.identity.json', 'rows.jsonl', 'summary.json'].toSorted(),
    )
    expect(existsSync(at('results/placed-smoke-evidence.jsonl'))).toBe(false)

    const plan = await cli('plan', ...run, ...models, '--no-cold-reset')
    expect([plan.code, plan.stdout]).toEqual([0, expect.stringContaining('8 reused, 0 to call')])

    const summary = await cli('summarize', '--csv-output', at('all.csv'))
    expect([summary.stderr, summary.code]).toEqual(['', 0])
    expect(summary.stdout).toContain('vanilla-rag')
    expect(await readFile(at('all.csv'), 'utf8')).toContain('hybrid-rag')
    expect((await cli('summarize', '--run-id', 'placed')).code).toBe(0)
    expect((await cli('summarize', '--run-id', 'another')).code).toBe(2)

    const report = await cli('report', '--run-id', 'placed', '--output', at('report.html'))
    expect([report.stderr, report.code]).toEqual(['', 0])
    const page = await cli('verify', at('report.html'))
    expect([page.code, page.stdout]).toEqual([0, expect.stringContaining('3 of 3 files unchanged')])

    await appendFile(at('elsewhere/rows.jsonl'), '{"schema_version":1,"run')
    const torn = await cli('verify')
    expect([torn.code, torn.stdout]).toEqual([4, expect.stringContaining('elsewhere/rows.jsonl')])
    const recovered = await cli('recover')
    expect([recovered.code, recovered.stdout]).toEqual([0, expect.stringContaining('8 rows kept')])
    expect((await cli('verify')).code).toBe(0)

    const published = await cli('publish', ...run)
    expect([published.stderr, published.code]).toEqual(['', 0])
    expect(await readPublished(at('docs/results/placed-smoke-evidence.jsonl.br'))).toEqual(
      await readFile(at('elsewhere/rows.jsonl')),
    )
    // Published under their usual names, they are found without the variables too.
    const verified = await cli('verify', at('docs/results/placed-smoke-evidence.jsonl.br'))
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining('8 rows')])
    const usual = await runCli(['summarize', '--results', at('docs/results')])
    expect([usual.code, usual.stdout]).toEqual([0, expect.stringContaining('vanilla-rag')])
  }, 120_000)

  it('are deleted by a cold reset, and found by judge and evaluate', async () => {
    const run = ['--dataset', 'smoke', '--run-id', 'placed']
    const unknown = await cli('evaluate', '--dataset', 'smoke', '--from', 'gone', '--run-id', 'scored')
    expect([unknown.code, unknown.stderr]).toEqual([
      2,
      expect.stringMatching(/--from: .* no answers of the run gone on smoke; the runs there are placed$/m),
    ])
    const again = await cli('evaluate', '--dataset', 'smoke', '--from', 'placed', '--run-id', 'scored')
    // The file holds one run: another is refused, and nothing of it is changed.
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('placed')])
    const judged = await cli('judge', 'run', ...run, '--judge-models', BUILTINS.join())
    expect(judged.stderr).toBe('')
    expect(JSON.parse(await readFile(at('elsewhere/summary.json'), 'utf8'))).toMatchObject({
      judge_panel: { status: expect.stringMatching(/ok|partial/) as string },
    })
    const reset = await cli('ladder', ...run, '--models', 'vanilla-rag', '--cold-reset', '--no-publish')
    expect(reset.code).toBe(0)
    expect(await rowsOf(at('elsewhere/rows.jsonl'))).toHaveLength(4)
  }, 120_000)
})

describe('an engine whose environment puts the files elsewhere', () => {
  it('shows a finished run, its cells and its exports, and makes its failed cells again', async () => {
    await rm(at('elsewhere'), { recursive: true, force: true })
    await rm(at('docs/results'), { recursive: true, force: true })
    stub.options.broken = ['hybrid-rag']
    const engine = await startEngine(root, { ...NAMED, ...addresses() })
    const { client } = engine
    try {
      const request = { dataset_ids: ['smoke'], models: ['vanilla-rag', 'hybrid-rag'], judge: { enabled: false } }
      const job = await ranToEnd(client, 'shown', () => client.runs.start({ ...request, run_id: 'shown' }))
      expect(job).toMatchObject({ run_id: 'shown', state: 'failed' })
      expect(await rowsOf(at('elsewhere/rows.jsonl'))).toHaveLength(8)
      const { datasets } = await client.runs.summary({ run_id: 'shown' })
      expect(datasets[0]!.artifacts.map(({ kind, path, state }) => [kind, path, state]).toSorted()).toEqual([
        ['evaluation', at('elsewhere/summary.json'), 'applied'],
        ['evidence', at('elsewhere/rows.jsonl'), 'applied'],
        ['matrix', at('elsewhere/cells.json'), 'listed'],
      ])
      const page = await client.matrix.page({ run_id: 'shown', dataset_id: 'smoke', metric: 'token_f1' })
      expect(page.rows).toHaveLength(4)
      const { row_id } = page.rows[0]!.cells[0]!
      expect(await client.cells.get({ run_id: 'shown', row_id })).toMatchObject({ kind: 'canonical' })
      expect((await client.runs.failures({ run_id: 'shown' })).classes).toEqual([{ class: 'http_error', cells: 4 }])

      stub.options.broken = []
      const retried = await ranToEnd(client, 'shown-retry1', () => client.runs.retryFailures({ run_id: 'shown' }))
      expect(retried).toMatchObject({ run_id: 'shown-retry1', state: 'completed' })
      const rows = await rowsOf(at('results/shown-retry1-smoke-evidence.jsonl'))
      expect(rows.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 'ok'))
      // The run that it repairs is as it was.
      expect(await rowsOf(at('elsewhere/rows.jsonl'))).toHaveLength(8)
      const judge = { models: BUILTINS }
      for (const run_id of ['shown', 'shown-retry1'])
        expect(await ranToEnd(client, run_id, () => client.judges.judgeRun({ run_id, judge }))).toMatchObject({
          state: 'completed',
        })
      await client.judges.begin({ run_id: 'shown', dataset_id: 'smoke' })
      expect((await client.judges.blindSets({ run_id: 'shown', dataset_id: 'smoke' })).total).toBe(4)
      expect((await client.index.verify()).ok).toBe(true)
      expect(engine.errors()).toBe('')
    } finally {
      await engine.stop()
    }
  }, 120_000)
})
