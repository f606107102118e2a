import { closeSync, readFileSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { decodeLine } from '../../evidence/row-line.ts'
import { historicalCell } from '../historical-record.ts'
import { readFully } from '../line-blocks.ts'
import { openIfThere } from '../open-if-there.ts'

/** Where a cell's row stands. */
export interface CellLocation {
  scope: number
  question: number
  alias: number
  kind: 'canonical' | 'historical'
  path: string
  /** Of the file as far as it is indexed. */
  sha256: string | null
  offset: number | null
  length: number | null
  rowId: string
  questionId: string
  model: string
}

const LOCATE = `SELECT c.scope, c.question, c.alias, d.kind, a.path, a.sha256, c.offset, c.length, lower(hex(c.row_id)) AS rowId,
  q.question_id AS questionId, m.model
  FROM cells c JOIN dataset_runs d ON d.id = c.scope JOIN artifacts a ON a.id = d.owner
  JOIN questions q ON q.id = c.question JOIN aliases m ON m.id = c.alias`

/** Null when the index has no such row. */
export function locateRow(db: Database.Database, runId: string, rowId: string): CellLocation | null {
  const found = db
    .prepare<[string, Buffer], CellLocation>(
      `${LOCATE} WHERE c.run_id = (SELECT id FROM runs WHERE run_id = ?) AND c.row_id = ?`,
    )
    .get(runId, Buffer.from(rowId, 'hex'))
  return found ?? null
}

/** By the cell's number in the index. */
export const locateCell = (db: Database.Database, cell: number): CellLocation | null =>
  db.prepare<[number], CellLocation>(`${LOCATE} WHERE c.id = ?`).get(cell) ?? null

export type StoredRow =
  { ok: true; value: Record<string, unknown> } | { ok: false; code: 'file_missing' | 'file_changed'; message: string }

/** Remembers the last long row: its texts are read slice by slice, and reading it whole each time would take most of the time. */
export class RowCache {
  #key = ''
  #row: StoredRow | null = null

  /** As `readStoredRow`; what it remembers was checked when it was read. */
  read(place: CellLocation): StoredRow {
    const key = JSON.stringify([place.path, place.sha256, place.offset, place.rowId])
    if (this.#row !== null && this.#key === key) return this.#row
    const row = readStoredRow(place)
    const isLong = (place.length ?? Infinity) > LONG_ROW_BYTES
    this.#key = key
    this.#row = row.ok && isLong ? row : null
    return row
  }
}

const LONG_ROW_BYTES = 200_000

/** The row as its file has it: a canonical row without its checksum, or the cell of a snapshot. Throws the system's error. */
export function readStoredRow(place: CellLocation): StoredRow {
  const fd = openIfThere(place.path)
  if (fd === null) return { ok: false, code: 'file_missing', message: `${place.path} is gone` }
  try {
    return place.kind === 'canonical' ? readCanonical(fd, place) : readHistorical(fd, place)
  } finally {
    closeSync(fd)
  }
}

const changed = ({ path }: CellLocation, problem: string): StoredRow => ({
  ok: false,
  code: 'file_changed',
  message: `${path} is not as it was indexed: ${problem}`,
})

function readCanonical(fd: number, place: CellLocation): StoredRow {
  const line = Buffer.allocUnsafeSlow(place.length!)
  if (readFully(fd, line, place.offset!) < line.length) return changed(place, 'it ends before this row')
  const decoded = decodeLine(line, 'quick')
  if (!decoded.ok) return changed(place, decoded.problem)
  if (decoded.row.row_id !== place.rowId) return changed(place, 'another row stands there')
  return { ok: true, value: decoded.row as unknown as Record<string, unknown> }
}

function readHistorical(fd: number, place: CellLocation): StoredRow {
  try {
    const cell = historicalCell(readFileSync(fd, 'utf8'), place.questionId, place.model)
    return cell === null ? changed(place, 'it has no such cell') : { ok: true, value: cell }
  } catch (error) {
    if (error instanceof SyntaxError) return changed(place, 'not JSON')
    throw error
  }
}
