// Access to the figures of an aggregate by the name of a metric, an approach or a pair.
import type { EvaluationMetric } from '../../../contract/common.ts'
import type {
  Aggregate,
  ApproachSummary,
  ComparedMetric,
  HopSummary,
  MetricSummary,
} from '../../../contract/evidence/aggregate.ts'
import type { AnswerMetric } from '../../../contract/evidence/answer-scores.ts'
import type {
  ConfidenceInterval,
  Estimate,
  PairComparison,
  PairDecision,
  VarianceComponent,
  VarianceComponents,
} from '../../../contract/evidence/statistics.ts'
import type { ArtifactName } from '../../../contract/metrics/metrics.ts'
import { BASELINE } from '../../../contract/approaches.ts'
import { isTestedPair } from '../../../contract/evidence/statistics.ts'
import { isOfShortAnswers, METRICS_OF, type ScoreMetric } from './metric-outcome.ts'

type ByMetric<Value> = Partial<Record<ComparedName, Value>>

/** The scores of a metric of an approach; undefined when it was not requested, or is not a score of single cells. */
export function metricOf(approach: ApproachSummary, metric: ComparedName): MetricSummary | undefined {
  const all: ByMetric<MetricSummary> = { ...approach.ragas, ...approach.retrieval, ...approach.answer }
  return all[metric]
}

/** A metric of the questions of one hop count. */
export function hopMetricOf(group: HopSummary, metric: ScoreMetric): HopSummary['ragas'][EvaluationMetric] {
  const all: ByMetric<HopSummary['ragas'][EvaluationMetric]> = { ...group.ragas, ...group.retrieval, ...group.answer }
  return all[metric]
}

/** The metrics that a run has: those computed here always, and the requested model-graded ones. */
export const metricsOf = (aggregate: Aggregate): ScoreMetric[] => [
  ...METRICS_OF.retrieval,
  ...aggregate.metrics,
  ...METRICS_OF.answer.filter((metric) => !isOfShortAnswers(metric) || hasScores(aggregate, metric)),
]

const hasScores = ({ approaches }: Aggregate, metric: AnswerMetric): boolean =>
  approaches.some(({ answer }) => answer[metric] !== undefined)

/** A metric that approaches are compared on, by its name in aggregates. */
export type ComparedName = ArtifactName

/** A metric's comparison; null when no approach is scored on it, or in files of earlier versions. */
export const comparedMetric = ({ comparisons }: Aggregate, name: ComparedName): ComparedMetric | null =>
  comparisons?.metrics.find(({ metric }) => metric === name) ?? null

/** Mean of an approach with its interval; null when it is not compared. */
export const meanEstimate = (compared: ComparedMetric | null, model: string): Estimate | null =>
  compared?.approaches.find((approach) => approach.model === model)?.mean ?? null

/** The interval around an approach's mean; null where there is none. */
export const meanInterval = (aggregate: Aggregate, name: ComparedName, model: string): ConfidenceInterval | null =>
  meanEstimate(comparedMetric(aggregate, name), model)?.interval ?? null

/** Returns what the other approaches are shown against: hybrid where it was selected, else the first selected one; null for none. */
export function baselineOf({ approaches }: Pick<Aggregate, 'approaches'>): ApproachSummary | null {
  const selected = approaches.filter((approach) => approach.selected)
  return selected.find(({ model }) => model === BASELINE) ?? selected[0] ?? null
}

/** `a` against `b`, in whichever order the pair is stored; null when there is no such pair. */
export function pairAgainst(compared: ComparedMetric | null, a: string, b: string): PairComparison | null {
  const pair = compared?.pairs.find((each) => (each.a === a && each.b === b) || (each.a === b && each.b === a))
  if (pair === undefined) return null
  return pair.a === a ? pair : turned(pair)
}

const OPPOSITE: Readonly<Record<PairDecision, PairDecision>> = {
  better: 'worse',
  worse: 'better',
  undecided: 'undecided',
}

function turned(pair: PairComparison): PairComparison {
  const { value, interval } = pair.difference
  const { ratio } = pair
  return {
    ...pair,
    a: pair.b,
    b: pair.a,
    difference: {
      ...pair.difference,
      value: value === null ? null : 0 - value,
      interval: interval === null ? null : { low: 0 - interval.high, high: 0 - interval.low },
    },
    ...(ratio === undefined ? {} : { ratio: { value: 1 / ratio.value, low: 1 / ratio.high, high: 1 / ratio.low } }),
    decision: OPPOSITE[pair.decision],
    wins: pair.losses,
    losses: pair.wins,
  }
}

/** Tested pairs of one approach: those where it is better, worse, and those that are not decided. */
export function standingOf(compared: ComparedMetric | null, model: string): Record<PairDecision, number> {
  const standing = { better: 0, worse: 0, undecided: 0 }
  for (const pair of compared?.pairs ?? []) {
    if (!isTestedPair(pair)) continue
    const { a, b, decision } = pair
    if (a === model) standing[decision] += 1
    else if (b === model) standing[OPPOSITE[decision]] += 1
  }
  return standing
}

/** Describes how much of the variance of a metric lies between repeated answers to one question, by alias; the rest lies between questions. */
interface GenerationScatter {
  name: ComparedName
  shares: ReadonlyMap<string, VarianceComponent | null>
}

/** The metrics of a run with repetitions that have variance components; none without repetitions. */
export function generationScatter({ comparisons }: Aggregate): GenerationScatter[] {
  const isRepeated = ({ metric_class, variance }: ComparedMetric): boolean =>
    metric_class !== 'judge_panel' && (variance ?? []).some(({ components }) => components.generation !== null)
  return (comparisons?.metrics ?? []).filter(isRepeated).map(({ metric, variance }) => ({
    name: metric as ComparedName,
    shares: new Map(variance!.map(({ model, components }) => [model, components.generation])),
  }))
}

/** The variance components of judges' grades, in the order of tables. */
export const JUDGE_PARTS = [
  ['question', 'questions'],
  ['judge_severity', 'judges in general'],
  ['judge_question', 'judges about a question'],
  ['residual', 'the rest'],
] as const satisfies (readonly [keyof VarianceComponents, string])[]

/** Returns where the variance of the judges' grades comes from, by alias; empty for fewer than two judges. */
export const judgeScatter = (aggregate: Aggregate): { model: string; components: VarianceComponents }[] =>
  (comparedMetric(aggregate, 'score')?.variance ?? []).filter(({ components }) => components.question !== null)

/** `64 %`; `0 %*` where the estimate is negative; a dash where the design cannot estimate it. */
export const shareWords = (part: VarianceComponent | null | undefined): string =>
  part === null || part === undefined ? '–' : `${Math.round(part.share * 100)} %${part.clipped ? '*' : ''}`

/** Returns true when any cell reports when its first token came: models by rules, and services that stream nothing, do not. */
export const hasFirstTokens = (aggregate: Aggregate): boolean =>
  aggregate.approaches.some(({ operational }) => operational.first_token_s !== undefined)
