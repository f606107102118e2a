import type { PlannedDifference } from '../../../contract/control/run-job.ts'
import type { PrimaryMetric } from '../../../contract/common.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { Question } from '../../../contract/manifests/queries.ts'
import type { MetricNeed } from '../../../contract/metrics/metric.ts'
import { artifactNameOf, metricOfId, PRIMARY_METRICS } from '../../../contract/metrics/metrics.ts'
import { unvalidatedJudges } from '../../../contract/validated-grades.ts'
import { declaredBy } from '../../evaluation/answer-scores.ts'
import { comparedMetric } from '../../report/aggregate/aggregate-access.ts'
import { clusterable, clusterQuestions } from '../../statistics/clusters.ts'
import { overPairs } from '../../statistics/pair-decision.ts'
import { plannedDifference } from '../../statistics/planning/planned-difference.ts'

/** Sets how much a question's difference between two approaches scatters where no earlier run shows it: the median pair of our rungs has .27 to .38. */
const USUAL_SPREAD = 0.35

interface PlannedRun {
  questions: readonly Question[]
  approaches: number
  /** The metric that the run declares to decide about it. */
  primary?: PrimaryMetric | undefined
  /** Judges that the run asks; only votes of validated ones decide. */
  judges: readonly string[]
  /** Summaries of earlier runs of the dataset, newest first. */
  earlier: AsyncIterable<Aggregate> | Iterable<Aggregate>
}

/** Returns what the questions of a dataset decide on a run's primary metric, about one pair alone and about each of all pairs; only questions that the metric can score count. */
export async function plannedDecision(run: PlannedRun): Promise<PlannedDifference> {
  const { questions, approaches, primary, judges, earlier } = run
  const isJudged = judges.length > 0 && unvalidatedJudges(judges) === null
  const pairs = (approaches * (approaches - 1)) / 2
  const possible = primary === undefined ? PRIMARY_METRICS : [primary]
  const isScored = possible.map((id) => questions.map((question) => canScore(id, question, isJudged)))
  const at = isScored.findIndex((scored) => scored.includes(true))
  const none = {
    pairs,
    alone: null,
    among: null,
    metric: null,
    questions: 0,
    groups: 0,
    basis: null,
    spread: USUAL_SPREAD,
    spread_run: null,
  }
  if (at < 0) return none
  const metric = possible[at]!
  // Clusters are made of all questions of a run, as its comparison makes them.
  const { clusters, cutPerKept, summary } = clusterQuestions(questions.map(clusterable))
  const scored = clusters.filter((_, index) => isScored[at]![index])
  const shown = await spreadIn(earlier, metric)
  const spread = shown?.spread ?? USUAL_SPREAD
  const of = (count: number): number | null =>
    count === 0 ? null : plannedDifference({ clusters: scored, cutPerKept, spread, pairs: count })
  return {
    pairs,
    alone: of(Math.min(1, pairs)),
    among: of(pairs),
    metric,
    questions: scored.length,
    groups: new Set(scored).size,
    basis: summary.basis,
    spread,
    spread_run: shown?.run ?? null,
  }
}

function canScore(metric: PrimaryMetric, question: Question, isJudged: boolean): boolean {
  const declared: ReadonlySet<MetricNeed> = new Set<MetricNeed>([
    'contexts',
    ...declaredBy(question),
    ...(isJudged ? (['judge_panel'] as const) : []),
    ...(question.answerable && question.gold.length > 0 ? (['gold'] as const) : []),
  ])
  return metricOfId(metric).needs.every((need) => declared.has(need))
}

/** The spread of the median pair in the newest run that has the metric with an error: cluster-robust, so that it holds what documents add. */
async function spreadIn(
  earlier: PlannedRun['earlier'],
  id: PrimaryMetric,
): Promise<{ spread: number; run: string } | null> {
  const metric = metricOfId(id)
  const scale = (metric.range[1] ?? 1) - metric.range[0]
  for await (const aggregate of earlier) {
    const pairs = comparedMetric(aggregate, artifactNameOf(metric))?.pairs ?? []
    const spreads = pairs.map(({ difference: { se, n } }) => (se === null ? null : (se * Math.sqrt(n)) / scale))
    const median = overPairs(spreads)?.median ?? 0
    if (median > 0) return { spread: Number(median.toPrecision(2)), run: aggregate.run_id }
  }
  return null
}
