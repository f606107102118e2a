import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { smokeProject } from '../helpers/cli.ts'
import { startEngine, type EngineProcess } from '../helpers/engine-process.ts'

const OLD = { run_id: '2024-old', dataset_id: '2024-old' }
let root: string
let engine: EngineProcess

beforeAll(async () => {
  root = await smokeProject()
  await mkdir(join(root, 'results'), { recursive: true })
  const put = (name: string, value: unknown) => writeFile(join(root, 'results', name), JSON.stringify(value))
  await put('2024-old-matrix.json', {
    ingestion: { id: 'ing-1', profile: 'old' },
    cells: [
      { query_id: 'q1', model: 'vanilla-rag', ok: true, answer: 'Yes.', latency_s: 1.5 },
      { query_id: 'q1', model: 'graph-rag', ok: false, error: 'timeout' },
      { query_id: 'q2', model: 'vanilla-rag', ok: true, answer: 'No.', evaluation: { scores: { faithfulness: 0.75 } } },
    ],
  })
  await put('2024-old-judgments.json', {
    judges: ['a', 'b'],
    runtime: { endpoint: 'http://127.0.0.1:1234', python: '3.12' },
    ingestion: { id: 'ing-1', profile: 'old' },
    queries: [
      {
        query_id: 'q1',
        query: 'One?',
        per_judge: { a: { scores: { 'vanilla-rag': 4, 'graph-rag': 1 }, best: 'vanilla-rag' }, b: null },
        mean_by_approach: { 'vanilla-rag': 4, 'graph-rag': 1 },
        votes: { 'vanilla-rag': 1 },
        observed_winner: 'vanilla-rag',
      },
    ],
  })
  await writeFile(join(root, 'results/torn-smoke-evidence.jsonl'), '{"schema_version":1')
  engine = await startEngine(root)
})
afterAll(async () => {
  expect(await engine.stop()).toBe(0)
  await rm(root, { recursive: true, force: true })
})

it('a snapshot without status, dataset and modern runtime has its cells, coverage and judges on the pages', async () => {
  const { client } = engine
  await expect
    .poll(async () => (await client.runs.list({})).runs.map(({ run_id }) => run_id), { timeout: 20_000 })
    .toContain(OLD.run_id)
  const page = await client.matrix.page({ ...OLD, metric: 'judge_mean' })
  expect(page.rows).toHaveLength(2)
  const cells = page.rows.flatMap((row) => row.cells.flatMap((cell) => cell ?? []))
  expect(
    cells
      .map(({ judge_mean }) => judge_mean)
      .filter((mean) => mean !== null)
      .toSorted(),
  ).toEqual([1, 4])
  const coverage = await client.coverage.get(OLD)
  expect(coverage.aliases.map(({ model, cells: { ok, error } }) => [model, ok, error])).toEqual(
    expect.arrayContaining([
      ['vanilla-rag', 2, 0],
      ['graph-rag', 0, 1],
    ]),
  )
  // Blind voting comes first; a person may look at once instead.
  await client.judges.reveal(OLD)
  const judged = await client.judges.results(OLD)
  expect(JSON.stringify(judged)).toContain('vanilla-rag')
  const cell = await client.cells.get({ row_id: cells[0]!.row_id, run_id: OLD.run_id })
  expect(JSON.stringify(cell)).toContain('historical')
})
