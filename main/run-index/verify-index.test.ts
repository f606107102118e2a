import { appendFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { writeRun } from '../../tests/helpers/report-project.ts'
import { fixtureDataset, goldenJudgments } from '../../tests/helpers/report-rows.ts'
import { indexFolders, openIndex } from '../../tests/helpers/run-index.ts'

const dataset = fixtureDataset('alpha', 'Alpha', 1)

it.each<[string, string, string]>([
  ['a cell that is gone', 'DELETE FROM cells WHERE id = 3', 'counts_differ'],
  ['an offset that is wrong', 'UPDATE cells SET offset = offset + 1 WHERE id = 3', 'rows_differ'],
  ['a length that is wrong', 'UPDATE cells SET length = length - 1 WHERE id = 3', 'rows_differ'],
  ['a row id that is wrong', `UPDATE cells SET row_id = x'00' WHERE id = 3`, 'rows_differ'],
  ['a count that is wrong', 'UPDATE dataset_runs SET error = error + 1', 'counts_differ'],
  ['a question that is gone', 'DELETE FROM dataset_run_questions WHERE position = 2', 'counts_differ'],
  ['a column with a wrong count', `UPDATE column_tallies SET cells = cells + 1 WHERE state <> 1`, 'counts_differ'],
  ['a column that is gone', `DELETE FROM column_tallies WHERE metric = 'judge_mean'`, 'counts_differ'],
  ['an answer that cannot be searched', 'DELETE FROM answer_text WHERE rowid = 3', 'counts_differ'],
  ['a hash that is wrong', `UPDATE artifacts SET sha256 = 'x' WHERE kind = 'evidence'`, 'hash_differs'],
  ['a file that is not known', `DELETE FROM artifacts WHERE kind = 'matrix'`, 'not_indexed'],
])('finds %s', async (_name, sql, code) => {
  const folders = await indexFolders()
  await writeRun(folders.results, dataset, goldenJudgments(dataset))
  const index = openIndex(folders)
  await index.sync()
  expect(await index.verify()).toMatchObject({ ok: true, files: 4, problem_count: 0 })
  index.db.exec(sql)
  const { ok, problems } = await index.verify()
  expect(ok).toBe(false)
  expect(problems.map((problem) => problem.code)).toContain(code)
})

it('verification reports what the next sync would repair', async () => {
  const folders = await indexFolders()
  const { files } = await writeRun(folders.results, dataset)
  const index = openIndex(folders)
  await index.sync()
  await appendFile(files.evidence, '{"later":true}\n')
  await writeFile(files.evaluation, '{}')
  await rm(files.matrix)
  await writeFile(join(folders.results, 'new-matrix.json'), '{"cells":[]}')
  const { problems } = await index.verify()
  expect(problems.map(({ path, code }) => [path, code]).sort()).toEqual(
    [
      [files.evidence, 'outdated'],
      [files.evaluation, 'hash_differs'],
      [files.matrix, 'missing_file'],
      [join(folders.results, 'new-matrix.json'), 'not_indexed'],
    ].sort(),
  )
})
