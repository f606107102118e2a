import type { z } from 'zod'
import type Database from 'better-sqlite3'
import {
  MAX_ANSWER_BYTES,
  type AnswerSliceInput,
  type AnswerSliceOutcome,
  type CanonicalRow,
  type CellInput,
  type CellOutcome,
  type CellVerdict,
} from '../../../contract/index.ts'
import { RunIndexError } from '../run-index-error.ts'
import { notFound } from './dataset-run.ts'
import { fitValue, valueAt } from './fit-value.ts'
import { fitting, jsonBytes } from './page-budget.ts'
import { locateRow, RowCache, type CellLocation } from './stored-row.ts'
import { wholeCharacters } from './text-query.ts'

const VERDICT_BUDGET_BYTES = 200_000
/** Room for what the engine adds: how the answer was prepared for the judges. */
const RESERVED_BYTES = 25_000

/** One cell in full, read from its file; texts that would make the answer too large are cut, and `cuts` names them. Throws `too_large`. */
export function cell(db: Database.Database, { run_id, row_id }: CellInput, rows = new RowCache()): CellOutcome {
  const place = locateRow(db, run_id, row_id)
  if (place === null) return notFound(`row ${row_id} in a run ${run_id}`)
  const stored = rows.read(place)
  if (!stored.ok) return stored
  const verdicts = verdictsOf(db, place)
  const fitted = fitValue(stored.value, MAX_ANSWER_BYTES - RESERVED_BYTES - jsonBytes(verdicts))
  if (fitted === null) throw new RunIndexError('too_large', `row ${row_id} does not fit into an answer, even cut down`)
  const { value, cuts } = fitted
  return place.kind === 'canonical'
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
  const place = locateRow(db, run_id, row_id)
  if (place === null) return notFound(`row ${row_id} in a run ${run_id}`)
  const stored = rows.read(place)
  if (!stored.ok) return stored
  const text = valueAt(stored.value, path)
  if (typeof text !== 'string')
    return { ok: false, code: 'not_a_text', message: `there is no text at ${JSON.stringify(path)}` }
  const { start, end } = wholeCharacters(text, offset, offset + limit)
  return { ok: true, text: text.slice(start, end), total: text.length, next_offset: end < text.length ? end : null }
}
