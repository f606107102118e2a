import type { MatrixPageRow } from '../../../contract/control/run-index/matrix-page.ts'

/** Describes how the best approach of a question compares with the one that its author expected: alone at the top, among several, below another, or unknown. */
export type ExpectedOutcome = 'expected' | 'tied' | 'other' | 'unnamed' | 'no_value'

export interface Scored {
  model: string
  row: string
  value: number
}

export interface ExpectedAndBest {
  outcome: ExpectedOutcome
  /** Null where no approach is named, or the named one has no value. */
  expected: Scored | null
  /** Approaches with the best value, in the order of the columns; all of them where all are alike. */
  best: readonly Scored[]
}

type Question = Pick<MatrixPageRow, 'expect_winner'> & {
  cells: readonly (Pick<NonNullable<MatrixPageRow['cells'][number]>, 'row_id' | 'value'> | null)[]
}

/** The expected approach of a question and those with the best value in a metric. */
export function expectedAndBest(
  { expect_winner: named, cells }: Question,
  aliases: readonly string[],
  better: 'higher' | 'lower',
): ExpectedAndBest {
  const scored = cells.flatMap((cell, index): Scored[] =>
    cell === null || cell.value === null ? [] : [{ model: aliases[index]!, row: cell.row_id, value: cell.value }],
  )
  const values = scored.map(({ value }) => value)
  const top = better === 'higher' ? Math.max(...values) : Math.min(...values)
  const best = scored.filter(({ value }) => value === top)
  const expected = scored.find(({ model }) => model === named) ?? null
  const outcome = (): ExpectedOutcome => {
    if (named === null) return 'unnamed'
    if (expected === null) return 'no_value'
    if (expected.value !== top) return 'other'
    return best.length === 1 ? 'expected' : 'tied'
  }
  return { outcome: outcome(), expected, best }
}
