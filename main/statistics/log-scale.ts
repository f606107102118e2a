import type { MetricComparison, PairComparison } from '../../contract/evidence/statistics.ts'
import { overPairs } from './pair-decision.ts'
import type { ScoreTable } from './score-table.ts'

/**
 * Times are skewed: a stall moves the difference of two means far more than an error that was estimated without it allows, and intervals of differences held
 * .89 to .97 of the time. On the log scale a difference is a ratio of times (of geometric means), whose interval holds.
 */
export const isOnLogScale = ({ hasRatios, scores }: ScoreTable): boolean =>
  hasRatios === true && !scores.some((score) => score <= 0)

export const loggedTable = (table: ScoreTable): ScoreTable => ({ ...table, scores: table.scores.map(Math.log) })

/**
 * Means and outcomes of the times, with tests and intervals of their logarithms. The interval of a difference is that of the ratio, times the mean of the
 * other approach, so that it excludes 0 where the ratio excludes 1.
 */
export function withRatios(table: ScoreTable, plain: MetricComparison, logged: MetricComparison): MetricComparison {
  const pairs = plain.pairs.map((pair, at): PairComparison => {
    const { difference, p, p_adjusted, decision, smallest_detectable: least } = logged.pairs[at]!
    const { value, interval } = difference
    if (value === null || interval === null)
      return { ...pair, p, p_adjusted, decision, difference: { ...pair.difference, interval: null } }
    const other = sharedMean(table, pair)
    const scaled = (log: number): number => (Math.exp(log) - 1) * other
    return {
      ...pair,
      p,
      p_adjusted,
      decision,
      difference: { ...pair.difference, interval: { low: scaled(interval.low), high: scaled(interval.high) } },
      ratio: { value: Math.exp(value), low: Math.exp(interval.low), high: Math.exp(interval.high) },
      smallest_detectable: least === null ? null : scaled(least),
    }
  })
  return {
    ...plain,
    settings: { ...plain.settings, difference_interval: 'log_student' },
    pairs,
    decided: logged.decided,
    smallest_detectable: overPairs(pairs.map((pair) => pair.smallest_detectable)),
  }
}

/** Mean of the second approach over the questions that both have. */
function sharedMean({ approaches, scores }: ScoreTable, { a, b }: PairComparison): number {
  const width = approaches.length
  const [one, other] = [approaches.indexOf(a), approaches.indexOf(b)]
  let [sum, n] = [0, 0]
  for (let row = 0; row < scores.length; row += width) {
    if (Number.isNaN(scores[row + one]! + scores[row + other]!)) continue
    sum += scores[row + other]!
    n += 1
  }
  return sum / n
}
