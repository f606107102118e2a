import type Database from 'better-sqlite3'
import type { CellPlace, Scope } from './cell-writer.ts'
import type { CellRecord } from './cell-record.ts'
import { INDEX_METRICS, metricPlace } from './metric-columns.ts'
import { STATUS_CODES } from './schema.ts'

/** Stand for null in the key of a tally. */
const NO_EVALUATION = -1
export const NO_PROVENANCE = 0

interface Tally {
  key: [alias: number, status: number, evaluation: number, error_type: string, provenance: number]
  cells: number
  answered: number
  answeredMs: number
  /** Bit per metric that any of the cells has a value for. */
  valued: number
}

const LATENCY = metricPlace('latency_ms')

/** Counts cells by all that a summary tells them apart by, so that it need not look at each of them. */
export class CellTallies {
  readonly #add: Database.Statement
  #tallies = new Map<string, Tally>()

  constructor(db: Database.Database) {
    this.#add = db.prepare(
      `INSERT INTO cell_tallies (scope, alias, status, evaluation, error_type, provenance, cells, answered, answered_ms, valued)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET cells = cells + excluded.cells, answered = answered + excluded.answered,
         answered_ms = answered_ms + excluded.answered_ms, valued = valued | excluded.valued`,
    )
  }

  count(alias: number, { status, evaluation, errorType, values }: CellRecord, place: CellPlace | null): void {
    const key: Tally['key'] = [
      alias,
      STATUS_CODES[status],
      evaluation ?? NO_EVALUATION,
      errorType ?? '',
      place?.provenance ?? NO_PROVENANCE,
    ]
    const name = key.join(' ')
    let tally = this.#tallies.get(name)
    if (tally === undefined) this.#tallies.set(name, (tally = { key, cells: 0, answered: 0, answeredMs: 0, valued: 0 }))
    tally.cells += 1
    for (let metric = 0; metric < INDEX_METRICS.length; metric += 1)
      if (values[metric] !== null) tally.valued |= 1 << metric
    const latency = values[LATENCY] ?? null
    if (latency === null) return
    tally.answered += 1
    tally.answeredMs += latency
  }

  /** Writes what was counted since the last call. */
  finish(scope: Scope): void {
    for (const { key, cells, answered, answeredMs, valued } of this.#tallies.values())
      this.#add.run(scope.id, ...key, cells, answered, answeredMs, valued)
    this.forget()
  }

  forget(): void {
    this.#tallies = new Map()
  }
}
