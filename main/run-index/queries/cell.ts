// One cell in full. The index keeps only the range of a row's line in its file: the row is read from there and compared with its row ID.
import { closeSync, readFileSync } from 'node:fs'
import type Database from 'better-sqlite3'
import type { z } from 'zod'
import type {
  AnswerSliceInput,
  AnswerSliceOutcome,
  AnswerStarts,
  AnswerStartsInput,
  CellInput,
  CellOutcome,
  CellVerdict,
} from '../../../contract/control/run-index/cell.ts'
import { MAX_ANSWER_BYTES } from '../../../contract/control/run-index/metrics.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { decodeLine } from '../../evidence/rows/row-line.ts'
import { historicalCell } from '../apply/historical-record.ts'
import { openIfExists, readFully } from '../threads/line-blocks.ts'
import { RunIndexError } from '../run-index-error.ts'
import { notFound } from './dataset-run.ts'
import { fitting, fitValue, jsonBytes, valueAt } from './fit-answer.ts'
import { wholeCharacters } from './text-query.ts'

const VERDICT_BUDGET_BYTES = 200_000
/** Reserved for what the engine adds: how the answer was prepared for the judges. */
const RESERVED_BYTES = 25_000

/** One cell in full, read from its file; texts that would make the answer too large are cut, and `cuts` lists them. Throws `too_large`. */
export function cell(db: Database.Database, { run_id, row_id }: CellInput, rows = new RowCache()): CellOutcome {
  const location = locateRow(db, run_id, row_id)
  if (location === null) return notFound(`row ${row_id} in a run ${run_id}`)
  const stored = rows.read(location)
  if (!stored.ok) return stored
  const verdicts = verdictsOf(db, location)
  const fitted = fitValue(stored.value, MAX_ANSWER_BYTES - RESERVED_BYTES - jsonBytes(verdicts))
  if (fitted === null) throw new RunIndexError('too_large', `row ${row_id} does not fit into an answer, even cut down`)
  const { value, cuts } = fitted
  return location.kind === 'canonical'
    ? { ok: true, kind: 'canonical', row: value as CanonicalRow, cuts, verdicts }
    : {
        ok: true,
        kind: 'historical',
        cell: value as Extract<CellOutcome, { kind: 'historical' }>['cell'],
        cuts,
        verdicts,
      }
}

function verdictsOf(db: Database.Database, { scope, question, alias }: CellLocation): CellVerdict[] {
  const rows = db
    .prepare<[number, number, number], Omit<CellVerdict, 'best'> & { best: number }>(
      `SELECT judge, score, best, substr(reason, 1, 4000) AS reason FROM verdicts
       WHERE scope = ? AND question = ? AND alias = ? ORDER BY judge`,
    )
    .all(scope, question, alias)
  return fitting(
    rows.map((row) => ({ ...row, best: row.best === 1 })),
    VERDICT_BUDGET_BYTES,
  )
}

/** A part of a text in a cell's row: of its answer, or of any other that `cell` had to cut. */
export function answerSlice(
  db: Database.Database,
  input: z.output<typeof AnswerSliceInput>,
  rows = new RowCache(),
): AnswerSliceOutcome {
  const { run_id, row_id, path, offset, limit } = input
  const location = locateRow(db, run_id, row_id)
  if (location === null) return notFound(`row ${row_id} in a run ${run_id}`)
  const stored = rows.read(location)
  if (!stored.ok) return stored
  const text = valueAt(stored.value, path)
  if (typeof text !== 'string')
    return { ok: false, code: 'not_a_text', message: `there is no text at ${JSON.stringify(path)}` }
  const { start, end } = wholeCharacters(text, offset, offset + limit)
  return { ok: true, text: text.slice(start, end), total: text.length, next_offset: end < text.length ? end : null }
}

const START_CHARACTERS = 240

/** The beginning of each answer on one line; rows without one, or that cannot be read, are left out. */
export function answerStarts(db: Database.Database, { run_id, row_ids }: AnswerStartsInput): AnswerStarts {
  const starts: AnswerStarts['starts'] = {}
  for (const rowId of new Set(row_ids)) {
    const location = locateRow(db, run_id, rowId)
    const stored = location === null ? null : readStoredRow(location)
    if (location === null || stored?.ok !== true) continue
    const answer = valueAt(stored.value, location.kind === 'canonical' ? ['evidence', 'answer'] : ['answer'])
    if (typeof answer !== 'string') continue
    const line = answer
      .slice(0, wholeCharacters(answer, 0, 4 * START_CHARACTERS).end)
      .replace(/\s+/g, ' ')
      .trim()
    starts[rowId] = line.slice(0, wholeCharacters(line, 0, START_CHARACTERS).end)
  }
  return { starts }
}

/** Describes where the row of a cell is stored. */
export interface CellLocation {
  scope: number
  question: number
  alias: number
  kind: 'canonical' | 'historical'
  path: string
  /** Of the indexed part of the file. */
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
function locateRow(db: Database.Database, runId: string, rowId: string): CellLocation | null {
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
  | { ok: true; value: Record<string, unknown> }
  | { ok: false; code: 'file_missing' | 'file_changed'; message: string }

/** Remembers the last long row: its texts are requested slice by slice, and reading the whole row for each would take most of the time. */
export class RowCache {
  #key = ''
  #row: StoredRow | null = null

  /** Like `readStoredRow`; a remembered row was checked when it was read. */
  read(location: CellLocation): StoredRow {
    const key = JSON.stringify([location.path, location.sha256, location.offset, location.rowId])
    if (this.#row !== null && this.#key === key) return this.#row
    const row = readStoredRow(location)
    const isLong = (location.length ?? Infinity) > LONG_ROW_BYTES
    this.#key = key
    this.#row = row.ok && isLong ? row : null
    return row
  }
}

const LONG_ROW_BYTES = 200_000

/** The row as its file has it: a canonical row without its checksum, or the cell of a snapshot. Throws the system's error. */
export function readStoredRow(location: CellLocation): StoredRow {
  const fd = openIfExists(location.path)
  if (fd === null) return { ok: false, code: 'file_missing', message: `${location.path} is missing` }
  try {
    return location.kind === 'canonical' ? readCanonical(fd, location) : readHistorical(fd, location)
  } finally {
    closeSync(fd)
  }
}

const changed = ({ path }: CellLocation, problem: string): StoredRow => ({
  ok: false,
  code: 'file_changed',
  message: `${path} has changed since it was indexed: ${problem}`,
})

function readCanonical(fd: number, location: CellLocation): StoredRow {
  const line = Buffer.allocUnsafeSlow(location.length!)
  if (readFully(fd, line, location.offset!) < line.length) return changed(location, 'it ends before this row')
  const decoded = decodeLine(line, 'quick')
  if (!decoded.ok) return changed(location, decoded.problem)
  if (decoded.row.row_id !== location.rowId) return changed(location, 'another row is there')
  return { ok: true, value: decoded.row as unknown as Record<string, unknown> }
}

function readHistorical(fd: number, location: CellLocation): StoredRow {
  try {
    const cell = historicalCell(readFileSync(fd, 'utf8'), location.questionId, location.model)
    return cell === null ? changed(location, 'it has no such cell') : { ok: true, value: cell }
  } catch (error) {
    if (error instanceof SyntaxError) return changed(location, 'not JSON')
    throw error
  }
}
