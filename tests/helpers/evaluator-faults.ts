import type { EvaluationResult } from '../../contract/evidence/evaluation-result.ts'
import { hang, json, resetMidBody, text, type Behaviour } from './fault-server.ts'

/** An evaluator's answer for the one record that it was asked about. */
export const evaluatorReply = (scores: object, metadata: object = {}): Behaviour =>
  json({ evaluator_model: 'critic', embeddings_model: 'emb', results: [{ record_index: 0, scores, metadata }] })

/** `faithfulness` as a literal that JSON cannot hold. */
const literal = (value: string): Behaviour =>
  text(`{"results":[{"record_index":0,"scores":{"faithfulness":${value}}}]}`, 200, 'application/json')

/** A way in which an evaluator fails when it is asked for faithfulness, and the typed error that a row must then hold. */
export interface EvaluatorFault {
  name: string
  behaviour: Behaviour
  /** States where the error is reported: by the metric, or by the whole call, which is then tried so many times of two. */
  error: { metric: string } | { call: string; attempts: number }
}

const score = (name: string, behaviour: Behaviour, metric: string): EvaluatorFault => ({
  name,
  behaviour,
  error: { metric },
})
const call = (name: string, behaviour: Behaviour, type: string, attempts = 2): EvaluatorFault => ({
  name,
  behaviour,
  error: { call: type, attempts },
})

export const EVALUATOR_FAULTS: readonly EvaluatorFault[] = [
  call('timeout', hang, 'timeout'),
  ...[500, 502, 503, 429].map((status) => call(`HTTP ${status}`, json({ detail: 'x' }, status), 'http_error')),
  ...[504, 408].map((status) => call(`HTTP ${status}`, json({ detail: 'x' }, status), 'timeout')),
  ...[401, 402, 403].map((status) =>
    call(`HTTP ${status}, not repeated`, json({ detail: 'x' }, status), 'access_refused', 1),
  ),
  call('HTTP 400, not repeated', json({ detail: 'records[0]' }, 400), 'http_error', 1),
  call('bad JSON', text('{"results": [', 200, 'application/json'), 'invalid_response'),
  call('HTML', text('<html></html>'), 'invalid_response'),
  call('wrong shape', json({ results: {} }), 'invalid_response'),
  call('result of another record', json({ results: [{ record_index: 7, scores: {} }] }), 'invalid_response'),
  call('connection reset', resetMidBody, 'network_error'),
  score('NaN', literal('NaN'), 'score_not_finite'),
  score('Infinity', literal('Infinity'), 'score_not_finite'),
  score('-Infinity', literal('-Infinity'), 'score_not_finite'),
  score('missing field', evaluatorReply({}), 'score_missing_or_null'),
  score('null', evaluatorReply({ faithfulness: null }), 'score_missing_or_null'),
  score('string score', evaluatorReply({ faithfulness: '0.9' }), 'score_not_numeric'),
  score('boolean score', evaluatorReply({ faithfulness: true }), 'score_not_numeric'),
  score(
    'the evaluator’s own error',
    evaluatorReply({ faithfulness: null }, { metric_errors: { faithfulness: 'TimeoutError' } }),
    'TimeoutError',
  ),
]

/** Returns what a row must hold after the fault; no score at all, in particular no 0. */
export const expectedResult = ({ error }: EvaluatorFault): Partial<EvaluationResult> =>
  'metric' in error
    ? { status: 'error', scores: {}, metric_errors: { faithfulness: error.metric }, attempts: 1 }
    : {
        status: 'error',
        scores: {},
        metric_errors: {},
        error_type: error.call as EvaluationResult['error_type'],
        attempts: error.attempts,
      }
