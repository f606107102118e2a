import { memo } from 'react'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { MatrixPageRow } from '../../../contract/control/run-index/matrix-page.ts'
import type { HeatDomain } from '../../components/heat.ts'
import type { ColumnPlace } from './geometry.ts'
import { MatrixCell } from './matrix-cell.tsx'
import styles from './matrix.module.css'

interface MatrixRowProps {
  row: MatrixPageRow | undefined
  index: number
  top: number
  width: number
  pinned: readonly ColumnPlace[]
  columns: readonly ColumnPlace[]
  /** Place of the baseline in the row's cells, when differences are shown. */
  baseline: number | null
  metric: IndexMetric
  domain: HeatDomain
  /** Column of the keyboard's place, when it is in this row. */
  activeColumn: number | null
  openRow: string | undefined
  idPrefix: string
  onPick: (row: number, column: number) => void
}

/** Id of a cell's element, for `aria-activedescendant`. */
export const cellId = (prefix: string, row: number, column: number): string => `${prefix}-${row}-${column}`

/** One question and its cells in view. Drawn again only when something of it changed: scrolling moves the others past it. */
export const MatrixRow = memo(function MatrixRow(props: MatrixRowProps) {
  const { row, index, top, width, pinned, columns, baseline, metric, domain } = props
  const { activeColumn, openRow, idPrefix, onPick } = props
  const cellAt = ({ column, source, left }: ColumnPlace) => {
    const cell = row === undefined ? undefined : (row.cells[source] ?? null)
    return (
      <MatrixCell
        key={column}
        id={cellId(idPrefix, index, column)}
        {...{ cell, metric, domain, left, column }}
        baseline={baseline === null ? undefined : row?.cells[baseline]}
        active={activeColumn === column}
        open={cell?.row_id !== undefined && cell.row_id === openRow}
      />
    )
  }
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={styles.row}
      style={{ width, top }}
      onClick={({ target }) => {
        const column = Number((target as HTMLElement).closest<HTMLElement>('[data-column]')?.dataset.column ?? NaN)
        if (!Number.isNaN(column)) onPick(index, column)
      }}
    >
      <div className={styles.question} role="rowheader" aria-colindex={1} title={row?.query ?? row?.question_id}>
        <span className={styles.questionText}>{row === undefined ? '' : (row.query ?? row.question_id)}</span>
        {row !== undefined && row.repeat > 1 && <span className={styles.repetition}>repetition {row.repeat}</span>}
        <span className="dim">{row?.hops ?? ''}</span>
      </div>
      {pinned.length > 0 && (
        <div className={styles.pins} role="presentation">
          {pinned.map(cellAt)}
        </div>
      )}
      {columns.map(cellAt)}
    </div>
  )
})
