import {
  hasShortAnswer,
  METRICS,
  refusedByRule,
  type AnswerEvidence,
  type AnswerMetric,
  type AnswerScores,
  type Metric,
  type MetricNeed,
  type Refusal,
  type RowQuestion,
} from '../../contract/index.ts'

type Question = Pick<RowQuestion, 'ground_truth' | 'answerable' | 'answer_keys'>

export const answerNotRun = (): AnswerScores => ({ status: 'not_run', scores: {}, reason: 'cell_failed' })

/** What of its needs a question declares. An unanswerable one is scored by nothing but whether its answer refuses. */
const declaredBy = ({ ground_truth, answerable, answer_keys }: Question): ReadonlySet<MetricNeed> =>
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
  const { ground_truth: groundTruth, answer_keys: answerKeys } = question
  const scores = scoresOf({ answer, groundTruth: groundTruth ?? '', answerKeys, refused: false }, question)
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
