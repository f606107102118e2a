import { writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import { asker, dataset, rows, run } from '../../tests/helpers/golden-index.ts'
import { evidenceBytes, writeRun } from '../../tests/helpers/report-project.ts'
import { goldenContext, goldenJudgments, streamOf } from '../../tests/helpers/report-rows.ts'
import { contentOf, freshContent, indexFolders, openIndex } from '../../tests/helpers/run-index.ts'
import { rowId, rowKeyOf } from '../evidence/rows/row-id.ts'
import { readJudgments } from '../report/aggregate/judge-input.ts'
import { writeArtifacts } from '../report/publication/write-artifacts.ts'

/** The second answers of a run: as the first, but without a value where `score` returns null. */
function again(row: CanonicalRow, score: (row: CanonicalRow) => number | null): CanonicalRow {
  const value = score(row)
  const repeated = { ...row, repeat: 2 }
  if (repeated.metrics.ragas.scores.faithfulness !== undefined && value !== null)
    repeated.metrics = {
      ...row.metrics,
      ragas: { ...row.metrics.ragas, scores: { ...row.metrics.ragas.scores, faithfulness: value } },
    }
  return { ...repeated, row_id: rowId(rowKeyOf(repeated)) }
}

/** An index of a judged run in which every question was asked twice. */
async function askedTwice() {
  const folders = await indexFolders()
  const { files } = await writeRun(folders.results, dataset, goldenJudgments(dataset))
  const all = [...rows, ...rows.map((row) => again(row, () => 0.25))]
  await writeFile(files.evidence, evidenceBytes(all))
  const judge = await readJudgments(files.judgments)
  await writeArtifacts(files, streamOf(all), { ...goldenContext(dataset), judge, repeats: 2 })
  const index = openIndex(folders)
  const { damaged } = await index.sync()
  return { folders, index, damaged, all, ask: asker(index) }
}

it('each repetition of a question is a row of its own, next to the others', async () => {
  const { folders, index, damaged, all, ask } = await askedTwice()
  expect(damaged).toEqual([])
  expect(await index.verify()).toMatchObject({ ok: true, rows: all.length })
  const outcome = ask('matrixPage', { ...run, metric: 'faithfulness' })
  if (!outcome.ok) throw new Error(outcome.message)
  const { page } = outcome
  expect(page.rows.map(({ question_id, repeat }) => [question_id, repeat])).toEqual(
    dataset.questions.flatMap(({ id }) => [
      [id, 1],
      [id, 2],
    ]),
  )
  const column = page.aliases.indexOf('vanilla-rag')
  for (const { question_id, repeat, cells } of page.rows) {
    const row = all.find(
      (each) =>
        each.question.id === question_id && each.approach.model === 'vanilla-rag' && (each.repeat ?? 1) === repeat,
    )
    expect(cells[column]?.row_id).toBe(row?.row_id)
    expect(cells[column]?.value ?? null).toBe(row?.metrics.ragas.scores.faithfulness ?? null)
  }
  expect(contentOf(index.db)).toEqual(await freshContent(folders))
})

it('verdicts are joined to the first answers, which are those that judges read', async () => {
  const { index } = await askedTwice()
  const judged = index.db
    .prepare(
      'SELECT q.repeat, count(c.judge_mean) FROM cells c JOIN questions q ON q.id = c.question GROUP BY q.repeat',
    )
    .raw()
    .all()
  expect(judged).toEqual([
    [1, rows.length],
    [2, 0],
  ])
})

it('search finds a question once, however often it was asked', async () => {
  const { ask } = await askedTwice()
  const [{ id, query }] = [dataset.questions[0]!]
  const hits = ask('search', { text: query, limit: 50 }).hits.filter(({ found_in }) => found_in === 'question')
  expect(hits.filter(({ question_id }) => question_id === id)).toHaveLength(1)
})
