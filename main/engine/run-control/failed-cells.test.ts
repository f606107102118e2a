import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { identityOf, sampleReproducibility, sampleRow } from '../../../tests/helpers/evidence-rows.ts'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { evidenceBytes } from '../../../tests/helpers/report-project.ts'
import { ALIASES, evaluation, fixtureRow, wideDataset } from '../../../tests/helpers/report-rows.ts'
import { fileStore } from '../../evidence/evidence-store.ts'
import { rowId, rowKeyOf } from '../../evidence/rows/row-id.ts'
import { withEvaluation } from '../../runner/cells/build-row.ts'
import { countFailures, takeOverRows } from './failed-cells.ts'

it('an answer whose grading was refused is graded again by the evaluator that graded the others', async () => {
  const folder = await temporaryFolder('failed-cells')
  const [source, target] = [join(folder, 'one.jsonl'), join(folder, 'two.jsonl')]
  const by = (model: string) => {
    const { runtime, ...rest } = sampleReproducibility()
    const models = { set: 'own', roles: { evaluator: { backend: 'openai', model } } }
    return { ...rest, runtime: { ...runtime, models } }
  }
  const graded = sampleRow({ question: 'q1', reproducibility: by('y') })
  const refused = withEvaluation(sampleRow({ question: 'q0', reproducibility: by('x') }), {
    ...graded.metrics.ragas,
    status: 'error',
    scores: {},
    error_type: 'access_refused',
    error: 'HTTP 402',
  })
  await writeFile(source, evidenceBytes([refused, graded]))
  const place = { runId: 'two', datasetId: graded.dataset.id }
  const { signal } = new AbortController()
  await takeOverRows({ source, target, ...place, store: fileStore, classes: ['evaluation_error'], signal })
  const opened = await fileStore.open({ file: target, ...place, create: false })
  if (!opened.ok) throw new Error('the log cannot be opened')
  onTestFinished(() => opened.log.close())
  const [kept] = await Array.fromAsync(opened.log.rows())
  const cell = { ...refused, run_id: 'two', row_id: rowId({ ...rowKeyOf(refused), run_id: 'two' }) }
  const { reproducibility } = kept!
  expect(await opened.log.planResume([{ ...identityOf(cell), reproducibility }])).toMatchObject({
    answered: [cell.row_id],
    conflicts: [],
  })
})

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
