import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { ConfidenceInterval, PairComparison, PairDecision } from '../../../contract/evidence/statistics.ts'
import { metricNamed, type OperationalMetric } from '../../../contract/metrics/metrics.ts'
import { mean } from '../../lib/text/numbers.ts'
import { comparedMetric, meanInterval, metricOf, standingOf, type ComparedName } from '../aggregate/aggregate-access.ts'
import { ladderDecisions, unrankedReason } from '../aggregate/metric-use.ts'
import type { SummaryAlias } from '../aggregate/run-summary.ts'

/** One approach on one rung. */
export interface RungFigure {
  mean: number
  interval: ConfidenceInterval | null
  /** Scored and expected cells; for the judges questions, for the latency answered cells. */
  n: number
  expected: number
  /** The approaches of the rung are scored on different questions. */
  unequal: boolean
  /** With unequal questions, the mean over those that all have. */
  common: { n: number; mean: number } | null
  /** Cells that failed or timed out, where the figure is of the others only: latency. */
  failed: number
}

interface LeaderRow {
  alias: SummaryAlias
  /** By the mean over the rungs; equal means share a place. Null for approaches that lack a rung or are hardly scored on one. */
  place: number | null
  /** One more than the approaches that tests found better; null without a place, and where no pair is decided. */
  rank: number | null
  /** Unweighted over the rungs; null without a place. */
  mean: number | null
  /** In the order of the aggregates. */
  rungs: (RungFigure | null)[]
  /** Pairs over all rungs. */
  standing: Record<PairDecision, number>
}

const WHOLE = { unequal: false, common: null, failed: 0 } as const

/** Returns what an approach has on a metric in one dataset run; null without a score. */
export function rungFigure(aggregate: Aggregate, name: ComparedName, model: string): RungFigure | null {
  const approach = aggregate.approaches.find((each) => each.model === model)
  if (approach === undefined) return null
  const interval = meanInterval(aggregate, name, model)
  const metric = metricNamed(name)
  if (metric?.class === 'judge_panel') {
    const section = aggregate.judge_panel
    const judged = 'approaches' in section ? section.approaches.find((each) => each.model === model) : undefined
    if (judged === undefined || judged.mean === null) return null
    return { mean: judged.mean, interval, n: judged.n, expected: judged.expected, ...WHOLE }
  }
  if (metric?.class === 'operational') {
    const { mean: value, n } = approach.operational[name as OperationalMetric]
    const { expected, error, timeout } = approach.cells
    return value === null ? null : { mean: value, interval, n, expected, ...WHOLE, failed: error + timeout }
  }
  const summary = metricOf(approach, name)
  if (summary === undefined || summary.mean === null) return null
  const { scored, expected, unequal_coverage: unequal } = summary
  const common =
    summary.common === null || summary.common.mean === null ? null : { n: summary.common.n, mean: summary.common.mean }
  return { mean: summary.mean, interval, n: scored, expected, unequal, common, failed: 0 }
}

/** Datasets of this level count only where no other has scores. */
const UNCOUNTED_LEVEL = 0

/** Below this share of what the best covered approach of a rung has, a mean is of other questions than its neighbours'. */
const THIN_SHARE = 1 / 2

/** Returns true when an approach is scored on so few cells of a rung that its mean compares with no other. */
export function isThin(aggregate: Aggregate, name: ComparedName, { n }: RungFigure): boolean {
  const most = Math.max(...aggregate.approaches.map(({ model }) => rungFigure(aggregate, name, model)?.n ?? 0))
  return n < THIN_SHARE * most
}

const compares = (aggregate: Aggregate, name: ComparedName, figure: RungFigure): boolean =>
  figure.failed === 0 && !isThin(aggregate, name, figure)

/** The questions that all have, where those are at least half of its own: fewer are less reliable than unequal ones. Else null. */
const sharedOf = ({ n, common }: RungFigure): { n: number; mean: number } | null =>
  common !== null && common.n >= THIN_SHARE * n ? common : null

/** Over the questions that all have, where `sharedOf` has them. */
export const comparableMean = (figure: RungFigure): number => sharedOf(figure)?.mean ?? figure.mean

/** Counts the questions of `comparableMean`, where they are fewer than those that the figure and its interval are over; else null. */
export function sharedQuestions(figure: RungFigure): number | null {
  const shared = sharedOf(figure)
  return shared === null || shared.n === figure.n ? null : shared.n
}

/**
 * Approaches by their mean over the rungs, best first. Where the approaches of a rung are scored on different questions, the mean over those that
 * all have is used. A place have only approaches with a score on every rung on which any approach has one, on at least half as many cells as the
 * best covered approach there, and by latency only those of which no cell failed: a mean over easier rungs or fewer questions would not
 * compare. A rank is of tests, not of means. A metric that `unrankedReason` names ranks no approach. Empty when no approach has a score.
 */
export function leaderboard(aggregates: readonly Aggregate[], name: ComparedName): LeaderRow[] {
  const aliases = aliasesOf(aggregates)
  const lowerIsBetter = metricNamed(name)?.better === 'lower'
  const figures = new Map(
    aliases.map(({ model }) => [model, aggregates.map((aggregate) => rungFigure(aggregate, name, model))]),
  )
  const isScored = aggregates.map((_, rung) => [...figures.values()].some((rungs) => rungs[rung] !== null))
  if (!isScored.some(Boolean)) return []
  const proper = aggregates.map(({ dataset }, rung) => isScored[rung]! && dataset.complexity_level !== UNCOUNTED_LEVEL)
  const counted = proper.some(Boolean) ? proper : isScored
  const means = new Map(
    aliases.map(({ model }) => {
      const own = figures
        .get(model)!
        .flatMap((figure, rung) =>
          counted[rung]! ? [figure !== null && compares(aggregates[rung]!, name, figure) ? figure : null] : [],
        )
      const complete = own.every((figure) => figure !== null)
      return [model, complete ? mean(Float64Array.from(own, comparableMean)) : null]
    }),
  )
  const isRanked = unrankedReason(aggregates, name) === null
  const beats = (a: number, b: number): boolean => (lowerIsBetter ? a < b : a > b)
  const decided = ladderDecisions(aggregates, name)
  const rows = aliases.map((alias): LeaderRow => {
    const own = means.get(alias.model) ?? null
    const { model } = alias
    // The board shows all rungs, and its marks hold for all: a pair that only its own rung decides is open here, as in the verdict.
    const better = decided.filter((pair) => winnerOf(pair) === model).length
    const lost = decided.filter((pair) => winnerOf(pair) !== model && [pair.a, pair.b].includes(model))
    const worse = lost.length
    const tested = aggregates.flatMap((aggregate) => Object.values(standingOf(comparedMetric(aggregate, name), model)))
    const standing = { better, worse, undecided: tested.reduce((sum, count) => sum + count, 0) - better - worse }
    const place =
      own === null || !isRanked
        ? null
        : 1 + [...means.values()].filter((other) => other !== null && beats(other, own)).length
    return {
      alias,
      place,
      rank: place === null || decided.length === 0 ? null : 1 + new Set(lost.map(winnerOf)).size,
      mean: own,
      rungs: figures.get(alias.model)!,
      standing,
    }
  })
  // Sorting is stable: those without a place keep their order.
  return rows.sort((a, b) => (a.place ?? Infinity) - (b.place ?? Infinity) || 0)
}

const winnerOf = ({ a, b, decision }: Pick<PairComparison, 'a' | 'b' | 'decision'>): string =>
  decision === 'better' ? a : b

/** Every alias of the aggregates once, in order of first appearance. */
export function aliasesOf(aggregates: readonly Aggregate[]): SummaryAlias[] {
  const known = new Map<string, SummaryAlias>()
  for (const { approaches } of aggregates)
    for (const { model, base_model, flavor, evidence_capability } of approaches)
      if (!known.has(model)) known.set(model, { model, base_model, flavor, evidence_capability })
  return [...known.values()]
}
