import { abstention } from './abstention.ts'
import { answerRelevancy } from './answer-relevancy.ts'
import { contextPrecision } from './context-precision.ts'
import { contextRecall } from './context-recall.ts'
import { faithfulness } from './faithfulness.ts'
import { hitAt5 } from './hit-at-5.ts'
import { judgeMean } from './judge-mean.ts'
import { latencyMs } from './latency-ms.ts'
import { mrrAt10 } from './mrr-at-10.ts'
import { ndcgAt10 } from './ndcg-at-10.ts'
import { pointsCovered } from './points-covered.ts'
import { recallAt5 } from './recall-at-5.ts'
import { tokenF1 } from './token-f1.ts'
import type { Metric } from './metric.ts'

/** Every metric, in the order of every artifact and table: classes stay together. */
export const METRICS = [
  faithfulness,
  answerRelevancy,
  contextPrecision,
  contextRecall,
  hitAt5,
  recallAt5,
  mrrAt10,
  ndcgAt10,
  tokenF1,
  pointsCovered,
  abstention,
  judgeMean,
  latencyMs,
] as const

export type MetricId = (typeof METRICS)[number]['id']

/** Ids of a class's metrics. */
type IdOf<Class> = Extract<(typeof METRICS)[number], { class: Class }>['id']
const idsOf = <Class extends Metric['class']>(name: Class): [IdOf<Class>, ...IdOf<Class>[]] =>
  METRICS.filter((metric) => metric.class === name).map(({ id }) => id) as [IdOf<Class>, ...IdOf<Class>[]]

export const EVALUATION_METRICS = idsOf('ragas')
export const RETRIEVAL_METRICS = idsOf('retrieval')
export const ANSWER_METRICS = idsOf('answer')

const BY_ID = new Map<MetricId, Metric>(METRICS.map((metric) => [metric.id, metric]))

export const metricOfId = (id: MetricId): Metric => BY_ID.get(id)!

/** A metric's name for people: the same words in tables, reports, pages and help. */
export const METRIC_LABELS = Object.fromEntries(METRICS.map(({ id, label }) => [id, label])) as {
  [Each in (typeof METRICS)[number] as Each['id']]: Each['label']
}
