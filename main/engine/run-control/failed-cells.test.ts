import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { evidenceBytes } from '../../../tests/helpers/report-project.ts'
import { ALIASES, evaluation, fixtureRow, wideDataset } from '../../../tests/helpers/report-rows.ts'
import { countFailures } from './failed-cells.ts'

it('counts evaluations that failed, but not metrics that the answer itself leaves without a value', async () => {
  const dataset = wideDataset('wide', 'Wide', 1)
  const failed = (metric_errors: Record<string, string>, error_type: 'timeout' | null = null) =>
    evaluation({ answer_relevancy: 0.5 }, { metric_errors, ...(error_type === null ? {} : { error_type }) })
  const rows = [
    failed({ faithfulness: 'no_statements' }),
    failed({ faithfulness: 'no_statements', answer_relevancy: 'http_error' }),
    failed({ faithfulness: 'http_error' }),
    failed({}, 'timeout'),
    evaluation({ faithfulness: 1, answer_relevancy: 1 }),
  ].map((ragas, index) => fixtureRow(dataset, ALIASES.vanilla, index, { ragas }))
  const folder = await temporaryFolder('failed-cells')
  const file = join(folder, 'evidence.jsonl')
  await writeFile(file, evidenceBytes(rows))
  expect(await countFailures([file])).toEqual([
    { class: 'evaluation_error', cells: 2 },
    { class: 'evaluation_timeout', cells: 1 },
  ])
})
