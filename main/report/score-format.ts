import type { MetricState } from '../../contract/index.ts'

/** The same signs on every surface; never colour alone. */
export const STATE_SIGNS: Readonly<Record<MetricState, string>> = {
  ok: '●',
  partial: '◐',
  not_evaluable: '○',
  error: '▲',
  timeout: '⏱',
  disabled: '–',
  not_run: '✕',
}

export const STATE_WORDS: Readonly<Record<MetricState, string>> = {
  ok: 'ok',
  partial: 'partial',
  not_evaluable: 'not evaluable',
  error: 'error',
  timeout: 'timeout',
  disabled: 'disabled',
  not_run: 'not run',
}

const REASON_WORDS: Readonly<Record<string, string>> = {
  answer_only: 'the approach answers without contexts',
  retrieved_contexts_required: 'no context was retrieved',
  evidence_not_handed_over: 'the answer rests on evidence that is not handed over as contexts, such as the graph',
  cell_failed: 'the cell failed',
  score_missing_or_null: 'the evaluator gave no score',
  score_not_numeric: 'the score is no number',
  score_not_finite: 'the score is not finite',
  no_statements: 'the answer claims nothing, as a refusal does',
  refusal_unknown: 'neither a rule nor a model could tell whether the answer refuses',
  http_error: 'the evaluator answered with an HTTP error',
  network_error: 'the evaluator could not be reached',
  invalid_response: "the evaluator's answer has the wrong shape",
}

/** A reason's code in words; an evaluator's own words stay as they are. */
export const reasonWords = (code: string): string => REASON_WORDS[code] ?? code
