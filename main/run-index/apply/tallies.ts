// Counts that are kept beside the cells, so that a run's summary and the head of a column need not look at each cell:
// `cell_tallies` by everything that a summary distinguishes, `column_tallies` by metric and state. Means are not kept here: they are made of the
// questions' means by the code of the reports (score-columns.ts).
import type Database from 'better-sqlite3'
import { CellMetricState, type IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { judgeMean } from '../../../contract/metrics/judge-mean.ts'
import type { CellRecord } from './cell-record.ts'
import { INDEX_METRICS, stateCode, stateColumn, STATUS_CODES } from '../schema.ts'

/** A dataset run that cells are added to. */
export interface Scope {
  id: number
  run: number
  dataset: number
}

/** The range of a row's line in its file, and the number of its provenance. */
export interface CellRange {
  offset: number
  length: number
  provenance: number
}

/** Stored instead of null in the key of a tally. */
const NO_EVALUATION = -1
export const NO_PROVENANCE = 0

const STATES = CellMetricState.options.length

interface CellTally {
  key: [alias: number, status: number, evaluation: number, error_type: string, provenance: number]
  cells: number
}

export type CountedCell = Pick<CellRecord, 'status' | 'evaluation' | 'errorType' | 'states'>

/** Counts cells while they are added; `finish` writes the counts. */
export class Tallies {
  readonly #addCells: Database.Statement
  readonly #addColumn: Database.Statement
  readonly #deleteJudged: Database.Statement
  readonly #countJudged: Database.Statement
  readonly #cells = new Map<string, CellTally>()
  /** By alias its cells by metric and state; negative for cells that were counted before and are replaced now. */
  readonly #columns = new Map<number, Int32Array>()
  readonly #deleteEmpty: Database.Statement[]
  #hasReplaced = false

  constructor(db: Database.Database) {
    this.#addCells = db.prepare(
      `INSERT INTO cell_tallies (scope, alias, status, evaluation, error_type, provenance, cells) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET cells = cells + excluded.cells`,
    )
    this.#addColumn = db.prepare(
      `INSERT INTO column_tallies (scope, metric, alias, state, cells) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET cells = cells + excluded.cells`,
    )
    this.#deleteEmpty = ['cell_tallies', 'column_tallies'].map((table) =>
      db.prepare(`DELETE FROM ${table} WHERE scope = ? AND cells = 0`),
    )
    this.#deleteJudged = db.prepare(`DELETE FROM column_tallies WHERE scope = ? AND metric = '${judgeMean.id}'`)
    this.#countJudged = db.prepare(
      `INSERT INTO column_tallies (scope, metric, alias, state, cells)
       SELECT c.scope, '${judgeMean.id}', c.alias, c.${stateColumn(judgeMean.id)} AS state, count(*)
       FROM cells c WHERE c.scope = ? GROUP BY c.alias, state`,
    )
  }

  count(alias: number, record: CountedCell, range: Pick<CellRange, 'provenance'> | null): void {
    this.#countCell(alias, record, range, 1)
    this.#countColumn(alias, record, 1)
  }

  /** Takes a cell out of the counts, because another row of it counts now. */
  remove(alias: number, record: CountedCell, range: Pick<CellRange, 'provenance'> | null): void {
    this.#countCell(alias, record, range, -1)
    this.#countColumn(alias, record, -1)
    this.#hasReplaced = true
  }

  #countCell(
    alias: number,
    { status, evaluation, errorType }: CountedCell,
    range: Pick<CellRange, 'provenance'> | null,
    by: 1 | -1,
  ): void {
    const key: CellTally['key'] = [
      alias,
      STATUS_CODES[status],
      evaluation ?? NO_EVALUATION,
      errorType ?? '',
      range?.provenance ?? NO_PROVENANCE,
    ]
    const name = key.join(' ')
    let tally = this.#cells.get(name)
    if (tally === undefined) this.#cells.set(name, (tally = { key, cells: 0 }))
    tally.cells += by
  }

  #countColumn(alias: number, { states }: CountedCell, by: 1 | -1): void {
    let cells = this.#columns.get(alias)
    if (cells === undefined) this.#columns.set(alias, (cells = new Int32Array(INDEX_METRICS.length * STATES)))
    for (let metric = 0; metric < INDEX_METRICS.length; metric += 1) cells[metric * STATES + states[metric]!]! += by
  }

  /** Writes what was counted since the last call. */
  finish(scope: Scope): void {
    for (const { key, cells } of this.#cells.values()) this.#addCells.run(scope.id, ...key, cells)
    for (const [alias, cells] of this.#columns)
      for (const [index, metric] of INDEX_METRICS.entries())
        for (let state = 0; state < STATES; state += 1) {
          const count = cells[index * STATES + state]!
          if (count !== 0) this.#addColumn.run(scope.id, metric, alias, state, count)
        }
    if (this.#hasReplaced) for (const statement of this.#deleteEmpty) statement.run(scope.id)
    this.forget()
  }

  /** Verdicts are joined and removed without their cells: counts the panel's scores again from the cells. */
  recountJudged(scope: Scope): void {
    this.#deleteJudged.run(scope.id)
    this.#countJudged.run(scope.id)
  }

  forget(): void {
    this.#cells.clear()
    this.#columns.clear()
    this.#hasReplaced = false
  }
}

/** The cells of one alias in one metric. */
interface ColumnCounts {
  cells: number
  /** Cells with a value. */
  n: number
  /** Cells by state code. */
  states: number[]
}

export const NO_CELLS: ColumnCounts = { cells: 0, n: 0, states: CellMetricState.options.map(() => 0) }

interface ColumnRow {
  alias: number
  state: number
  cells: number
}

/** The counts of each alias that has cells, by the alias's number. */
export function columnCounts(db: Database.Database, scope: number, metric: IndexMetric): Map<number, ColumnCounts> {
  const rows = db
    .prepare<[number, string], ColumnRow>(
      'SELECT alias, state, cells FROM column_tallies WHERE scope = ? AND metric = ?',
    )
    .all(scope, metric)
  return new Map([...Map.groupBy(rows, ({ alias }) => alias)].map(([alias, own]) => [alias, countsOf(own)]))
}

function countsOf(rows: readonly ColumnRow[]): ColumnCounts {
  const states = [...NO_CELLS.states]
  let cells = 0
  for (const row of rows) {
    states[row.state]! += row.cells
    cells += row.cells
  }
  return { cells, n: states[stateCode('ok')]!, states }
}
