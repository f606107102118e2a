import { memo } from 'react'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { MatrixPageCell } from '../../../contract/control/run-index/matrix-page.ts'
import { STATE_SIGNS } from '../../components/cell-state.ts'
import { differenceValue, duration, metricValue } from '../../components/format.ts'
import { type HeatDomain, heatOf } from '../../components/heat.ts'
import styles from './matrix.module.css'

interface MatrixCellProps {
  id: string
  cell: MatrixPageCell | null | undefined
  /** The baseline's cell of the same question, when differences are shown. */
  baseline: MatrixPageCell | null | undefined
  metric: IndexMetric
  domain: HeatDomain
  left: number
  column: number
  active: boolean
  open: boolean
}

const failureOf = ({ status, error_type: type, state, reason }: MatrixPageCell): string =>
  status === 'ok' ? (reason?.replaceAll('_', ' ') ?? STATE_SIGNS[state].word) : (type ?? status).replaceAll('_', ' ')

/** Judge mean and latency, where they are not the value itself. */
function asideOf(metric: IndexMetric, { judge_mean: judge, latency_ms: latency, status }: MatrixPageCell): string {
  return [
    ...(judge === null || metric === 'judge_mean' ? [] : [`J${judge.toFixed(1)}`]),
    ...(latency === null || metric === 'latency_ms' || status !== 'ok' ? [] : [duration(latency)]),
  ].join(' ')
}

/** One cell in at most two elements: value on its heat colour, or the sign of its state. Undefined: not read yet; null: no row. */
export const MatrixCell = memo(function MatrixCell(props: MatrixCellProps) {
  const { id, cell, baseline, metric, domain, left, column, active, open } = props
  const common = {
    id,
    role: 'gridcell',
    'aria-colindex': column + 2,
    className: styles.cell,
    'data-column': column,
  } as const
  const marks = { 'data-active': active || undefined, 'data-open': open || undefined }
  if (cell === undefined) return <div {...common} {...marks} style={{ left }} aria-busy="true" />
  if (cell === null || cell.state === 'missing')
    return <div {...common} {...marks} style={{ left }} data-state="missing" data-hatched="true" aria-label="missing" />
  const aside = asideOf(metric, cell)
  if (cell.value !== null) {
    const compares = domain.diverging !== undefined
    const difference = compares && typeof baseline?.value === 'number' ? cell.value - baseline.value : null
    if (compares && difference === null)
      return (
        <div {...common} {...marks} style={{ left }} data-state="ok" data-hatched="true" title="no baseline value">
          {metricValue(metric, cell.value)}
          <span className={styles.latency}>no baseline</span>
        </div>
      )
    const { background, ink } = heatOf(difference ?? cell.value, domain)
    return (
      <div {...common} {...marks} style={{ left, background, color: ink }} data-state="ok">
        {difference === null ? metricValue(metric, cell.value) : differenceValue(metric, difference)}
        {aside !== '' && <span className={styles.latency}>{aside}</span>}
      </div>
    )
  }
  const timeout = cell.status === 'timeout' || cell.state === 'timeout'
  // An answer that states nothing, such as a refusal, is an outcome, not a failure.
  if (cell.status === 'ok' && cell.reason === 'no_statements')
    return (
      <div {...common} {...marks} style={{ left }} data-state="not_evaluable" data-hatched="true">
        <span className={styles.failure}>○ no statements</span>
        {aside !== '' && <span className={styles.latency}>{aside}</span>}
      </div>
    )
  const { sign } = STATE_SIGNS[timeout ? 'timeout' : cell.status === 'error' ? 'error' : cell.state]
  return (
    <div {...common} {...marks} style={{ left }} data-state={cell.state} data-hatched="true" title={failureOf(cell)}>
      <span className={styles.failure}>
        {sign} {timeout ? 'timeout' : cell.state === 'not_evaluable' ? '' : failureOf(cell)}
      </span>
      {/* What failed needs the room. */}
      {cell.state === 'not_evaluable' && aside !== '' && <span className={styles.latency}>{aside}</span>}
    </div>
  )
})
