import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { MatrixPage, MatrixPageRow } from '../../../contract/control/run-index/matrix-page.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'

/** The first of the approaches that have the weakest, or the strongest, value on a question. */
export interface End {
  model: string
  row: string
  value: number
  /** Approaches with the same value. */
  equal: number
}

/** The weakest and the strongest approach on a question, the leading one where it shares their value; null where fewer than two have a value, or all have the same. */
export function endsOf(
  cells: MatrixPageRow['cells'],
  aliases: readonly string[],
  metric: IndexMetric,
  leader?: string,
): { weakest: End; strongest: End } | null {
  const found = cells
    .flatMap((cell, index) =>
      cell === null || cell.value === null ? [] : [{ model: aliases[index]!, row: cell.row_id, value: cell.value }],
    )
    .toSorted((a, b) => Number(b.model === leader) - Number(a.model === leader))
  const values = found.map(({ value }) => value)
  const [least, most] = [Math.min(...values), Math.max(...values)]
  if (found.length < 2 || most === least) return null
  const end = (value: number): End => ({
    ...found.find((each) => each.value === value)!,
    equal: values.filter((each) => each === value).length,
  })
  const [low, high] = [end(least), end(most)]
  return metricOfId(metric).better === 'higher' ? { weakest: low, strongest: high } : { weakest: high, strongest: low }
}

/** Questions on which approaches differ, the furthest apart first; with the same difference, those come first on which the leading approach is the weakest. */
export function mostTelling(
  { rows, aliases }: Pick<MatrixPage, 'rows' | 'aliases'>,
  metric: IndexMetric,
  leader?: string,
) {
  return rows
    .flatMap((row) => {
      const ends = endsOf(row.cells, aliases, metric, leader)
      if (ends === null) return []
      const spread = Math.abs(ends.strongest.value - ends.weakest.value)
      return [{ ...row, ...ends, spread, isMiss: ends.weakest.model === leader }]
    })
    .toSorted((a, b) => b.spread - a.spread || Number(b.isMiss) - Number(a.isMiss))
}
