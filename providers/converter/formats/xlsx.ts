import { read, SSF, utils, type CellObject, type WorkSheet } from '@e965/xlsx'
import { cellText, type FormatNumber } from '../../../core/spreadsheet-cell.ts'
import { ConversionError } from '../model/conversion-error.ts'
import { tidy, type Block, type Document, type Table, type TableCell } from '../model/document.ts'
import { lowered, raised, writtenScripts } from '../model/scripts.ts'
import { MAX_TABLE_PLACES, isMostlyEmpty, tableOfRows, withHeaderRow } from '../model/table.ts'
import { openArchive, repack, type Archive } from './archive.ts'
import { unescapeXml } from './xml.ts'

const { format: formatNumber } = SSF as { format: FormatNumber }

/** Rows of one sheet that are read. */
const MAX_ROWS = 200_000

/** A workbook: each sheet a page with its name as heading; an empty row parts two tables. Cells show what Excel shows; what it hides is left out. */
export function readXlsx(bytes: Uint8Array): Document {
  const { workbook, parts } = open(bytes)
  const blocks: Block[] = []
  const warnings: string[] = []
  const left: LeftOut = { rows: 0, columns: 0, unformatted: [] }
  const date1904 = workbook.Workbook?.WBProps?.date1904 === true
  const hidden = workbook.SheetNames.filter((_, index) => (workbook.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0)
  const cut: string[] = []
  workbook.SheetNames.forEach((name, index) => {
    // A sheet without a part of its own has no entry.
    const sheet = workbook.Sheets[name]
    const tables = sheet === undefined || hidden.includes(name) ? [] : tablesOf(sheet, index + 1, date1904, left)
    if (tables.length === 0) return
    blocks.push({ kind: 'heading', level: 2, text: tidy(name), place: { page: index + 1, box: null } }, ...tables)
    if (sheet!['!fullref'] !== undefined && sheet!['!fullref'] !== sheet!['!ref']) cut.push(name)
  })
  warnings.push(...cut.map((name) => `sheet '${name}': only the first ${MAX_ROWS} rows were read`))
  const lastRow = lastRowOf(parts)
  if (cut.length === 0 && lastRow > MAX_ROWS)
    warnings.push(`a sheet has a row ${lastRow}: only the first ${MAX_ROWS} rows of each were read`)
  const counted = [counts(hidden.length, 'sheet'), counts(left.rows, 'row'), counts(left.columns, 'column')].flat()
  if (counted.length > 0) warnings.push(`hidden and left out: ${counted.join(', ')}`)
  const empty = formulasWithoutValue(parts)
  if (empty.length > 0)
    warnings.push(
      `${counts(empty.length, 'formula')[0]} without a stored value left out (first in ${empty[0]}): open the workbook in a spreadsheet program and save it`,
    )
  if (left.unformatted.length > 0)
    warnings.push(
      `${counts(left.unformatted.length, 'cell')[0]} (first ${left.unformatted[0]}) in a number format that cannot be applied: the plain value is given`,
    )
  const pages = workbook.SheetNames.map((_, index) => ({ number: index + 1, widthPt: 0, heightPt: 0 }))
  return { sourceFormat: 'xlsx', pages, blocks, images: [], warnings }
}

/** Describes what a sheet has besides its tables, and cells that its tables hold in another form. */
interface LeftOut {
  rows: number
  columns: number
  unformatted: string[]
}

const counts = (number: number, noun: string): string[] =>
  number === 0 ? [] : [`${number} ${noun}${number === 1 ? '' : 's'}`]

function open(bytes: Uint8Array) {
  const parts = openArchive(bytes, (name) => !name.startsWith('xl/media/'))
  try {
    const workbook = read(repack(parts), {
      type: 'array',
      dense: false,
      sheetRows: MAX_ROWS,
      cellFormula: false,
      // Raised text is in the HTML alone, hidden rows and columns are in the styles.
      cellHTML: true,
      cellStyles: true,
      cellNF: true,
    })
    return { workbook, parts }
  } catch (error) {
    if (/password|encrypt/i.test(String(error)))
      throw new ConversionError('encrypted', 'the workbook is encrypted: remove its password')
    throw new ConversionError('damaged', 'the workbook cannot be read', { cause: error })
  }
}

const sheetParts = (parts: Archive): Buffer[] =>
  Object.entries(parts)
    .filter(([name]) => /^xl\/worksheets\/[^/]+\.xml$/.test(name))
    .map(([, bytes]) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))

/** Cells whose formula was never computed, as programs leave them that only write workbooks; the library drops them in silence. */
const formulasWithoutValue = (parts: Archive): string[] =>
  sheetParts(parts).flatMap((xml) =>
    [...xml.toString('latin1').matchAll(EMPTY_FORMULA)].map(
      ([cell]) => /\sr="([A-Z]+\d+)"/.exec(cell)?.[1] ?? 'a cell',
    ),
  )

const EMPTY_FORMULA =
  /<c(?:\s[^>]*)?>\s*(?:<f(?:\s[^>]*)?>[^<]*<\/f>|<f(?:\s[^>]*)?\/>)\s*(?:<v\s*\/>|<v>\s*<\/v>)?\s*<\/c>/g

/** The largest number that a last row of the sheets has: the library leaves sparse rows beyond its limit out in silence. */
function lastRowOf(parts: Archive): number {
  const numbers = sheetParts(parts).map((xml) => {
    const at = xml.lastIndexOf('<row ')
    return at < 0 ? 0 : Number(/\sr="(\d+)"/.exec(xml.toString('latin1', at, at + 400))?.[1] ?? 0)
  })
  return Math.max(0, ...numbers)
}

function tablesOf(sheet: WorkSheet, page: number, date1904: boolean, left: LeftOut): Table[] {
  const [hiddenRows, hiddenColumns] = [hiddenOf(sheet['!rows']), hiddenOf(sheet['!cols'])]
  const merges = visibleMerges(sheet['!merges'] ?? [], hiddenRows, hiddenColumns)
  const texts = new Map<number, Map<number, string>>()
  const [usedRows, usedColumns] = [new Set<number>(), new Set<number>()]
  for (const [address, cell] of Object.entries(sheet)) {
    if (address.startsWith('!')) continue
    const { text, isFormatted } = cellText(cell as CellObject, formatNumber, date1904)
    const shown = withScripts(cell as CellObject) ?? tidy(text)
    if (shown === '') continue
    if (!isFormatted) left.unformatted.push(address)
    const { r, c } = utils.decode_cell(address)
    // The value of merged cells is in the first one, also where that is hidden and others are not.
    const isShown = merges.some(({ from }) => from.r === r && from.c === c)
    if (!isShown && (hiddenRows.has(r) || hiddenColumns.has(c))) {
      if (hiddenRows.has(r)) usedRows.add(r)
      else usedColumns.add(c)
      continue
    }
    const row = hiddenRows.before(r)
    if (!texts.has(row)) texts.set(row, new Map())
    texts.get(row)!.set(hiddenColumns.before(c), shown)
  }
  left.rows += usedRows.size
  left.columns += usedColumns.size
  const rows = [...texts.keys()].sort((left, right) => left - right)
  const bottom = (row: number): number =>
    Math.max(row, ...merges.filter(({ s, e }) => s.r <= row && row <= e.r).map(({ e }) => e.r))
  const islands: { from: number; to: number }[] = []
  for (const row of rows) {
    const last = islands.at(-1)
    if (last !== undefined && row <= last.to + 1) last.to = bottom(row)
    else islands.push({ from: row, to: bottom(row) })
  }
  return islands.map(({ from, to }) => island(texts, merges, from, to, page))
}

/** Text in which parts are raised or lowered; null for any other cell. */
function withScripts({ h }: CellObject): string | null {
  if (h === undefined || !/<su[pb]>/.test(h)) return null
  const marked = h.replaceAll(/<(su[pb])>(.*?)<\/\1>/gs, (_, kind: string, inner: string) =>
    (kind === 'sup' ? raised : lowered)(inner.replaceAll(/<[^>]*>/g, '')),
  )
  return tidy(writtenScripts(unescapeXml(marked.replaceAll(/<br\s*\/?>/g, ' ').replaceAll(/<[^>]*>/g, ''))))
}

/** Hidden rows or columns, and where a shown one comes when they are gone. */
function hiddenOf(all: readonly ({ hidden?: boolean } | undefined)[] | undefined) {
  const hidden = (all ?? []).flatMap((each, index) => (each?.hidden === true ? [index] : []))
  const set = new Set(hidden)
  const before = (index: number): number => {
    let [low, high] = [0, hidden.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (hidden[middle]! < index) low = middle + 1
      else high = middle
    }
    return index - low
  }
  return { has: (index: number): boolean => set.has(index), before }
}

type Hidden = ReturnType<typeof hiddenOf>

/** Merges without their hidden rows and columns, and the cell that holds the value of each. */
function visibleMerges(merges: NonNullable<WorkSheet['!merges']>, rows: Hidden, columns: Hidden) {
  return merges
    .map(({ s, e }) => ({
      from: s,
      s: { r: rows.before(s.r), c: columns.before(s.c) },
      e: { r: rows.before(e.r + 1) - 1, c: columns.before(e.c + 1) - 1 },
    }))
    .filter(({ s, e }) => e.r >= s.r && e.c >= s.c)
}

/** A table that is mostly empty, without its empty rows and columns and without merges. */
function filledOnly(used: readonly [number, Map<number, string>][], page: number): Table {
  const columns = [...new Set(used.flatMap(([, cells]) => [...cells.keys()]))].sort((a, b) => a - b)
  const rows = [...used].sort(([a], [b]) => a - b).map(([, cells]) => columns.map((column) => cells.get(column) ?? ''))
  return withHeaderRow(tableOfRows(rows, false, { page, box: null }))
}

type Merges = ReturnType<typeof visibleMerges>

function island(
  texts: Map<number, Map<number, string>>,
  merges: Merges,
  from: number,
  to: number,
  page: number,
): Table {
  const used = [...texts].filter(([row]) => row >= from && row <= to)
  const columns = used.flatMap(([, cells]) => [...cells.keys()])
  const left = columns.reduce((least, column) => Math.min(least, column), Infinity)
  const right = columns.reduce((most, column) => Math.max(most, column), 0)
  if (isMostlyEmpty((to - from + 1) * (right - left + 1), columns.length)) return filledOnly(used, page)
  if ((to - from + 1) * (right - left + 1) > MAX_TABLE_PLACES)
    throw new ConversionError('too_large', 'a sheet has more cells than can be converted')
  const spans = new Map(merges.map(({ s, e }) => [`${s.r} ${s.c}`, { rows: e.r - s.r + 1, columns: e.c - s.c + 1 }]))
  const covered = new Set(
    merges.flatMap(({ s, e }) => {
      if (s.r > to || e.r < from || (e.r - s.r + 1) * (e.c - s.c + 1) > MAX_TABLE_PLACES) return []
      const places: string[] = []
      for (let r = s.r; r <= e.r; r += 1)
        for (let c = s.c; c <= e.c; c += 1) if (r !== s.r || c !== s.c) places.push(`${r} ${c}`)
      return places
    }),
  )
  const cells: TableCell[] = []
  for (let row = from; row <= to; row += 1)
    for (let column = left; column <= right; column += 1) {
      const address = `${row} ${column}`
      if (covered.has(address)) continue
      const span = spans.get(address) ?? { rows: 1, columns: 1 }
      cells.push({
        row: row - from,
        column: column - left,
        rowSpan: Math.min(span.rows, to - row + 1),
        columnSpan: Math.min(span.columns, right - column + 1),
        text: texts.get(row)?.get(column) ?? '',
        isHeader: false,
      })
    }
  return withHeaderRow({
    kind: 'table',
    rows: to - from + 1,
    columns: right - left + 1,
    cells,
    caption: null,
    place: { page, box: null },
  })
}
