// Why a cell has no value of a metric: the codes of stored results in words, the same in reports, command line and pages.
import type { EvidenceCapability } from '../../contract/common.ts'

/** Gaps that a question has for every approach alike: they do not distinguish one from another. */
export const GAPS_OF_QUESTIONS = {
  gold_evidence_required: 'without gold evidence',
  ground_truth_required: 'without ground truth',
  answer_keys_required: 'without points to cover',
  short_answer_required: 'without a short answer',
  question_is_answerable: 'with an answer',
  question_is_unanswerable: 'without an answer',
} as const

/** Gaps of an approach in a metric, without those that a question has for all approaches alike. */
export const gapsOfApproach = (summary: {
  expected: number
  scored: number
  /** Null as long as the run is not summed up. */
  unevaluable_by_reason: Readonly<Record<string, number>> | null
}): number =>
  Object.keys(GAPS_OF_QUESTIONS).reduce(
    (gaps, reason) => gaps - (summary.unevaluable_by_reason?.[reason] ?? 0),
    summary.expected - summary.scored,
  )

/** A model that was to grade and wrote no JSON object, also after it was asked again. */
export const NO_JSON = 'the model did not write JSON'

/** Words of an evaluator that worked: the answer, or the kind of evaluator, has nothing that could be graded. A further evaluation says the same. */
export const UNGRADABLE: ReadonlySet<string> = new Set(['no_statements', 'needs_language_model'])

const REASON_WORDS: Readonly<Record<string, string>> = {
  answer_only: 'the approach answers without contexts',
  retrieved_contexts_required: 'no context was retrieved',
  evidence_not_handed_over: 'the answer rests on evidence that is not handed over as contexts, such as the graph',
  not_in_earlier_rows: 'rows of earlier versions do not hold it',
  answer_cut: 'the answer was cut at the limit of tokens of the model, and the run leaves such answers out',
  prompt_repeated: 'the answer repeats its prompt and holds no text of its own',
  cell_failed: 'the call failed',
  score_missing_or_null: 'the evaluator gave no score',
  score_not_numeric: 'the score is not a number',
  score_not_finite: 'the score is not finite',
  no_statements: 'the answer claims nothing, as a refusal does',
  needs_language_model: 'not evaluable with rule models: the metric needs a language model as evaluator',
  citations_required: 'the answer has no citations that can be checked against its contexts',
  refusal_unknown: 'neither a rule nor a model could decide whether the answer refuses',
  // Names of errors that evaluators send, ours and those that speak the same protocol.
  CriticReplyError: NO_JSON,
  CriticShapeError: 'the model wrote JSON of another form than was asked for',
  CriticCutError: 'the reply of the model was cut at its limit of tokens',
  TimeoutError: 'the model did not answer in time',
  RateLimitError: 'the service of the model limits its requests',
  QuotaError: 'the credit at the service of the model is used up',
  ConnectionError: 'the service of the model could not be reached',
  AuthenticationError: 'the service of the model refused the key',
  UpstreamError: 'the service of the model failed',
  InvalidResponseError: 'the service of the model sent no valid answer',
  ContentFilterError: 'a filter of the service withheld the reply',
  RefusalError: 'the model refused to grade',
  BadRequestError: 'the service of the model rejected the request',
  ContextLengthError: 'the request is longer than the model can read',
  http_error: 'the evaluator answered with an HTTP error',
  network_error: 'the evaluator could not be reached',
  invalid_response: "the evaluator's answer has the wrong shape",
}

/**
 * A reason's code in words; an evaluator's own words stay as they are. One fact, one reason: an approach that answers without contexts retrieved none
 * either, also where its engine reports passages as used, so its own reason takes the place of theirs.
 */
export function reasonWords(code: string, evidence: EvidenceCapability | null = null): string {
  const known = evidence === 'answer_only' && code === 'retrieved_contexts_required' ? 'answer_only' : code
  if (REASON_WORDS[known] !== undefined) return REASON_WORDS[known]
  const [, name = '', said] = /^(QuotaError|AuthenticationError)(: .*)$/s.exec(code) ?? []
  return said === undefined ? code : `${REASON_WORDS[name]}${said}`
}
