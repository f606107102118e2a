import { AnswerMetric, EvaluationMetric, RetrievalMetric, type Metric } from '../../contract/index.ts'

/** A score of an answer or its contexts; the names of the classes do not overlap. */
export type ScoreMetric = EvaluationMetric | RetrievalMetric | AnswerMetric

/** ragas: graded by models. retrieval: contexts against gold evidence. answer: the answer against its ground truth. */
export const SCORE_CLASSES = ['ragas', 'retrieval', 'answer'] as const
export type ScoreClass = (typeof SCORE_CLASSES)[number]

/** Whether rows hold the metric's scores; judges' grades and costs are elsewhere. */
export const isScoreOfCells = (metric: Metric | undefined): boolean =>
  (SCORE_CLASSES as readonly (string | undefined)[]).includes(metric?.class)

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
