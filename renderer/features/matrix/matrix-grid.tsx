import { Button } from '@mantine/core'
import { useElementSize, useMergedRef } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { ColumnHeads } from '../../../contract/control/run-index/matrix-page.ts'
import type { RunDatasetSummary } from '../../../contract/control/run-index/runs.ts'
import type { MetricComparison } from '../../../contract/evidence/statistics.ts'
import type { MatrixSearch } from '../../app/search-params.ts'
import { count } from '../../components/format.ts'
import type { HeatDomain } from '../../components/heat.ts'
import { ErrorPanel } from '../../components/states.tsx'
import { usePreferences } from '../../stores/preferences.ts'
import { ColumnHead } from './column-head.tsx'
import {
  ANSWER_ROW_HEIGHT,
  columnOrder,
  type ColumnPlace,
  columnWidth,
  HEAD_HEIGHT,
  isNarrow,
  LINE_HEIGHT,
  mostLines,
  pageRows,
  questionTextWidth,
  questionWidth,
  ROW_HEIGHT,
  ROW_MARGINS,
  rowPlaces,
  rowsDrawn,
  shownLines,
} from './geometry.ts'
import { isWhole, useQuestionLines, useRowLayout } from './row-heights.ts'
import { useAnswerStarts } from './answer-starts.ts'
import { type MatrixList, useFirstPage, useMatrixRows } from './matrix-query.ts'
import { cellId, MatrixRow } from './matrix-row.tsx'
import { MATRIX_WORDS as WORDS } from './matrix-words.ts'
import { NO_FILTERS, useMatrixKeys } from './use-matrix-keys.ts'
import styles from './matrix.module.css'

interface MatrixGridProps {
  input: MatrixList
  dataset: RunDatasetSummary
  heads: ColumnHeads | undefined
  comparison: MetricComparison | undefined
  baseline: string | null
  domain: HeatDomain
  metric: IndexMetric
  search: MatrixSearch
  set: (part: Partial<MatrixSearch>) => void
  textInput: RefObject<HTMLInputElement | null>
}

/** Questions that are longer than rows show, opened by a person, by their index in a list. */
interface Opened {
  list: string
  rows: readonly number[]
}

const NOTHING_PINNED: string[] = []

/** The grid: only rows and columns in view are in the page, each at its absolute place; pinned columns stay beside the question. */
export function MatrixGrid(props: MatrixGridProps) {
  const { input, dataset, heads, comparison, baseline, domain, metric, search, set, textInput } = props
  const scroller = useRef<HTMLDivElement>(null)
  const canvas = useRef<HTMLDivElement>(null)
  const { ref: measured, width: scrollerWidth } = useElementSize<HTMLDivElement>()
  const attach = useMergedRef(scroller, measured)
  const idPrefix = useId()
  const showsAnswers = search.answers === true
  const density = usePreferences((state) => state.density)
  const least = (showsAnswers ? ANSWER_ROW_HEIGHT : ROW_HEIGHT)[density]
  const pinned = search.pinned ?? NOTHING_PINNED
  const aliases = useMemo(() => dataset.aliases.map(({ model }) => model), [dataset.aliases])
  const hidden = search.hidden ?? NOTHING_PINNED
  const { order, pins } = useMemo(() => columnOrder(aliases, pinned, hidden), [aliases, pinned, hidden])
  const cellWidth = columnWidth(scrollerWidth, order.length, showsAnswers)
  const firstColumn = questionWidth(scrollerWidth, order.length * cellWidth, search.cell !== undefined)
  const pinsWidth = pins * cellWidth
  const limit = pageRows(aliases.length)
  const first = useFirstPage(input, limit)
  const matching = first.data?.matching ?? dataset.questions
  const list = JSON.stringify(input)
  const questions = useQuestionLines(list, questionTextWidth(firstColumn, scrollerWidth))
  const [opened, setOpened] = useState<Opened>({ list, rows: [] })
  const openedRows = opened.list === list ? opened.rows : []
  const most = mostLines(scrollerWidth)
  const linesFor = (row: number): number => shownLines(questions.lines.of(row), most, openedRows.includes(row))
  const margins = ROW_MARGINS[isNarrow(scrollerWidth) ? 'compact' : density]
  const heightOf = (row: number): number => Math.max(least, linesFor(row) * LINE_HEIGHT + margins)
  const rowsInView = useVirtualizer({
    count: matching,
    getScrollElement: () => scroller.current,
    estimateSize: heightOf,
    paddingStart: HEAD_HEIGHT,
    scrollPaddingStart: HEAD_HEIGHT,
    rangeExtractor: ({ startIndex, count: all }) => rowsDrawn(startIndex, all, places()),
  })
  const places = (): number => rowPlaces(rowsInView.scrollRect?.height ?? 0, least)
  const columnsInView = useVirtualizer({
    horizontal: true,
    count: order.length - pins,
    getScrollElement: () => scroller.current,
    estimateSize: () => cellWidth,
    paddingStart: firstColumn + pinsWidth,
    scrollPaddingStart: firstColumn + pinsWidth,
    overscan: 2,
  })
  // Sizes of the previous width are kept until they are measured again.
  useEffect(() => columnsInView.measure(), [columnsInView, cellWidth])
  const shownRows = rowsInView.getVirtualItems()
  const scrolled = columnsInView.getVirtualItems()
  const pinnedPlaces = useMemo(
    () => order.slice(0, pins).map((source, column): ColumnPlace => ({ column, source, left: column * cellWidth })),
    [order, pins, cellWidth],
  )
  const shownColumns = useMemo(
    () =>
      scrolled.flatMap(({ index, start }): ColumnPlace[] => {
        const source = order[index + pins]
        return source === undefined ? [] : [{ column: index + pins, source, left: start }]
      }),
    [scrolled, order, pins],
  )
  const rows = useMatrixRows(
    input,
    limit,
    first,
    shownRows.map(({ index }) => index),
  )
  const startsOf = useAnswerStarts({
    run: input.run_id,
    columns: aliases.length,
    row: rows.row,
    shown: showsAnswers ? shownRows.map(({ index }) => index) : [],
  })
  const sortBy = (alias: string): void => {
    const same = search.sort === 'value' && search.sortAlias === alias
    if (!same) set({ sort: 'value', sortAlias: alias, descending: undefined })
    else if (search.descending !== true) set({ descending: true })
    else set({ sort: undefined, sortAlias: undefined, descending: undefined })
  }
  const pin = (alias: string): void => {
    const next = pinned.includes(alias) ? pinned.filter((each) => each !== alias) : [...pinned, alias]
    set({ pinned: next.length === 0 ? undefined : next })
  }
  const hide = (alias: string): void => set({ hidden: [...hidden, alias] })
  const more = (row: number): void => {
    if (questions.lines.of(row) <= most) return
    const others = openedRows.filter((each) => each !== row)
    setOpened({ list, rows: others.length < openedRows.length ? others : [...others, row] })
  }
  const { place, moveTo, onKeyDown } = useMatrixKeys({
    rows: matching,
    columns: order.length,
    baseline,
    search,
    set,
    textInput,
    onSort: sortBy,
    onPin: pin,
    onHide: hide,
    onMore: more,
    pageRows: Math.max(1, shownRows.filter((row) => isWhole(rowsInView, row)).length),
    aliasAt: (column) => aliases[order[column] ?? -1],
    cellAt: ({ row, column }) => {
      const found = rows.row(row)
      return found === undefined ? undefined : (found.cells[order[column] ?? -1] ?? null)
    },
    reveal: ({ row, column }) => {
      rowsInView.scrollToIndex(row)
      if (column >= pins) columnsInView.scrollToIndex(column - pins)
    },
  })
  useRowLayout({
    rows: rowsInView,
    questions,
    pages: rows.pages,
    key: `${least} ${margins} ${most} ${questions.key} ${openedRows.join()}`,
    cursor: place.row,
    canvas,
  })
  const pick = (row: number, column: number): void => {
    moveTo({ row, column })
    const cell = rows.row(row)?.cells[order[column] ?? -1]
    if (cell) set({ cell: cell.row_id, against: undefined })
  }
  // A row or head that is drawn once calls the newest functions.
  const latest = useRef({ pick, sortBy, pin, hide, more })
  useEffect(() => {
    latest.current = { pick, sortBy, pin, hide, more }
  })
  const onPick = useCallback((row: number, column: number) => latest.current.pick(row, column), [])
  const onSort = useCallback((alias: string) => latest.current.sortBy(alias), [])
  const onPin = useCallback((alias: string) => latest.current.pin(alias), [])
  const onHide = useCallback((alias: string) => latest.current.hide(alias), [])
  const onMore = useCallback((row: number) => latest.current.more(row), [])
  const width = firstColumn + order.length * cellWidth
  if (rows.error !== null)
    return <ErrorPanel error={rows.error} what={WORDS.matrix} retry={() => void first.refetch()} />
  const placeShown =
    shownRows.some(({ index }) => index === place.row) &&
    (place.column < pins || shownColumns.some(({ column }) => column === place.column))
  const headOf = ({ column, source, left }: ColumnPlace) => {
    const alias = aliases[source]!
    const sorted = search.sort === 'value' && search.sortAlias === alias
    return (
      <ColumnHead
        key={alias}
        run={input.run_id}
        dataset={input.dataset_id}
        {...{ alias, metric, baseline, comparison, left, index: column, pinned: column < pins, onSort, onPin, onHide }}
        head={heads?.heads.find(({ model }) => model === alias)}
        sorted={sorted ? (search.descending === true ? 'descending' : 'ascending') : null}
      />
    )
  }
  return (
    <div
      ref={attach}
      className={styles.scroller}
      data-answers={showsAnswers || undefined}
      data-narrow={isNarrow(scrollerWidth) || undefined}
      role="grid"
      tabIndex={0}
      aria-label={WORDS.grid(dataset.label)}
      aria-rowcount={matching + 1}
      aria-colcount={order.length + 1}
      aria-busy={first.isPlaceholderData}
      {...(placeShown ? { 'aria-activedescendant': cellId(idPrefix, place.row, place.column) } : {})}
      onKeyDown={onKeyDown}
    >
      <div
        ref={canvas}
        className={styles.canvas}
        style={{
          width,
          height: rowsInView.getTotalSize(),
          ['--question-width' as string]: `${firstColumn}px`,
          ['--cell-width' as string]: `${cellWidth}px`,
          ['--pins-width' as string]: `${pinsWidth}px`,
        }}
        role="presentation"
      >
        <div className={styles.head} role="row" aria-rowindex={1} style={{ width }}>
          <div className={styles.corner} role="columnheader" aria-colindex={1}>
            <span>
              {WORDS.questions(count(matching), count(first.data?.questions ?? dataset.questions))}
              {matching < dataset.questions && WORDS.meansOverAll}
            </span>
            <span>{WORDS.hopsColumn}</span>
          </div>
          {pins > 0 && (
            <div className={styles.headPins} role="presentation">
              {pinnedPlaces.map(headOf)}
            </div>
          )}
          {shownColumns.map(headOf)}
        </div>
        {shownRows.map(({ index, start, size }) => (
          <MatrixRow
            key={index % places()}
            {...{ index, width, metric, domain, idPrefix, onPick, onMore }}
            row={rows.row(index)}
            top={start}
            height={size}
            lines={linesFor(index)}
            isLong={questions.lines.of(index) > most}
            isOpened={openedRows.includes(index)}
            pinned={pinnedPlaces}
            columns={shownColumns}
            baseline={domain.diverging === undefined || baseline === null ? null : aliases.indexOf(baseline)}
            activeColumn={place.row === index ? place.column : null}
            openRow={search.cell}
            starts={showsAnswers ? startsOf(index) : undefined}
          />
        ))}
        {matching === 0 && (
          <div className={styles.none}>
            <p>{WORDS.noMatch(count(first.data?.questions ?? 0))}</p>
            <Button mt={8} onClick={() => set(NO_FILTERS)}>
              {WORDS.clearAll}
            </Button>
          </div>
        )}
      </div>
    </div>
  )
}
