import { describe, expect, it } from 'vitest'
import type { OtherCell } from '../../../contract/control/cells.ts'
import type { EvaluationResult } from '../../../contract/evidence/evaluation-result.ts'
import { scoreState, valueOf } from './score-state.ts'

const result = (part: Partial<EvaluationResult>): EvaluationResult => ({
  status: 'partial',
  requested: ['faithfulness'],
  scores: {},
  metric_errors: {},
  not_evaluable: {},
  reasons: {},
  evaluator_model: null,
  embeddings_model: null,
  attempts: 1,
  ...part,
})

describe('scoreState', () => {
  it.each([
    ['a time-out of one metric', { metric_errors: { faithfulness: 'TimeoutError' } }, 'timeout'],
    ['a time-out of the whole call', { status: 'error', error_type: 'timeout' }, 'timeout'],
    ['a failure of the whole call', { status: 'error', error_type: 'http_error', error: 'HTTP 500' }, 'error'],
    ['a failure of one metric', { metric_errors: { faithfulness: 'score_not_numeric' } }, 'error'],
    ['an evaluation that was disabled', { status: 'disabled' }, 'disabled'],
    ['a refusal', { metric_errors: { faithfulness: 'no_statements' } }, 'not_evaluable'],
    ['missing contexts', { not_evaluable: { faithfulness: 'retrieved_contexts_required' } }, 'not_evaluable'],
    ['a cell that failed before', { status: 'not_run' }, 'not_run'],
    ['a score', { scores: { faithfulness: 0 } }, 'ok'],
  ] as const)('shows %s as its own state', (_what, part, state) => {
    expect(scoreState(result(part as Partial<EvaluationResult>), 'faithfulness', null).state).toBe(state)
  })

  it('says in words why a grader gave no score, not by the name of its error', () => {
    const { reason } = scoreState(result({ metric_errors: { faithfulness: 'CriticReplyError' } }), 'faithfulness', null)
    expect(reason).toBe('the model did not write JSON')
  })

  it('says of an approach without contexts that it has none, not that it retrieved none: its engine may report passages as used', () => {
    const missing = result({ not_evaluable: { faithfulness: 'retrieved_contexts_required' } })
    const reasonOf = (evidence: 'answer_only' | 'answer_with_contexts') =>
      scoreState(missing, 'faithfulness', evidence).reason
    expect(reasonOf('answer_only')).toBe('the approach answers without contexts')
    expect(reasonOf('answer_with_contexts')).toBe('no context was retrieved')
  })
})

describe('valueOf', () => {
  const cell: OtherCell = {
    model: 'graph-rag',
    base_model: 'graph-rag',
    row_id: 'a'.repeat(64),
    status: 'ok',
    error_type: null,
    evaluation: 'partial',
    latency_ms: 1200,
    scores: { answer_relevancy: 0.12 },
    judge_mean: 4,
    found: null,
  }

  it('has the chosen metric and never another one in its place', () => {
    expect(valueOf(cell, 'recall_at_5')).toBeNull()
    expect(valueOf(cell, 'faithfulness')).toBeNull()
    expect([valueOf(cell, 'answer_relevancy'), valueOf(cell, 'judge_mean'), valueOf(cell, 'latency_ms')]).toEqual([
      0.12, 4, 1200,
    ])
  })
})
