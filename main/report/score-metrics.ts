import { AnswerMetric, EvaluationMetric, RetrievalMetric } from '../../contract/index.ts'

/** A score of an answer or its contexts; the names of the classes do not overlap. */
export type ScoreMetric = EvaluationMetric | RetrievalMetric | AnswerMetric

/** ragas: graded by models. retrieval: contexts against gold evidence. answer: the answer against its ground truth. */
export const SCORE_CLASSES = ['ragas', 'retrieval', 'answer'] as const
export type ScoreClass = (typeof SCORE_CLASSES)[number]

/** The metrics of each class, in the order of every artifact. */
export const METRICS_OF = {
  ragas: EvaluationMetric.options,
  retrieval: RetrievalMetric.options,
  answer: AnswerMetric.options,
} as const satisfies Record<ScoreClass, readonly ScoreMetric[]>

export const SCORE_METRICS: readonly ScoreMetric[] = SCORE_CLASSES.flatMap(
  (name): readonly ScoreMetric[] => METRICS_OF[name],
)

/** A value for each key, in the order of the keys. */
export const forEachKey = <Key extends string, Value>(keys: readonly Key[], value: (key: Key) => Value) =>
  Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<Key, Value>
