// Counts that are kept beside the cells, so that a run's summary and the head of a column need not look at each cell:
// `cell_tallies` by everything that a summary distinguishes, `column_tallies` by metric and state with the sum of the values.
import type Database from 'better-sqlite3'
import { CellMetricState, type IndexMetric } from '../../contract/index.ts'
import { judgeMean } from '../../contract/metrics/judge-mean.ts'
import type { CellRecord } from './cell-record.ts'
import type { CellRange, Scope } from './cell-writer.ts'
import { INDEX_METRICS, stateCode, stateColumn, STATUS_CODES, valueColumn } from './schema.ts'

/** Stored instead of null in the key of a tally. */
const NO_EVALUATION = -1
export const NO_PROVENANCE = 0

const STATES = CellMetricState.options.length
const SCORED = stateCode('ok')

interface CellTally {
  key: [alias: number, status: number, evaluation: number, error_type: string, provenance: number]
  cells: number
}

/** What of a cell is counted. */
export type CountedCell = Pick<CellRecord, 'status' | 'evaluation' | 'errorType' | 'values' | 'states'>

/** One alias: its cells by metric and state, and the sum of each metric. */
interface ColumnTally {
  /** Negative for cells that were counted before and are replaced now. */
  cells: Int32Array
  totals: Float64Array
}

/** Counts cells while they are added; `finish` writes the counts. */
export class Tallies {
  readonly #addCells: Database.Statement
  readonly #addColumn: Database.Statement
  readonly #deleteJudged: Database.Statement
  readonly #countJudged: Database.Statement
  readonly #cells = new Map<string, CellTally>()
  readonly #columns = new Map<number, ColumnTally>()
  readonly #deleteEmpty: Database.Statement[]
  #hasReplaced = false

  constructor(db: Database.Database) {
    this.#addCells = db.prepare(
      `INSERT INTO cell_tallies (scope, alias, status, evaluation, error_type, provenance, cells) VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET cells = cells + excluded.cells`,
    )
    this.#addColumn = db.prepare(
      `INSERT INTO column_tallies (scope, metric, alias, state, cells, total) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET cells = cells + excluded.cells, total = total + excluded.total`,
    )
    this.#deleteEmpty = ['cell_tallies', 'column_tallies'].map((table) =>
      db.prepare(`DELETE FROM ${table} WHERE scope = ? AND cells = 0`),
    )
    this.#deleteJudged = db.prepare(`DELETE FROM column_tallies WHERE scope = ? AND metric = '${judgeMean.id}'`)
    this.#countJudged = db.prepare(
      `INSERT INTO column_tallies (scope, metric, alias, state, cells, total)
       SELECT c.scope, '${judgeMean.id}', c.alias, c.${stateColumn(judgeMean.id)} AS state, count(*), total(c.${valueColumn(judgeMean.id)})
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

  #countColumn(alias: number, { values, states }: CountedCell, by: 1 | -1): void {
    const metrics = INDEX_METRICS.length
    let column = this.#columns.get(alias)
    if (column === undefined) {
      column = { cells: new Int32Array(metrics * STATES), totals: new Float64Array(metrics) }
      this.#columns.set(alias, column)
    }
    for (let metric = 0; metric < metrics; metric += 1) {
      column.cells[metric * STATES + states[metric]!]! += by
      column.totals[metric]! += by * (values[metric] ?? 0)
    }
  }

  /** Writes what was counted since the last call. */
  finish(scope: Scope): void {
    for (const { key, cells } of this.#cells.values()) this.#addCells.run(scope.id, ...key, cells)
    for (const [alias, { cells, totals }] of this.#columns)
      for (const [index, metric] of INDEX_METRICS.entries())
        for (let state = 0; state < STATES; state += 1) {
          const count = cells[index * STATES + state]!
          if (count !== 0)
            this.#addColumn.run(scope.id, metric, alias, state, count, state === SCORED ? totals[index] : 0)
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

/** One metric of one alias in a dataset run. */
export interface ColumnFigures {
  cells: number
  /** Cells with a value. */
  n: number
  /** Of the values. */
  sum: number
  mean: number | null
  /** Cells by state code. */
  states: number[]
}

export const NO_FIGURES: ColumnFigures = {
  cells: 0,
  n: 0,
  sum: 0,
  mean: null,
  states: CellMetricState.options.map(() => 0),
}

interface ColumnRow {
  alias: number
  state: number
  cells: number
  total: number
}

/** The figures of each alias that has cells, by the alias's number. */
export function columnFigures(db: Database.Database, scope: number, metric: IndexMetric): Map<number, ColumnFigures> {
  const rows = db
    .prepare<[number, string], ColumnRow>(
      'SELECT alias, state, cells, total FROM column_tallies WHERE scope = ? AND metric = ?',
    )
    .all(scope, metric)
  return new Map([...Map.groupBy(rows, ({ alias }) => alias)].map(([alias, own]) => [alias, figuresOf(own)]))
}

function figuresOf(rows: readonly ColumnRow[]): ColumnFigures {
  const states = [...NO_FIGURES.states]
  let [cells, sum] = [0, 0]
  for (const row of rows) {
    states[row.state]! += row.cells
    cells += row.cells
    sum += row.total
  }
  const n = states[SCORED]!
  return { cells, n, sum, mean: n === 0 ? null : sum / n, states }
}
