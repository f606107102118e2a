import { describe, expect, it } from 'vitest'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { EvaluationResult } from '../../../contract/evidence/evaluation-result.ts'
import { ALIASES, evaluation, fixtureRow, wideDataset } from '../../../tests/helpers/report-rows.ts'
import { reasonWords } from '../../../core/evidence/gap-reasons.ts'
import { metricOutcome } from './metric-outcome.ts'

const dataset = wideDataset('wide', 'Wide', 1)

/** A row whose approach handed over no context although it can. */
function withoutContexts(chunks: number | null, alias = ALIASES.adaptive): CanonicalRow {
  const row = fixtureRow(dataset, alias, 0)
  row.metrics.retrieval = { status: 'not_evaluable', scores: {}, reason: 'retrieved_contexts_required' }
  row.metrics.operational.server = chunks === null ? null : { seconds: 1, chunks, llm_calls: 1, cloud_calls: 0 }
  return row
}

describe('retrieval without contexts', () => {
  it('scores 0 where nothing was retrieved, and is a state of its own where evidence was used elsewhere', () => {
    expect(metricOutcome(withoutContexts(0), 'recall_at_5')).toEqual({ kind: 'scored', score: 0 })
    expect(metricOutcome(withoutContexts(5), 'recall_at_5')).toEqual({
      kind: 'unevaluable',
      reason: 'evidence_not_handed_over',
    })
    const unknown = { kind: 'unevaluable', reason: 'retrieved_contexts_required' }
    expect(metricOutcome(withoutContexts(null), 'recall_at_5')).toEqual(unknown)
  })

  it('scores 0 for an answer-only approach whose engine reports that it used no passage', () => {
    expect(metricOutcome(withoutContexts(0, ALIASES.graph), 'recall_at_5')).toEqual({ kind: 'scored', score: 0 })
  })
})

describe('a metric that rows of earlier versions do not have', () => {
  const unknown = { kind: 'unevaluable', reason: 'not_in_earlier_rows' }

  it('is read from what they hold of all contexts, and is unknown where they hold nothing of them', () => {
    const row = fixtureRow(dataset, ALIASES.vanilla, 0)
    row.metrics.retrieval = { status: 'ok', scores: { recall_at_5: 0.5 }, reason: null }
    expect(metricOutcome(row, 'facts_found')).toEqual(unknown)
    row.metrics.retrieval.all_contexts = { contexts: 7, recall: 0.75 }
    expect(metricOutcome(row, 'facts_found')).toEqual({ kind: 'scored', score: 0.75 })
    expect(metricOutcome(row, 'mrr_at_10')).toEqual({ kind: 'error', reason: 'score_missing_or_null' })
  })

  it('is 0 where rows record that nothing was found, and unknown where they only lack contexts', () => {
    const row = withoutContexts(0)
    expect(metricOutcome(row, 'facts_found')).toEqual(unknown)
    row.metrics.retrieval.all_contexts = { contexts: 0, recall: 0 }
    expect(metricOutcome(row, 'facts_found')).toEqual({ kind: 'scored', score: 0 })
  })
})

it('an answer that claims nothing, as a refusal does, is not an error of the evaluator', () => {
  const ragas = evaluation({ answer_relevancy: 0.4 }, { metric_errors: { faithfulness: 'no_statements' } })
  expect(metricOutcome(fixtureRow(dataset, ALIASES.vanilla, 0, { ragas }), 'faithfulness')).toEqual({
    kind: 'unevaluable',
    reason: 'no_statements',
  })
})

describe('a grading that the service of the model refused', () => {
  const refused = (word: Partial<EvaluationResult>, error?: string) => {
    const ragas = evaluation({}, { status: 'error', ...word })
    const row = fixtureRow(dataset, ALIASES.vanilla, 0, { ragas })
    const step = { name: 'evaluator: m', kind: 'model', start_ms: 0, duration_ms: 1 } as const
    const trace = error === undefined ? {} : { trace: { level: 'tree' as const, steps: [{ ...step, error }] } }
    return metricOutcome({ ...row, ...trace }, 'faithfulness')
  }
  const said = (status: number, words: string): string =>
    `The model service of role evaluator at http://127.0.0.1:8000 answered HTTP ${status}: ${words}`
  const ofMetric = (word: string) => ({ metric_errors: { faithfulness: word } })
  const whole = { error_type: 'http_error', error: 'HTTP 502: RAG evaluation failed' } as const

  it.each([
    ['RateLimitError', 'QuotaError', said(429, 'You exceeded your current quota, please check your plan.')],
    ['RateLimitError', 'RateLimitError', said(429, 'Rate limit reached for requests')],
    ['RateLimitError', 'RateLimitError', undefined],
    ['BadRequestError', 'QuotaError', said(402, 'Insufficient credits. Add more in your account.')],
    ['BadRequestError', 'QuotaError', said(400, 'Your credit balance is too low to access the API.')],
    ['BadRequestError', 'BadRequestError', said(400, 'Unknown field')],
  ])('%s is %s where the service says so: %s', (word, reason, words) => {
    const outcome = refused(ofMetric(word), words)
    expect(outcome).toMatchObject({
      kind: 'error',
      reason: expect.stringMatching(new RegExp(`^${reason}\\b`)) as string,
    })
  })

  it('is named also where it failed the whole evaluation', () => {
    const reason = 'AuthenticationError: HTTP 401 at http://127.0.0.1:8000: Incorrect API key provided'
    for (const word of [whole, ofMetric('AuthenticationError')])
      expect(refused(word, said(401, 'Incorrect API\nkey provided'))).toEqual({ kind: 'error', reason })
    expect(reasonWords(reason)).toBe(
      'the service of the model refused the key: HTTP 401 at http://127.0.0.1:8000: Incorrect API key provided',
    )
    expect(refused(whole)).toEqual({ kind: 'error', reason: 'http_error' })
  })

  it.each([
    [
      'HTTP 502: RAG evaluation failed: the model call for role evaluator failed: the upstream asks for payment (HTTP 402): Insufficient\ncredits',
      'QuotaError: HTTP 402: Insufficient credits',
    ],
    ['HTTP 401: Incorrect API key', 'AuthenticationError: HTTP 401: Incorrect API key'],
  ])('is named by what the row keeps of it, called or not: %s', (error, reason) => {
    expect(refused({ error_type: 'access_refused', error })).toEqual({ kind: 'error', reason })
  })

  it('does not take the words of the model that answered for those of the evaluator', () => {
    const ofAnswer = said(402, 'Insufficient credits').replace('role evaluator', 'role light_gen')
    expect(refused(ofMetric('BadRequestError'), ofAnswer)).toEqual({ kind: 'error', reason: 'BadRequestError' })
  })
})

describe('timeouts of an evaluator', () => {
  const rowWith = (error_type: 'http_error' | 'timeout', error: string) =>
    fixtureRow(dataset, ALIASES.vanilla, 0, { ragas: evaluation({}, { error_type, error, status: 'error' }) })

  it.each([
    ['http_error', 'HTTP 504: upstream request timeout', 'timeout'],
    ['http_error', 'HTTP 408: slow', 'timeout'],
    ['timeout', 'HTTP 504: slow', 'timeout'],
    ['http_error', 'HTTP 500: HTTP 504 of another', 'error'],
  ] as const)('%s with "%s" counts as %s', (type, message, kind) => {
    expect(metricOutcome(rowWith(type, message), 'faithfulness')).toMatchObject({ kind })
  })
})
