import { memo } from 'react'
import type { MatrixPageCell, MatrixPageRow } from '../../../contract/control/run-index/matrix-page.ts'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { judgeMean } from '../../../contract/metrics/judge-mean.ts'
import { latencyMs } from '../../../contract/metrics/latency-ms.ts'
import { STATE_SIGNS } from '../../components/cell-state.ts'
import { count, differenceValue, duration, metricValue } from '../../components/format.ts'
import { type HeatDomain, heatOf } from '../../components/heat.ts'
import type { AnswerStarts } from './answer-starts.ts'
import { answerLines, type ColumnPlace } from './geometry.ts'
import { MATRIX_WORDS as WORDS } from './matrix-words.ts'
import styles from './matrix.module.css'

interface MatrixCellProps {
  id: string
  cell: MatrixPageCell | null | undefined
  /** The baseline's cell of the same question, where differences are shown. */
  baseline: MatrixPageCell | null | undefined
  metric: IndexMetric
  domain: HeatDomain
  left: number
  column: number
  active: boolean
  open: boolean
  /** Beginning of the answer; empty while it loads and where there is none, undefined where answers are not shown. */
  start: string | undefined
}

/** Height of the figures above an answer, in pixels. */
const FIGURES_HEIGHT = 24

const failureOf = ({ status, error_type: type, state, reason }: MatrixPageCell): string =>
  status === 'ok' ? (reason?.replaceAll('_', ' ') ?? STATE_SIGNS[state].word) : (type ?? status).replaceAll('_', ' ')

/** Judge mean and latency, where they are not the value itself. */
function asideOf(metric: IndexMetric, { judge_mean: judge, latency_ms: latency, status }: MatrixPageCell): string {
  return [
    ...(judge === null || metric === judgeMean.id ? [] : [`J${judge.toFixed(1)}`]),
    ...(latency === null || metric === latencyMs.id || status !== 'ok' ? [] : [duration(latency)]),
  ].join(' ')
}

/** What the answer took and how judges grade it, for a pointer that rests on it and for a screen reader. */
const detailsOf = ({ latency_ms: latency, total_tokens: tokens, judge_mean: judge }: MatrixPageCell): string =>
  [
    latency !== null && duration(latency),
    tokens !== null && WORDS.tokens(count(tokens)),
    judge !== null && WORDS.judgesGave(judge.toFixed(1)),
  ]
    .filter(Boolean)
    .join(' · ')

/** One cell in at most two elements: value on its heat colour, or the sign of its state. Undefined: not read yet; null: no row. */
const MatrixCell = memo(function MatrixCell(props: MatrixCellProps) {
  const { id, cell, baseline, metric, domain, left, column, active, open, start } = props
  const answer = start !== undefined && <span className={styles.answer}>{start}</span>
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
    return (
      <div
        {...common}
        {...marks}
        style={{ left }}
        data-state="missing"
        data-hatched="true"
        aria-label={WORDS.missing}
      />
    )
  const aside = asideOf(metric, cell)
  if (cell.value !== null) {
    const compares = domain.diverging !== undefined
    const difference = compares && typeof baseline?.value === 'number' ? cell.value - baseline.value : null
    if (compares && difference === null)
      return (
        <div {...common} {...marks} style={{ left }} data-state="ok" data-hatched="true" title={WORDS.noBaselineValue}>
          {metricValue(metric, cell.value)}
          <span>{WORDS.noBaselineCell}</span>
          {answer}
        </div>
      )
    const { background: heat, ink } = heatOf(difference ?? cell.value, domain)
    // Text is read on the colour of the page.
    const background =
      start === undefined ? heat : `linear-gradient(${heat} ${FIGURES_HEIGHT}px, transparent ${FIGURES_HEIGHT}px)`
    return (
      <div {...common} {...marks} style={{ left, background, color: ink }} data-state="ok" title={detailsOf(cell)}>
        {difference === null ? metricValue(metric, cell.value) : differenceValue(metric, difference)}
        {aside !== '' && <span className={styles.aside}>{aside}</span>}
        {answer}
      </div>
    )
  }
  const timeout = cell.status === 'timeout' || cell.state === 'timeout'
  // An answer that states nothing, such as a refusal, is an outcome, not a failure.
  if (cell.status === 'ok' && cell.reason === 'no_statements')
    return (
      <div {...common} {...marks} style={{ left }} data-state="not_evaluable" data-hatched="true">
        <span className={styles.failure}>{WORDS.noStatements}</span>
        {aside !== '' && <span className={styles.aside}>{aside}</span>}
        {answer}
      </div>
    )
  const { sign } = STATE_SIGNS[timeout ? 'timeout' : cell.status === 'error' ? 'error' : cell.state]
  return (
    <div {...common} {...marks} style={{ left }} data-state={cell.state} data-hatched="true" title={failureOf(cell)}>
      <span className={styles.failure}>
        {sign} {timeout ? WORDS.timeout : cell.state === 'not_evaluable' ? '' : failureOf(cell)}
      </span>
      {/* The words of a failure need the space. */}
      {cell.state === 'not_evaluable' && aside !== '' && <span className={styles.aside}>{aside}</span>}
      {answer}
    </div>
  )
})

/** At most as many characters of a question are in the list; its answers show all. */
const LISTED_CHARACTERS = 400

/** The text of a question in the grid. */
export const questionOf = ({ query, question_id: id, repeat }: MatrixPageRow): string =>
  `${query ?? id}${query?.length === LISTED_CHARACTERS ? '…' : ''}${repeat > 1 ? ` · ${WORDS.repetition(repeat)}` : ''}`

interface MatrixRowProps {
  row: MatrixPageRow | undefined
  index: number
  top: number
  height: number
  width: number
  /** Lines that there are for the question. */
  lines: number
  /** True where the question is longer than rows show by themselves; `isOpened` where it is shown whole. */
  isLong: boolean
  isOpened: boolean
  pinned: readonly ColumnPlace[]
  columns: readonly ColumnPlace[]
  /** Index of the baseline in the row's cells, where differences are shown. */
  baseline: number | null
  metric: IndexMetric
  domain: HeatDomain
  /** Column of the cursor, where it is in this row. */
  activeColumn: number | null
  openRow: string | undefined
  idPrefix: string
  /** Beginnings of the answers by row id; undefined where they are not shown. */
  starts: AnswerStarts | undefined
  onPick: (row: number, column: number) => void
  onMore: (row: number) => void
}

/** Id of a cell's element, for `aria-activedescendant`. */
export const cellId = (prefix: string, row: number, column: number): string => `${prefix}-${row}-${column}`

/** One question and its cells in view. Drawn again only when it changes: scrolling moves the other rows past it. */
export const MatrixRow = memo(function MatrixRow(props: MatrixRowProps) {
  const { row, index, top, height, width, lines, isLong, isOpened, pinned, columns, baseline, metric, domain } = props
  const { activeColumn, openRow, idPrefix, starts, onPick, onMore } = props
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
        start={starts === undefined ? undefined : (starts[cell?.row_id ?? ''] ?? '')}
      />
    )
  }
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      className={styles.row}
      style={{ width, top, height, ['--answer-lines' as string]: answerLines(height) }}
      onClick={({ target }) => {
        const column = Number((target as HTMLElement).closest<HTMLElement>('[data-column]')?.dataset.column ?? NaN)
        if (!Number.isNaN(column)) onPick(index, column)
      }}
    >
      <div className={styles.question} role="rowheader" aria-colindex={1}>
        <div className={styles.questionBox}>
          <span className={styles.questionText} style={{ WebkitLineClamp: lines }}>
            {row !== undefined && questionOf(row)}
          </span>
          {isLong && (
            <button type="button" className={styles.more} tabIndex={-1} onClick={() => onMore(index)}>
              {isOpened ? WORDS.less : WORDS.more}
            </button>
          )}
        </div>
        <span className={styles.hops}>{row?.hops ?? ''}</span>
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
