import { EvaluationMetric } from '../../../contract/common.ts'
import { AnswerMetric } from '../../../contract/evidence/answer-scores.ts'
import { RetrievalMetric } from '../../../contract/evidence/retrieval-scores.ts'
import type { Metric } from '../../../contract/metrics/metric.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { hasShortAnswer } from '../../../contract/short-answers.ts'
import { isExcludedAnswer } from '../../../core/evidence/excluded-answer.ts'
import { UNGRADABLE } from '../../../core/evidence/gap-reasons.ts'
import type { FigureRow } from '../../evidence/rows/interned-rows.ts'
import { gradingWord } from './grading-refusal.ts'

/** A score of an answer or its contexts; the names of the classes do not overlap. */
export type ScoreMetric = EvaluationMetric | RetrievalMetric | AnswerMetric

/** ragas: graded by models. retrieval: contexts against gold evidence. answer: the answer against its ground truth. */
export const SCORE_CLASSES = ['ragas', 'retrieval', 'answer'] as const
export type ScoreClass = (typeof SCORE_CLASSES)[number]

/** Returns true when rows hold the metric's scores; judges' grades and costs are elsewhere. */
export const isScoreOfCells = (metric: Metric | undefined): boolean =>
  (SCORE_CLASSES as readonly (string | undefined)[]).includes(metric?.class)

/** Returns true when a metric scores short answers, which few datasets have. */
export const isOfShortAnswers = (metric: ScoreMetric): boolean => {
  const { needs }: Metric = metricOfId(metric)
  return needs.includes('short_answer')
}

/** The metrics of each class, in the order of every artifact. */
export const METRICS_OF = {
  ragas: EvaluationMetric.options,
  retrieval: RetrievalMetric.options,
  answer: AnswerMetric.options,
} as const satisfies Record<ScoreClass, readonly ScoreMetric[]>

export const SCORE_METRICS: readonly ScoreMetric[] = SCORE_CLASSES.flatMap(
  (name): readonly ScoreMetric[] => METRICS_OF[name],
)

export const forEachKey = <Key extends string, Value>(keys: readonly Key[], value: (key: Key) => Value) =>
  Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<Key, Value>

/** Describes how one cell counts in one metric. */
export type MetricOutcome =
  | { kind: 'scored'; score: number }
  | { kind: 'error' | 'timeout' | 'unevaluable'; reason: string }
  | { kind: 'disabled' | 'not_run' }

const NOT_RUN: MetricOutcome = { kind: 'not_run' }
const DISABLED: MetricOutcome = { kind: 'disabled' }
const NOT_IN_EARLIER_ROWS: MetricOutcome = { kind: 'unevaluable', reason: 'not_in_earlier_rows' }

/** Evaluators name a timeout of one metric in words of their own. */
const TIMEOUT_WORD = /time[d]?[\s_-]?out/i

/** Request Timeout and Gateway Timeout, as the start of a row's message. */
const TIMEOUT_STATUS = /^HTTP (?:408|504)\b/

const failure = (reason: string): MetricOutcome => ({ kind: TIMEOUT_WORD.test(reason) ? 'timeout' : 'error', reason })

const scored = (score: number): MetricOutcome =>
  Number.isFinite(score) ? { kind: 'scored', score } : failure('score_not_finite')

/** Returns what a row records for a metric. A score that is not a finite number is an error, never a value. */
export function metricOutcome(row: FigureRow, metric: ScoreMetric): MetricOutcome {
  const { class: metricClass } = metricOfId(metric)
  if (isExcludedAnswer(row)) return { kind: 'unevaluable', reason: 'answer_cut' }
  if (metricClass === 'retrieval') return retrievalOutcome(row, metric as RetrievalMetric)
  return metricClass === 'answer'
    ? answerOutcome(row, metric as AnswerMetric)
    : ragasOutcome(row, metric as EvaluationMetric)
}

function ragasOutcome(row: FigureRow, metric: EvaluationMetric): MetricOutcome {
  const { ragas } = row.metrics
  if (row.status !== 'ok' || ragas.status === 'not_run') return NOT_RUN
  if (ragas.status === 'disabled' || !ragas.requested.includes(metric)) return DISABLED
  // A repeated prompt is faithful to its contexts, and no answer. Other metrics of contexts do not read it.
  if (row.metrics.operational.is_repeated_prompt === true && !metric.startsWith('context_'))
    return { kind: 'unevaluable', reason: 'prompt_repeated' }
  const score = ragas.scores[metric]
  if (score !== undefined) return scored(score)
  const missing = ragas.not_evaluable[metric]
  if (missing !== undefined) return { kind: 'unevaluable', reason: missing }
  const word = gradingWord(ragas.metric_errors[metric] ?? ragas.error_type, row.trace, ragas.error)
  if (word !== undefined && UNGRADABLE.has(word)) return { kind: 'unevaluable', reason: word }
  // Rows of before kept a timeout that the evaluator's side reported as an HTTP error.
  if (word === 'http_error' && TIMEOUT_STATUS.test(ragas.error ?? '')) return { kind: 'timeout', reason: 'timeout' }
  return failure(word ?? 'score_missing_or_null')
}

// Computed here and not by a service, so it never times out.
function retrievalOutcome(row: FigureRow, metric: RetrievalMetric): MetricOutcome {
  const { retrieval } = row.metrics
  if (row.status !== 'ok' || retrieval.status === 'not_run') return NOT_RUN
  const descriptor: Metric = metricOfId(metric)
  const stored = descriptor.class === 'retrieval' ? descriptor.stored : undefined
  // A metric that came later may be unknown for rows of before, also where they found nothing: zeros alone would be its mean.
  const score = retrieval.scores[metric] ?? stored?.(retrieval)
  if (retrieval.reason === NO_CONTEXTS)
    return stored !== undefined && score === undefined ? NOT_IN_EARLIER_ROWS : withoutContexts(row)
  if (retrieval.status === 'not_evaluable') return { kind: 'unevaluable', reason: retrieval.reason ?? 'unknown' }
  if (score !== undefined) return scored(score)
  return stored === undefined ? failure('score_missing_or_null') : NOT_IN_EARLIER_ROWS
}

const NO_CONTEXTS = 'retrieved_contexts_required'

/** Returns true when the approach retrieved nothing, which every retrieval metric scores 0. */
export const foundNothing = (row: FigureRow): boolean =>
  row.status === 'ok' && row.metrics.retrieval.reason === NO_CONTEXTS && withoutContexts(row).kind === 'scored'

/**
 * An approach that could report passages and did not: the number that it used distinguishes a retriever that found nothing, which scores 0, from one
 * whose evidence stays elsewhere. An answer-only approach has this reason only where its engine reports what it used.
 */
function withoutContexts({ metrics, question }: FigureRow): MetricOutcome {
  const chunks = metrics.operational.server?.chunks
  if (chunks === undefined || question.gold.length === 0) return { kind: 'unevaluable', reason: NO_CONTEXTS }
  return chunks === 0 ? { kind: 'scored', score: 0 } : { kind: 'unevaluable', reason: 'evidence_not_handed_over' }
}

function answerOutcome(row: FigureRow, metric: AnswerMetric): MetricOutcome {
  const { answer } = row.metrics
  if (row.status !== 'ok' || answer?.status === 'not_run') return NOT_RUN
  if (answer === undefined) return DISABLED
  const score = answer.scores[metric]
  if (score !== undefined) return scored(score)
  const { answerable, ground_truth, answer_keys } = row.question
  const unevaluable = (reason: string): MetricOutcome => ({ kind: 'unevaluable', reason })
  const { needs }: Metric = metricOfId(metric)
  const isOfUnanswerable = needs.includes('unanswerable_question')
  if (isOfUnanswerable && answer.reason === 'refusal_unknown') return unevaluable('refusal_unknown')
  if (isOfUnanswerable) return answerable ? unevaluable('question_is_answerable') : failure('score_missing_or_null')
  if (!answerable) return unevaluable('question_is_unanswerable')
  if (needs.includes('ground_truth') && ground_truth === null) return unevaluable('ground_truth_required')
  if (needs.includes('answer_keys') && answer_keys.length === 0) return unevaluable('answer_keys_required')
  if (isOfShortAnswers(metric))
    return hasShortAnswer(row.question) ? NOT_IN_EARLIER_ROWS : unevaluable('short_answer_required')
  return failure('score_missing_or_null')
}
