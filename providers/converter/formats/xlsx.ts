import { read, utils } from '@e965/xlsx'
import type { WorkSheet } from '@e965/xlsx'
import { ConversionError } from '../model/conversion-error.ts'
import { tidy } from '../model/document.ts'
import type { Block, Document, Table, TableCell } from '../model/document.ts'
import { MAX_TABLE_PLACES, isMostlyEmpty, tableOfRows, withHeaderRow } from '../model/table.ts'
import { openArchive, repack } from './archive.ts'
import type { Archive } from './archive.ts'

/** Rows of one sheet that are read. */
const MAX_ROWS = 200_000

/** A workbook: each sheet a page with its name as heading; an empty row parts two tables. Cells show what Excel shows. */
export function readXlsx(bytes: Uint8Array): Document {
  const { workbook, lastRow } = open(bytes)
  const blocks: Block[] = []
  const warnings: string[] = []
  const cut: string[] = []
  workbook.SheetNames.forEach((name, index) => {
    // A sheet without a part of its own has no entry.
    const sheet = workbook.Sheets[name]
    const tables = sheet === undefined ? [] : tablesOf(sheet, index + 1)
    if (tables.length === 0) return
    blocks.push({ kind: 'heading', level: 2, text: tidy(name), place: { page: index + 1, box: null } }, ...tables)
    if (sheet!['!fullref'] !== undefined && sheet!['!fullref'] !== sheet!['!ref']) cut.push(name)
  })
  warnings.push(...cut.map((name) => `sheet '${name}': only the first ${MAX_ROWS} rows were read`))
  if (cut.length === 0 && lastRow > MAX_ROWS)
    warnings.push(`a sheet has a row ${lastRow}: only the first ${MAX_ROWS} rows of each were read`)
  const pages = workbook.SheetNames.map((_, index) => ({ number: index + 1, widthPt: 0, heightPt: 0 }))
  return { sourceFormat: 'xlsx', pages, blocks, images: [], warnings }
}

function open(bytes: Uint8Array) {
  const parts = openArchive(bytes, (name) => !name.startsWith('xl/media/'))
  try {
    const workbook = read(repack(parts), {
      type: 'array',
      dense: false,
      sheetRows: MAX_ROWS,
      cellFormula: false,
      cellHTML: false,
    })
    return { workbook, lastRow: lastRowOf(parts) }
  } catch (error) {
    if (/password|encrypt/i.test(String(error)))
      throw new ConversionError('encrypted', 'the workbook is encrypted: remove its password')
    throw new ConversionError('damaged', 'the workbook cannot be read', { cause: error })
  }
}

/** The largest number that a last row of the sheets has: the library leaves sparse rows beyond its limit out in silence. */
function lastRowOf(parts: Archive): number {
  const numbers = Object.entries(parts)
    .filter(([name]) => /^xl\/worksheets\/[^/]+\.xml$/.test(name))
    .map(([, bytes]) => {
      const xml = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      const at = xml.lastIndexOf('<row ')
      return at < 0 ? 0 : Number(/\sr="(\d+)"/.exec(xml.toString('latin1', at, at + 400))?.[1] ?? 0)
    })
  return Math.max(0, ...numbers)
}

function tablesOf(sheet: WorkSheet, page: number): Table[] {
  const texts = new Map<number, Map<number, string>>()
  for (const [address, cell] of Object.entries(sheet)) {
    if (address.startsWith('!')) continue
    const { w, v } = cell as { w?: string; v?: string | number | boolean | Date | null }
    const text = tidy(w ?? (v === undefined || v === null ? '' : String(v)))
    if (text === '') continue
    const { r, c } = utils.decode_cell(address)
    if (!texts.has(r)) texts.set(r, new Map())
    texts.get(r)!.set(c, text)
  }
  const rows = [...texts.keys()].sort((left, right) => left - right)
  const merges = sheet['!merges'] ?? []
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

/** A table that is mostly empty, without its empty rows and columns and without merges. */
function filledOnly(used: readonly [number, Map<number, string>][], page: number): Table {
  const columns = [...new Set(used.flatMap(([, cells]) => [...cells.keys()]))].sort((a, b) => a - b)
  const rows = [...used].sort(([a], [b]) => a - b).map(([, cells]) => columns.map((column) => cells.get(column) ?? ''))
  return withHeaderRow(tableOfRows(rows, false, { page, box: null }))
}

type Merges = NonNullable<WorkSheet['!merges']>

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
