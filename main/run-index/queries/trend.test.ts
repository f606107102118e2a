import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { Reproducibility } from '../../../contract/evidence/provenance.ts'
import { RunTrend } from '../../../contract/control/run-index/trend.ts'
import { sampleReproducibility, sampleRow } from '../../../tests/helpers/evidence-rows.ts'
import { asker } from '../../../tests/helpers/golden-index.ts'
import { evidenceBytes } from '../../../tests/helpers/report-project.ts'
import { indexFolders, openIndex } from '../../../tests/helpers/run-index.ts'

const DATASET = 'baseline_curated'

/** Conditions in which a corpus of this digest was ingested; null for rows that do not record it. */
function ingested(digest: string | null, set = 'builtin'): Reproducibility {
  const known = sampleReproducibility()
  return {
    ...known,
    ingestion: digest === null ? null : { ...known.ingestion!, content_digest: digest },
    runtime: { ...known.runtime, models: { set, roles: {} } },
  }
}

interface Stored {
  runId: string
  day: number
  questions?: string[]
  reproducibility?: Reproducibility
  change?: (row: CanonicalRow) => CanonicalRow
}

async function indexOf(runs: Stored[]) {
  const folders = await indexFolders()
  for (const {
    runId,
    day,
    questions = ['q1', 'q2'],
    reproducibility = ingested('one'),
    change = (row: CanonicalRow) => row,
  } of runs) {
    const rows = questions.map((question) =>
      change({ ...sampleRow({ runId, question, reproducibility }), finished_at: `2026-03-0${day}T00:00:00.000Z` }),
    )
    await writeFile(join(folders.results, `${runId}-${DATASET}-evidence.jsonl`), evidenceBytes(rows))
  }
  const index = openIndex(folders)
  await index.sync()
  return asker(index)
}

it('runs of the same questions on the same documents are joined, oldest first, whatever models answered', async () => {
  const ask = await indexOf([
    { runId: 'third', day: 3, reproducibility: ingested('one', 'ollama') },
    { runId: 'first', day: 1 },
    { runId: 'second', day: 2 },
  ])
  const outcome = ask('runTrend', { run_id: 'second', dataset_id: DATASET })
  if (!outcome.ok) throw new Error(outcome.message)
  const trend = RunTrend.parse(outcome.trend)
  expect(trend.comparable.map(({ run_id: id, model_sets: sets }) => [id, sets])).toEqual([
    ['first', ['builtin']],
    ['second', ['builtin']],
    ['third', ['ollama']],
  ])
  expect(trend).toMatchObject({ run_id: 'second', label: 'Baseline', apart: [], older: 0 })
  expect(trend.comparable[0]).toEqual({
    run_id: 'first',
    at: '2026-03-01T00:00:00.000Z',
    questions: 2,
    shared_questions: 2,
    corpora: ['one'],
    model_sets: ['builtin'],
    differs: [],
  })
})

it('runs of other questions, of a changed question or of other documents are apart, each with the reason', async () => {
  const rewritten = (row: CanonicalRow): CanonicalRow =>
    row.question.id === 'q2' ? { ...row, question: { ...row.question, query: 'Which lock is the deepest?' } } : row
  const ask = await indexOf([
    { runId: 'now', day: 5 },
    { runId: 'partial', day: 4, questions: ['q1'] },
    { runId: 'rewritten', day: 3, change: rewritten },
    { runId: 'other-corpus', day: 2, reproducibility: ingested('two') },
    { runId: 'unknown-corpus', day: 1, reproducibility: ingested(null) },
  ])
  const outcome = ask('runTrend', { run_id: 'now', dataset_id: DATASET })
  if (!outcome.ok) throw new Error(outcome.message)
  expect(outcome.trend.comparable.map(({ run_id: id }) => id)).toEqual(['now'])
  expect(
    outcome.trend.apart.map(({ run_id: id, differs, shared_questions: shared, questions }) => [
      id,
      differs,
      shared,
      questions,
    ]),
  ).toEqual([
    ['unknown-corpus', ['corpus_unknown'], 2, 2],
    ['other-corpus', ['corpus'], 2, 2],
    ['rewritten', ['questions'], 1, 2],
    ['partial', ['questions'], 1, 1],
  ])
})

it('the newest 20 runs of each kind are given, and the others are counted', async () => {
  const runs = Array.from({ length: 23 }, (_, index) => ({ runId: `run-${String(index).padStart(2, '0')}`, day: 1 }))
  const ask = await indexOf(runs)
  const outcome = ask('runTrend', { run_id: 'run-22', dataset_id: DATASET })
  if (!outcome.ok) throw new Error(outcome.message)
  expect(outcome.trend.comparable).toHaveLength(20)
  expect(outcome.trend.comparable.at(-1)!.run_id).toBe('run-22')
  expect(outcome.trend.older).toBe(3)
})

it('a run that has no row of the dataset is reported as missing', async () => {
  const ask = await indexOf([{ runId: 'now', day: 5 }])
  expect(ask('runTrend', { run_id: 'now', dataset_id: 'other' })).toMatchObject({ ok: false, code: 'not_found' })
})
