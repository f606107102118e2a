import { expect, it } from 'vitest'
import {
  ALIASES,
  comparedContext,
  evaluation,
  fixtureRow,
  streamOf,
  wideDataset,
} from '../../tests/helpers/report-rows.ts'
import { aggregateRun } from '../report/aggregate-run.ts'
import { evaluationFailure } from './evaluation-failed.ts'

const dataset = wideDataset('wide', 'Wide', 1)
const failed = evaluation({}, { status: 'error', error_type: 'network_error', error: 'refused' })
const aggregateOf = (scored: number) =>
  aggregateRun(
    streamOf(
      dataset.questions.map((_, index) =>
        fixtureRow(dataset, ALIASES.vanilla, index, index < scored ? {} : { ragas: failed }),
      ),
    ),
    { ...comparedContext(dataset), aliases: [ALIASES.vanilla] },
  )

it('an evaluation that failed for every answer is one sentence with its cause', async () => {
  const failure = evaluationFailure(await aggregateOf(0))!
  expect(failure.message).toMatch(/^wide: none of 24 answers could be evaluated: the evaluator could not be reached\./)
  expect(failure.code).toBe('evaluation_failed')
})

it('a single score, or nothing to evaluate, is no failure of the evaluation', async () => {
  expect(evaluationFailure(await aggregateOf(1))).toBeNull()
  const silent = evaluation(
    {},
    { status: 'error', metric_errors: { faithfulness: 'no_statements', answer_relevancy: 'no_statements' } },
  )
  const rows = dataset.questions.map((_, index) => fixtureRow(dataset, ALIASES.vanilla, index, { ragas: silent }))
  const aggregate = await aggregateRun(streamOf(rows), { ...comparedContext(dataset), aliases: [ALIASES.vanilla] })
  expect(evaluationFailure(aggregate)).toBeNull()
})
