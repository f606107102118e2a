/** Sizes of the grid in pixels; those of matrix.module.css. */
export const HEAD_HEIGHT = 134
const QUESTION_WIDTHS = { least: 300, leastBesideCell: 200, leastOfNarrow: 132, most: 720 } as const
/** Below this width of the grid, columns need the space of the questions. */
const NARROW = 560
/** The least holds a mean beside its interval. */
const COLUMN_WIDTHS = { least: 120, most: 320 } as const
export const ROW_HEIGHT = { comfortable: 36, compact: 28 } as const
/** Of rows that show answers: a line of figures, then three lines of text, or two. */
export const ANSWER_ROW_HEIGHT = { comfortable: 80, compact: 62 } as const

/** Lines of a question; 16 pixels each, those of matrix.module.css. */
export const questionLines = (rowHeight: number): number => Math.floor((rowHeight - 4) / 16)

/** Lines of an answer below the figures of its cell; 16 pixels each, those of matrix.module.css. */
export const answerLines = (rowHeight: number): number => Math.floor((rowHeight - 28) / 16)

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
  const bound =
    width > 0 && width < NARROW ? leastOfNarrow : besideCell || free >= leastBesideCell ? leastBesideCell : least
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
 * Returns how many rows are in the page at most. The element of a row is used again for the row that many indexes later: scrolling then changes texts
 * instead of removing rows from the page and adding new ones.
 */
export const rowPlaces = (height: number, rowHeight: number, shown: number): number =>
  Math.max(shown, Math.ceil(height / rowHeight) + 1 + 2 * OVERSCAN_ROWS)
