import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../helpers/cli.ts'
import { evidenceBytes } from '../helpers/report-project.ts'
import { fixtureDataset, goldenRows } from '../helpers/report-rows.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'import-results-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const ingestion = { id: 'ing-1', job_id: 'j', profile: 'old', revision: 'r', content_digest: 'd', mode: 'external' }
/** A row as another deployment writes it: other runtime, no gold evidence, attempts as a number. */
const foreign = (question: string, model: string, rest: object = {}) => ({
  schema_version: 1,
  runner_version: 1,
  run_id: 'reference-1',
  row_id: 'f'.repeat(64),
  dataset: { id: 'old_set', label: 'Old', complexity_level: 1, questions_file: 'q.yaml', corpus_path: 'corpus' },
  question: { id: question, query: `${question}?`, ground_truth: 'Yes.', rationale: null, expect_winner: null },
  approach: {
    model,
    base_model: model,
    flavor: null,
    evidence_capability: 'answer_with_contexts',
    requires_reingest: false,
    provider: 'x',
  },
  reproducibility: { seed: 's', config_hashes: {}, ingestion, runtime: { git: { commit: 'abc' } } },
  status: 'ok',
  evidence: {
    answer: 'Yes.',
    contexts: ['a'],
    sources: [{ title: 'a.md', score: 0.5 }],
    token_usage: {},
    server_metrics: { seconds: 1 },
    raw_content: 'Yes.',
    transport: 'structured',
  },
  metrics: {
    operational: { latency_ms: 1500, attempts: 1, token_usage: {}, server: {} },
    ragas: { status: 'ok', scores: { faithfulness: 0.75 } },
    judge_panel: { status: 'pending' },
  },
  error: null,
  ...rest,
})

describe('import-results', () => {
  it('keeps what the rows have, names what it leaves out and refuses, and summarize reads the snapshot', async () => {
    const file = join(dir, 'reference-evidence.jsonl')
    const own = evidenceBytes(goldenRows(fixtureDataset('own', 'Own', 1)).slice(0, 1))
      .toString()
      .trim()
    const failed = foreign('q2', 'vanilla-rag', {
      status: 'timeout',
      evidence: null,
      error: { type: 'timeout', message: 'slow' },
    })
    const other = foreign('q3', 'vanilla-rag', { reproducibility: { ingestion: { id: 'ing-2' } } })
    const rows = [foreign('q1', 'vanilla-rag'), failed, foreign('q1', 'vanilla-rag'), other, { run_id: 'x' }]
    await writeFile(file, [...rows.map((row) => JSON.stringify(row)), own, '{"torn', ''].join('\n'))
    const results = join(dir, 'results')
    const imported = await runCli(['import-results', file, '--results', results])
    expect(imported.code).toBe(4)
    expect(imported.stdout).toContain('reference-1-old_set-matrix.json  2 answers')
    for (const words of [
      'not taken over: metrics.judge_panel (2 rows)',
      'not taken over: metrics.operational.attempts (2 rows)',
      'unknown after this: gold evidence',
      'reference-evidence.jsonl:3: a second row for q1 × vanilla-rag',
      'reference-evidence.jsonl:4: it answers from another ingestion',
      'reference-evidence.jsonl:5: dataset: ',
      'reference-evidence.jsonl:6: already a row of this schema',
      'reference-evidence.jsonl:7: not JSON',
    ])
      expect(imported.stderr).toContain(words)
    const matrix = JSON.parse(await readFile(join(results, 'reference-1-old_set-matrix.json'), 'utf8')) as Record<
      string,
      unknown
    >
    expect(matrix).toMatchObject({ run_id: 'reference-1', dataset_id: 'old_set', ingestion })
    expect(matrix['cells']).toMatchObject([
      {
        query_id: 'q1',
        ok: true,
        answer: 'Yes.',
        latency_s: 1.5,
        contexts: ['a'],
        evaluation: { scores: { faithfulness: 0.75 } },
      },
      { query_id: 'q2', ok: false, error: 'timeout: slow' },
    ])
    expect(matrix).not.toHaveProperty('schema_version')

    const csv = join(dir, 'all.csv')
    const summed = await runCli(['summarize', '--results', results, '--csv-output', csv])
    expect([summed.code, summed.stderr]).toEqual([0, ''])
    expect(summed.stdout).toContain('vanilla-rag: 1 of 2 answers, median 1.5 s')
    expect(await readFile(csv, 'utf8')).toContain('ragas,faithfulness,,partial,0.75')
  })

  it('writes over nothing', async () => {
    const file = join(dir, 'again.jsonl')
    await writeFile(file, `${JSON.stringify(foreign('q1', 'vanilla-rag'))}\n`)
    const results = join(dir, 'again')
    expect((await runCli(['import-results', file, '--results', results])).code).toBe(0)
    const second = await runCli(['import-results', file, '--results', results])
    expect([second.code, second.stderr]).toEqual([2, expect.stringContaining('exists already') as string])
  })
})
