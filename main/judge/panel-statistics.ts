import type {
  InconclusiveReason,
  JudgedQuery,
  JudgeFailure,
  JudgeProfile,
  PanelApproach,
  PanelStatistics,
} from '../../contract/index.ts'
import { rounded } from '../report/numbers.ts'
import { clusterQuestions } from '../statistics/clusters.ts'
import { flipRates, type BestVote } from '../statistics/flip-rates.ts'
import { krippendorffAlpha } from '../statistics/krippendorff.ts'
import { leaveOneJudgeOut } from '../statistics/leave-one-judge-out.ts'
import { lengthCorrelation } from '../statistics/length-correlation.ts'
import type { IntervalOptions } from '../statistics/options.ts'
import type { PlacedScore } from '../statistics/placed-scores.ts'
import { positionEffect } from '../statistics/position-effect.ts'
import { roundedDeep } from './rounded-deep.ts'

/** What the figures of a panel are made from. */
export interface PanelResults {
  judges: readonly string[]
  models: readonly string[]
  rotations: number
  queries: readonly JudgedQuery[]
  failures: readonly JudgeFailure[]
  /** Question → gold documents: questions that share one are resampled together. */
  documents: ReadonlyMap<string, readonly string[]>
  /** Names the random streams. */
  seed: string
}

const meanOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length

/** How the judges behave and how far they agree. A pure function of the verdicts. */
export function panelStatistics(results: PanelResults): PanelStatistics {
  const clusters = clustersOf(results)
  const inconclusive: Partial<Record<InconclusiveReason, number>> = {}
  for (const { inconclusive: reason } of results.queries)
    if (reason !== undefined && reason !== null) inconclusive[reason] = (inconclusive[reason] ?? 0) + 1
  return roundedDeep({
    judges: results.judges.map((judge) => profileOf(judge, results, clusters)),
    alpha: krippendorffAlpha(ratingsOf(results, clusters), 'ordinal', { seed: `${results.seed}/judges` }),
    leave_one_out: leaveOneJudgeOut(panelScores(results)),
    inconclusive,
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
      for (const [place, approach] of order.entries())
        scores.push({
          question: query.query_id,
          cluster,
          approach,
          rotation,
          position: place + 1,
          score: given[approach]!,
          length: query.answers?.[approach]?.characters ?? 0,
        })
    }
  }
  return {
    judge,
    verdicts: votes.length,
    failures: results.failures.filter((failure) => failure.judge === judge).length,
    mean_score: meanOf(scores.map(({ score }) => score)),
    position_effect: positionEffect(scores, options),
    flip_rates: flipRates(votes, scores, options),
    length_correlation: lengthCorrelation(scores, options),
  }
}

/** A rated thing is one answer in one rotation: so grades stay whole, and the order of each judge is another anyway. */
function ratingsOf({ judges, models, rotations, queries }: PanelResults, clusters: ReadonlyMap<string, string>) {
  const units: string[] = []
  const values: number[] = []
  for (const query of queries) {
    const given = judges.map(
      (judge) => new Map(query.per_judge[judge]?.rotations?.map((one) => [one.rotation, one.scores])),
    )
    for (const model of models)
      for (let rotation = 0; rotation < rotations; rotation += 1) {
        units.push(clusters.get(query.query_id)!)
        values.push(...given.map((ofJudge) => ofJudge.get(rotation)?.[model] ?? NaN))
      }
  }
  return { clusters: units, raters: judges.length, values: Float64Array.from(values) }
}

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
      return meanOf(given) ?? []
    })
    const mean = meanOf(means)
    return {
      model,
      mean: mean === null ? null : rounded(mean),
      questions: means.length,
      votes: queries.reduce((sum, { votes }) => sum + (votes[model] ?? 0), 0),
      wins: queries.filter(({ observed_winner }) => observed_winner === model).length,
    }
  })
}
