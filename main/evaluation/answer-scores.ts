import type { AnswerMetric, AnswerScores, Refusal } from '../../contract/evidence/answer-scores.ts'
import type { RowQuestion } from '../../contract/evidence/canonical-row.ts'
import type { AnswerEvidence, Metric, MetricNeed } from '../../contract/metrics/metric.ts'
import { METRICS } from '../../contract/metrics/metrics.ts'
import { refusedByRule } from '../../core/refused-by-rule.ts'
import { hasShortAnswer } from '../../contract/short-answers.ts'

type Question = Pick<RowQuestion, 'ground_truth' | 'answerable' | 'answer_keys' | 'forbidden_answers'>

export const answerNotRun = (): AnswerScores => ({ status: 'not_run', scores: {}, reason: 'cell_failed' })

/** Returns what of its needs a question declares. An unanswerable one is scored by nothing but whether its answer refuses. */
export const declaredBy = ({ ground_truth, answerable, answer_keys }: Question): ReadonlySet<MetricNeed> =>
  answerable
    ? new Set([
        ...(ground_truth === null ? [] : (['ground_truth'] as const)),
        ...(answer_keys.length === 0 ? [] : (['answer_keys'] as const)),
        ...(hasShortAnswer({ ground_truth, answer_keys }) ? (['short_answer'] as const) : []),
      ])
    : new Set(['unanswerable_question'])

/** The metrics of class `answer` that the question declares everything for, by the formulas of their files. */
function scoresOf(evidence: AnswerEvidence, question: Question): AnswerScores['scores'] {
  const declared = declaredBy(question)
  const scores: AnswerScores['scores'] = {}
  for (const metric of METRICS as readonly Metric[])
    if (metric.class === 'answer' && metric.needs.every((need) => declared.has(need)))
      scores[metric.id as AnswerMetric] = metric.score(evidence)
  return scores
}

/** Scores an answer against what its question declares. Whether it refuses is a state beside the scores and changes none of them. */
export function scoreAnswer(answer: string, question: Question): AnswerScores {
  const refusal: Refusal = { refused: refusedByRule(answer), decided_by: 'rule' }
  if (!question.answerable) return abstentionOf(refusal)
  const { ground_truth: groundTruth, answer_keys: answerKeys, forbidden_answers: forbidden = [] } = question
  const evidence = { answer, groundTruth: groundTruth ?? '', answerKeys, forbidden, refused: false }
  const scores = scoresOf(evidence, question)
  const isScored = Object.keys(scores).length > 0
  return {
    status: isScored ? 'ok' : 'not_evaluable',
    scores,
    reason: isScored ? null : 'ground_truth_required',
    refusal,
  }
}

const UNANSWERABLE: Question = { ground_truth: null, answerable: false, answer_keys: [] }

function abstentionOf(refusal: Refusal): AnswerScores {
  const { refused } = refusal
  if (refused === null) return { status: 'not_evaluable', scores: {}, reason: 'refusal_unknown', refusal }
  const scores = scoresOf({ answer: '', groundTruth: '', answerKeys: [], refused }, UNANSWERABLE)
  return { status: 'ok', scores, reason: null, refusal }
}

/** The scores when a language model has decided whether the answer refuses. */
export function withModelRefusal(scores: AnswerScores, refused: boolean, answerable: boolean): AnswerScores {
  const refusal: Refusal = { refused, decided_by: 'model' }
  return answerable ? { ...scores, refusal } : abstentionOf(refusal)
}
