import type {
  DisputeReason,
  InconclusiveReason,
  JudgedQuery,
  JudgeFailure,
  JudgeProfile,
  PanelApproach,
  PanelStatistics,
} from '../../contract/evidence/judgments.ts'
import type { Agreement } from '../../contract/evidence/statistics.ts'
import { mean, roundedDeep, roundedOrNull } from '../lib/text/numbers.ts'
import { clusterQuestions } from '../statistics/clusters.ts'
import { type BestVote, flipRates, lengthCorrelation, positionEffect } from '../statistics/agreement/judge-bias.ts'
import type { PlacedScore } from '../statistics/agreement/judge-bias.ts'
import { krippendorffAlpha } from '../statistics/agreement/krippendorff.ts'
import { leaveOneJudgeOut } from '../statistics/agreement/leave-one-judge-out.ts'
import type { IntervalOptions } from '../statistics/options.ts'

/** Describes what the figures of a panel are made from. */
interface PanelResults {
  judges: readonly string[]
  models: readonly string[]
  rotations: number
  queries: readonly JudgedQuery[]
  failures: readonly JudgeFailure[]
  /** Question → gold documents: questions that share one are resampled together. */
  documents: ReadonlyMap<string, readonly string[]>
  /** Questions without an answer in the corpus. */
  unanswerable?: ReadonlySet<string>
  /** Names the random streams. */
  seed: string
}

/** Returns how the judges behave and how far they agree. A pure function of the verdicts. */
export function panelStatistics(results: PanelResults): PanelStatistics {
  const clusters = clustersOf(results)
  const inconclusive: Partial<Record<InconclusiveReason, number>> = {}
  for (const { inconclusive: reason } of results.queries)
    if (reason !== undefined && reason !== null) inconclusive[reason] = (inconclusive[reason] ?? 0) + 1
  const disputed: Partial<Record<DisputeReason, number>> = {}
  for (const { disputed: reason } of results.queries)
    if (reason !== undefined && reason !== null) disputed[reason] = (disputed[reason] ?? 0) + 1
  const ratings = ratingsOf(results, clusters)
  const alphaOf = (kept: (unit: RatedAnswer) => boolean): Agreement =>
    krippendorffAlpha(tableOf(ratings.filter(kept), results.judges.length), 'ordinal', {
      seed: `${results.seed}/judges`,
    })
  return roundedDeep({
    judges: results.judges.map((judge) => profileOf(judge, results, clusters)),
    alpha: alphaOf(() => true),
    alpha_answerable: alphaOf(({ answerable }) => answerable),
    alpha_above_minimum: alphaOf(({ grades }) => grades.some((grade) => grade > 1)),
    leave_one_out: leaveOneJudgeOut(panelScores(results)),
    inconclusive,
    disputed,
  })
}

function clustersOf({ queries, documents }: PanelResults): Map<string, string> {
  const questions = queries.map(({ query_id: id }) => ({ id, documents: documents.get(id) ?? [] }))
  const { clusters } = clusterQuestions(questions)
  return new Map(questions.map(({ id }, index) => [id, clusters[index]!]))
}

function profileOf(judge: string, results: PanelResults, clusters: ReadonlyMap<string, string>): JudgeProfile {
  const options: IntervalOptions = { seed: `${results.seed}/judges/${judge}` }
  const scores: PlacedScore[] = []
  const votes: BestVote[] = []
  for (const query of results.queries) {
    const cluster = clusters.get(query.query_id)!
    for (const { rotation, order, scores: given, best } of query.per_judge[judge]?.rotations ?? []) {
      votes.push({ question: query.query_id, cluster, rotation, best })
      for (const [index, approach] of order.entries())
        scores.push({
          question: query.query_id,
          cluster,
          approach,
          rotation,
          position: index + 1,
          score: given[approach]!,
          length: query.answers?.[approach]?.characters ?? 0,
        })
    }
  }
  return {
    judge,
    verdicts: votes.length,
    failures: results.failures.filter((failure) => failure.judge === judge).length,
    mean_score: mean(scores.map(({ score }) => score)),
    position_effect: positionEffect(scores, options),
    flip_rates: flipRates(votes, scores, options),
    length_correlation: lengthCorrelation(scores, options),
  }
}

interface RatedAnswer {
  cluster: string
  answerable: boolean
  /** One per judge; NaN where a judge gave none. */
  grades: number[]
}

/**
 * A rated thing is one answer in one rotation, so that grades stay whole. An answer that every judge graded alike in all rotations is one thing:
 * counted again it would only look like more evidence.
 */
function ratingsOf(
  { judges, models, rotations, queries, unanswerable }: PanelResults,
  clusters: ReadonlyMap<string, string>,
): RatedAnswer[] {
  return queries.flatMap((query) => {
    const given = judges.map(
      (judge) => new Map(query.per_judge[judge]?.rotations?.map((one) => [one.rotation, one.scores])),
    )
    const head = { cluster: clusters.get(query.query_id)!, answerable: unanswerable?.has(query.query_id) !== true }
    return models.flatMap((model) => {
      const all = Array.from({ length: rotations }, (_, rotation) =>
        given.map((ofJudge) => ofJudge.get(rotation)?.[model] ?? NaN),
      )
      const isAlike = all.every((grades) => grades.every((grade, judge) => Object.is(grade, all[0]![judge])))
      return (isAlike ? all.slice(0, 1) : all).map((grades) => ({ ...head, grades }))
    })
  })
}

const tableOf = (rated: readonly RatedAnswer[], raters: number) => ({
  clusters: rated.map(({ cluster }) => cluster),
  raters,
  values: Float64Array.from(rated.flatMap(({ grades }) => grades)),
})

function panelScores({ judges, models, queries }: PanelResults) {
  const scores = queries.flatMap((query) =>
    models.flatMap((model) => judges.map((judge) => query.per_judge[judge]?.scores[model] ?? NaN)),
  )
  return { judges, approaches: models, questions: queries.length, scores: Float64Array.from(scores) }
}

/** Each approach over all judged questions. */
export function panelApproaches(queries: readonly JudgedQuery[], models: readonly string[]): PanelApproach[] {
  return models.map((model) => {
    const means = queries.flatMap(({ per_judge }) => {
      const given = Object.values(per_judge).flatMap(({ scores }) => scores[model] ?? [])
      return mean(given) ?? []
    })
    return {
      model,
      mean: roundedOrNull(mean(means)),
      questions: means.length,
      votes: queries.reduce((sum, { votes }) => sum + (votes[model] ?? 0), 0),
      wins: queries.filter(({ observed_winner }) => observed_winner === model).length,
    }
  })
}
