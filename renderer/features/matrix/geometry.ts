/** Sizes of the grid in pixels; those of matrix.module.css. */
export const HEAD_HEIGHT = 134
const QUESTION_WIDTHS = { least: 300, leastBesideCell: 200, leastOfNarrow: 132, most: 720 } as const
const NARROW = 560
/** The least holds a mean beside its interval. */
const COLUMN_WIDTHS = { least: 120, most: 320 } as const
/** Least heights of rows; a row is as high as its question. */
export const ROW_HEIGHT = { comfortable: 36, compact: 28 } as const
/** The same of rows that show answers: a line of figures, then three lines of text, or two. */
export const ANSWER_ROW_HEIGHT = { comfortable: 80, compact: 62 } as const
/** Above and below the lines of a question. */
export const ROW_MARGINS = { comfortable: 8, compact: 4 } as const
/** Of questions and answers. */
export const LINE_HEIGHT = 16

/** Of the grid: columns need the space of the questions. */
export const isNarrow = (width: number): boolean => width > 0 && width < NARROW

/** Lines of a question that a row shows unless it is opened: fewer where a line holds few words. */
export const mostLines = (width: number): number => (isNarrow(width) ? 2 : 8)

/** Lines that a row has for a question: all where it is opened, and one for the button that closes it. */
export const shownLines = (lines: number, most: number, isOpened: boolean): number =>
  lines <= most ? lines : isOpened ? lines + 1 : most

/** Lines of an answer below the figures of its cell. */
export const answerLines = (rowHeight: number): number => Math.floor((rowHeight - 28) / LINE_HEIGHT)

/** What a question has at its sides: margins, line, and its hops after a gap. */
const QUESTION_SIDES = { wide: 33 + 8 + 16, narrow: 17 + 6 + 12 } as const

/** Width of the text of a question; 0 while that of the grid is unknown. */
export const questionTextWidth = (questionWidth: number, width: number): number =>
  width === 0 ? 0 : questionWidth - (isNarrow(width) ? QUESTION_SIDES.narrow : QUESTION_SIDES.wide)

/** Columns of answers share the width that the narrowest question leaves; those of figures have one width. */
export const columnWidth = (width: number, columns: number, withAnswers: boolean): number =>
  withAnswers
    ? Math.min(
        COLUMN_WIDTHS.most,
        Math.max(COLUMN_WIDTHS.least, Math.floor((width - QUESTION_WIDTHS.leastBesideCell) / Math.max(columns, 1))),
      )
    : COLUMN_WIDTHS.least

/** The question takes what the columns leave free, within its bounds; it may be narrower beside an open cell, in a narrow window, and where all columns fit then. */
export function questionWidth(width: number, columnsWidth: number, besideCell: boolean): number {
  const { least, leastBesideCell, leastOfNarrow, most } = QUESTION_WIDTHS
  const free = Math.floor(width - columnsWidth)
  const bound = isNarrow(width) ? leastOfNarrow : besideCell || free >= leastBesideCell ? leastBesideCell : least
  return Math.min(most, Math.max(bound, free))
}

/** A column of the grid: its index from the left, and the index of its alias in the answers of the run index. */
export interface ColumnPlace {
  column: number
  source: number
  /** Pixels from the grid's left end; of a pinned column, from the end of the question. */
  left: number
}

/** Indexes in the answers in the order of the columns: pinned aliases first, in the order of pinning; hidden ones are left out. */
export function columnOrder(
  aliases: readonly string[],
  pinned: readonly string[],
  hidden: readonly string[],
): { order: number[]; pins: number } {
  const shown = (source: number): boolean => !hidden.includes(aliases[source]!)
  const first = pinned.map((alias) => aliases.indexOf(alias)).filter((source) => source >= 0 && shown(source))
  const rest = aliases.map((_, source) => source).filter((source) => !first.includes(source) && shown(source))
  return { order: [...first, ...rest], pins: first.length }
}

const PAGE_BYTES = 600_000

/** Rows requested at a time: as many as certainly fit into one answer, at most 100. */
export const pageRows = (columns: number): number =>
  Math.max(10, Math.min(100, Math.floor(PAGE_BYTES / (900 + 300 * columns))))

/** Rows drawn above and below those in view. */
export const OVERSCAN_ROWS = 6

/**
 * Returns how many rows are in the page: as many as the lowest ones need. The element of a row is used again for the row that many indexes later: scrolling then
 * changes texts instead of removing rows from the page and adding new ones.
 */
export const rowPlaces = (height: number, leastHeight: number): number =>
  Math.ceil(height / leastHeight) + 1 + 2 * OVERSCAN_ROWS

/** Indexes of the rows in the page, whatever their heights. */
export function rowsDrawn(firstInView: number, count: number, places: number): number[] {
  const from = Math.max(0, Math.min(firstInView - OVERSCAN_ROWS, count - places))
  return Array.from({ length: Math.min(places, count) }, (_, at) => from + at)
}
