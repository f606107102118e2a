import { describe, expect, it } from 'vitest'
import type { Judgments } from '../../contract/evidence/judgments.ts'
import { aggregateRun } from '../../tests/helpers/aggregate-run.ts'
import {
  ALIASES,
  comparedContext,
  evaluation,
  fixtureRow,
  streamOf,
  wideDataset,
} from '../../tests/helpers/report-rows.ts'
import { missingColumns, missingJudges, missingNotes, missingWords } from './missing-columns.ts'

const dataset = wideDataset('wide', 'Wide', 1)
const noJson = evaluation(
  {},
  { status: 'error', metric_errors: { faithfulness: 'CriticReplyError', answer_relevancy: 'CriticReplyError' } },
)
const columnsOf = async (ragas: ReturnType<typeof evaluation>, scored: number) => {
  const rows = dataset.questions.map((_, index) =>
    fixtureRow(dataset, ALIASES.vanilla, index, index < scored ? {} : { ragas }),
  )
  return missingColumns(await aggregateRun(streamOf(rows), { ...comparedContext(dataset), aliases: [ALIASES.vanilla] }))
}

describe('a graded metric without a single score', () => {
  it('is missing, with the cause in words', async () => {
    const columns = await columnsOf(noJson, 0)
    expect(columns.map(({ name }) => name)).toEqual(['faithfulness', 'answer_relevancy'])
    expect(missingWords(columns)).toBe('2 graded metrics missing: the model did not write JSON')
    expect(missingNotes(columns)).toEqual([
      'Faithfulness, answer relevancy are missing for every answer: the model did not write JSON.',
    ])
  })

  it('is missing for the answers that the evaluator failed, where others have a score', async () => {
    const columns = await columnsOf(noJson, 8)
    expect(columns.map(({ name, answers }) => ({ name, answers }))).toEqual([
      { name: 'faithfulness', answers: { missing: 16, of: 24 } },
      { name: 'answer_relevancy', answers: { missing: 16, of: 24 } },
    ])
    expect(missingWords(columns)).toBe(
      '16 of 24 answers without faithfulness, answer relevancy: the model did not write JSON',
    )
    expect(await columnsOf(noJson, 24)).toEqual([])
  })

  it('is not missing where a score is no number, as recall of a ground truth that claims nothing, and others have one', async () => {
    const nothing = evaluation({ answer_relevancy: 0.4 }, { metric_errors: { faithfulness: 'score_not_finite' } })
    expect(await columnsOf(nothing, 8)).toEqual([])
    expect((await columnsOf(nothing, 0)).map(({ name }) => name)).toEqual(['faithfulness'])
  })

  it('is no part of a verdict, which rests on the answers that have a score', async () => {
    const rows = dataset.questions.map((_, index) =>
      fixtureRow(dataset, ALIASES.vanilla, index, index < 8 ? {} : { ragas: noJson }),
    )
    const aggregate = await aggregateRun(streamOf(rows), { ...comparedContext(dataset), aliases: [ALIASES.vanilla] })
    expect(aggregate.verdict).not.toHaveProperty('missing')
  })

  it('is not missing where no answer claims anything', async () => {
    const silent = evaluation(
      {},
      { status: 'error', metric_errors: { faithfulness: 'no_statements', answer_relevancy: 'no_statements' } },
    )
    expect(await columnsOf(silent, 0)).toEqual([])
  })

  it('names an evaluator that cannot be reached', async () => {
    const away = evaluation({}, { status: 'error', error_type: 'network_error', error: 'refused' })
    expect(missingWords(await columnsOf(away, 0))).toContain('the evaluator could not be reached')
  })
})

describe('a judge without a verdict', () => {
  const verdict = { scores: { 'vanilla-rag': 4 }, best: 'vanilla-rag' }
  const query = (judges: readonly string[]): Judgments['queries'][number] => ({
    query_id: 'q',
    query: 'Who?',
    per_judge: Object.fromEntries(judges.map((judge) => [judge, verdict])),
    mean_by_approach: {},
    votes: {},
    observed_winner: null,
  })
  const failed = (judge: string, code: 'timeout' | 'invalid_verdict', message: string) => ({
    query_id: 'q',
    judge,
    rotation: 0,
    code,
    message,
    attempts: 2,
  })
  const judgments = (voted: readonly string[], errors: Judgments['errors']): Judgments => ({
    status: 'partial',
    dataset_id: 'wide',
    judges: ['one', 'two'],
    queries: [query(voted)],
    errors,
  })

  it('is missing, and the others are not', () => {
    const errors = [failed('two', 'invalid_verdict', 'it holds no JSON object with "scores"')]
    expect(missingWords(missingJudges(judgments(['one'], errors)))).toBe(
      'judge two missing: the model did not write JSON',
    )
  })

  it('is not missing with one verdict among its failures', () => {
    expect(missingJudges(judgments(['one', 'two'], [failed('two', 'timeout', 'no answer')]))).toEqual([])
  })
})
