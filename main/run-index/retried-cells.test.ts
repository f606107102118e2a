import { appendFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import { evidenceBytes } from '../../tests/helpers/report-project.ts'
import { failedRow, sampleRow } from '../../tests/helpers/evidence-rows.ts'
import { contentOf, freshContent, indexFolders, openIndex } from '../../tests/helpers/run-index.ts'

const QUESTIONS = ['q1', 'q2', 'q3', 'q4']
const first = QUESTIONS.map((question) => (question === 'q1' ? sampleRow({ question }) : failedRow({ question })))
const second: CanonicalRow[] = [
  sampleRow({ question: 'q2', retry: 1, answer: 'the second try of the keeper' }),
  failedRow({ question: 'q3', retry: 1, httpStatus: null }),
]
const third = [sampleRow({ question: 'q3', retry: 2 })]

interface Counts {
  cells: number
  ok: number
  error: number
  tallied: number
  searchable: number
}

it.each(['block by block', 'at once'])('an index counts a cell that was tried again once, read %s', async (how) => {
  const folders = await indexFolders()
  const evidence = join(folders.results, 'run-1-baseline_curated-evidence.jsonl')
  const index = openIndex(folders)
  const counts = (): Counts =>
    index.db
      .prepare<[], Counts>(
        `SELECT (SELECT count(*) FROM cells) AS cells, ok, error, (SELECT sum(cells) FROM cell_tallies) AS tallied,
           (SELECT count(*) FROM answer_text WHERE answer_text MATCH 'second') AS searchable FROM dataset_runs`,
      )
      .get()!
  if (how === 'at once') await writeFile(evidence, evidenceBytes([...first, ...second, ...third]))
  else
    for (const [rows, expected] of [
      [first, { cells: 4, ok: 1, error: 3, tallied: 4, searchable: 0 }],
      [second, { cells: 4, ok: 2, error: 2, tallied: 4, searchable: 1 }],
      [third, { cells: 4, ok: 3, error: 1, tallied: 4, searchable: 1 }],
    ] as const) {
      await appendFile(evidence, evidenceBytes(rows))
      await index.sync()
      expect(counts()).toEqual(expected)
      expect(await index.verify()).toMatchObject({ ok: true, problems: [] })
    }
  await index.sync()
  expect(counts()).toEqual({ cells: 4, ok: 3, error: 1, tallied: 4, searchable: 1 })
  expect(await index.verify()).toMatchObject({ ok: true, rows: 7 })
  expect(contentOf(index.db)).toEqual(await freshContent(folders))
  const empty = index.db.prepare('SELECT count(*) FROM cell_tallies WHERE cells <= 0').pluck().get()
  expect(empty).toBe(0)
})

it('a row that would replace an answer is damage, not a cell', async () => {
  const folders = await indexFolders()
  const evidence = join(folders.results, 'run-1-baseline_curated-evidence.jsonl')
  await writeFile(evidence, evidenceBytes([sampleRow({ question: 'q1' }), failedRow({ question: 'q1', retry: 1 })]))
  const index = openIndex(folders)
  expect((await index.sync()).damaged).toMatchObject([{ path: evidence, damage: { line: 2 } }])
})
