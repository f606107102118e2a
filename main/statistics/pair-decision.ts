import type { Estimate, PairComparison, PairDecision } from '../../contract/index.ts'
import type { ScoreTable } from './score-table.ts'
import type { PairColumns } from './table-columns.ts'

/** A pair's decision from its corrected p-value and its own interval, which must agree. */
export function decide(difference: Estimate, adjusted: number, level: number, lowerIsBetter: boolean): PairDecision {
  // Without an interval nothing is decided: the same difference everywhere shows no spread, not that there is none.
  if (adjusted > 1 - level || difference.interval === null) return 'undecided'
  const { low, high } = difference.interval
  if (low > 0) return lowerIsBetter ? 'worse' : 'better'
  if (high < 0) return lowerIsBetter ? 'better' : 'worse'
  return 'undecided'
}

/** Questions on which a is better, equal within the tolerance, worse. */
export function outcomesOf(
  table: ScoreTable,
  pair: Pick<PairColumns, 'a' | 'b' | 'shared'>,
  tolerance: number,
): Pick<PairComparison, 'wins' | 'ties' | 'losses'> {
  const width = table.approaches.length
  let higher = 0
  let lower = 0
  for (const row of pair.shared) {
    const difference = table.scores[row * width + pair.a]! - table.scores[row * width + pair.b]!
    if (difference > tolerance) higher += 1
    else if (difference < -tolerance) lower += 1
  }
  const [wins, losses] = table.lowerIsBetter === true ? [lower, higher] : [higher, lower]
  return { wins, ties: pair.shared.length - higher - lower, losses }
}
