import type Database from 'better-sqlite3'
import type { CellPlace, Scope } from './cell-writer.ts'
import type { CellRecord } from './cell-record.ts'
import { STATUS_CODES } from './schema.ts'

/** Stand for null in the key of a tally. */
const NO_EVALUATION = -1
export const NO_PROVENANCE = 0

interface Tally {
  key: [alias: number, status: number, evaluation: number, error_type: string, provenance: number]
  cells: number
}

/** Counts cells by all that a summary tells them apart by, so that it need not look at each of them. */
export class CellTallies {
  readonly #add: Database.Statement
  #tallies = new Map<string, Tally>()

  constructor(db: Database.Database) {
    this.#add = db.prepare(
      `INSERT INTO cell_tallies (scope, alias, status, evaluation, error_type, provenance, cells) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET cells = cells + excluded.cells`,
    )
  }

  count(alias: number, { status, evaluation, errorType }: CellRecord, place: CellPlace | null): void {
    const key: Tally['key'] = [
      alias,
      STATUS_CODES[status],
      evaluation ?? NO_EVALUATION,
      errorType ?? '',
      place?.provenance ?? NO_PROVENANCE,
    ]
    const name = key.join(' ')
    let tally = this.#tallies.get(name)
    if (tally === undefined) this.#tallies.set(name, (tally = { key, cells: 0 }))
    tally.cells += 1
  }

  /** Writes what was counted since the last call. */
  finish(scope: Scope): void {
    for (const { key, cells } of this.#tallies.values()) this.#add.run(scope.id, ...key, cells)
    this.forget()
  }

  forget(): void {
    this.#tallies = new Map()
  }
}
