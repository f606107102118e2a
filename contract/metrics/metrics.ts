import { abstention } from './abstention.ts'
import { answerCorrectness } from './answer-correctness.ts'
import { answerRelevancy } from './answer-relevancy.ts'
import { averagePrecisionAt10 } from './average-precision.ts'
import { citationPrecision } from './citation-precision.ts'
import { citationRecall } from './citation-recall.ts'
import { contextPrecision } from './context-precision.ts'
import { contextRecall } from './context-recall.ts'
import { factsFound } from './facts-found.ts'
import { faithfulness } from './faithfulness.ts'
import { hallucinationRate } from './hallucination-rate.ts'
import { hitAt5 } from './hit-at-5.ts'
import { judgeMean } from './judge-mean.ts'
import { latencyMs } from './latency-ms.ts'
import { mrrAt10 } from './mrr-at-10.ts'
import { ndcgAt10 } from './ndcg-at-10.ts'
import { paperExactMatch } from './paper-exact-match.ts'
import { paperF1 } from './paper-f1.ts'
import { pointsCovered } from './points-covered.ts'
import { precisionAt5 } from './precision-at-5.ts'
import { rPrecision } from './r-precision.ts'
import { recallAt5 } from './recall-at-5.ts'
import { strictMatch } from './strict-match.ts'
import { tokenF1 } from './token-f1.ts'
import { durationWords, scoreWords } from '../words.ts'
import type { Metric, ReportPart } from './metric.ts'

/** Every metric, in the order of every artifact and table: classes stay together. */
export const METRICS = [
  faithfulness,
  answerRelevancy,
  contextPrecision,
  contextRecall,
  answerCorrectness,
  hallucinationRate,
  citationRecall,
  citationPrecision,
  factsFound,
  hitAt5,
  recallAt5,
  mrrAt10,
  ndcgAt10,
  precisionAt5,
  rPrecision,
  averagePrecisionAt10,
  tokenF1,
  pointsCovered,
  abstention,
  paperExactMatch,
  paperF1,
  strictMatch,
  judgeMean,
  latencyMs,
] as const

export type MetricId = (typeof METRICS)[number]['id']

type IdOf<Class> = Extract<(typeof METRICS)[number], { class: Class }>['id']
const idsOf = <Class extends Metric['class']>(name: Class): [IdOf<Class>, ...IdOf<Class>[]] =>
  METRICS.filter((metric) => metric.class === name).map(({ id }) => id) as [IdOf<Class>, ...IdOf<Class>[]]

export const EVALUATION_METRICS = idsOf('ragas')
export const RETRIEVAL_METRICS = idsOf('retrieval')
export const ANSWER_METRICS = idsOf('answer')
export const OPERATIONAL_METRICS = idsOf('operational')
export type OperationalMetric = (typeof OPERATIONAL_METRICS)[number]

/** Metrics that can be primary; unless a run declares one of them, the first that it has. */
export const PRIMARY_METRICS = METRICS.filter((metric: Metric) => metric.primary !== undefined)
  .toSorted((a: Metric, b: Metric) => a.primary! - b.primary!)
  .map(({ id }) => id) as [MetricId, ...MetricId[]]

const BY_ID = new Map<MetricId, Metric>(METRICS.map((metric) => [metric.id, metric]))

export const metricOfId = (id: MetricId): Metric => BY_ID.get(id)!

/** True for a graded metric whose score rests on embeddings of the evaluator. */
export const isEmbedded = (id: MetricId): boolean => {
  const metric = metricOfId(id)
  return metric.class === 'ragas' && metric.embeds === true
}

/** Holds what pages show until another metric is chosen: answers of every approach have it, those without contexts too. */
export const FIRST_METRIC = answerRelevancy.id

/** A metric's name for people: the same words in tables, reports, pages and help. */
export const METRIC_LABELS = Object.fromEntries(METRICS.map(({ id, label }) => [id, label])) as {
  [Each in (typeof METRICS)[number] as Each['id']]: Each['label']
}

/** A metric's name in the comparisons of an aggregate and in CSV files. */
export type ArtifactName = (typeof METRICS)[number] extends infer Each
  ? Each extends { artifactName: infer Name }
    ? Name
    : Each extends { id: infer Id }
      ? Id
      : never
  : never

export const artifactNameOf = (metric: Metric): ArtifactName => (metric.artifactName ?? metric.id) as ArtifactName

const BY_ARTIFACT_NAME = new Map<string, Metric>(METRICS.map((metric) => [artifactNameOf(metric), metric]))

/** The metric of a name in an artifact; undefined for one that this version does not have. */
export const metricNamed = (name: string): Metric | undefined => BY_ARTIFACT_NAME.get(name)

const isIn = (part: ReportPart) => (metric: Metric) => metric.report?.parts.includes(part) === true

/** Metrics with a leaderboard, in the order of reports. */
export const REPORTED_METRICS: readonly Metric[] = METRICS.filter(
  (metric: Metric) => metric.report !== undefined,
).toSorted((a: Metric, b: Metric) => a.report!.place - b.report!.place)

/** Metrics of one part of reports, in the order of reports. */
export const metricsIn = (part: ReportPart): readonly Metric[] => REPORTED_METRICS.filter(isIn(part))

const WRITE_SIZE = { score: scoreWords, grade: scoreWords, duration: durationWords } as const satisfies Record<
  Metric['unit'],
  (size: number) => string
>

/** Returns how the size of a metric's value is written: 0.83, or 1.2 s. */
export const sizeWordsOf = (metric: Metric | undefined): ((size: number) => string) =>
  WRITE_SIZE[metric?.unit ?? 'score']
