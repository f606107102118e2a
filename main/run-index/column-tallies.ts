import type Database from 'better-sqlite3'
import { CellMetricState } from '../../contract/index.ts'
import { judgeMean } from '../../contract/metrics/judge-mean.ts'
import type { CellRecord } from './cell-record.ts'
import type { Scope } from './cell-writer.ts'
import { INDEX_METRICS, stateCode, stateColumn, valueColumn } from './metric-columns.ts'

const STATES = CellMetricState.options.length
const SCORED = stateCode('ok')

/** Of one alias: its cells by metric and state, and each metric's sum. */
interface Column {
  cells: Uint32Array
  totals: Float64Array
}

/** Counts cells by alias, metric and state, and adds up their values, so that a column's head need not look at each of them. */
export class ColumnTallies {
  readonly #add: Database.Statement
  readonly #forgetMetric: Database.Statement
  readonly #recount: Database.Statement
  #columns = new Map<number, Column>()

  constructor(db: Database.Database) {
    this.#add = db.prepare(
      `INSERT INTO column_tallies (scope, metric, alias, state, cells, total) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET cells = cells + excluded.cells, total = total + excluded.total`,
    )
    this.#forgetMetric = db.prepare(`DELETE FROM column_tallies WHERE scope = ? AND metric = '${judgeMean.id}'`)
    this.#recount = db.prepare(
      `INSERT INTO column_tallies (scope, metric, alias, state, cells, total)
       SELECT c.scope, '${judgeMean.id}', c.alias, c.${stateColumn(judgeMean.id)} AS state, count(*), total(c.${valueColumn(judgeMean.id)})
       FROM cells c WHERE c.scope = ? GROUP BY c.alias, state`,
    )
  }

  count(alias: number, { values, states }: CellRecord): void {
    let column = this.#columns.get(alias)
    if (column === undefined) {
      const places = INDEX_METRICS.length
      column = { cells: new Uint32Array(places * STATES), totals: new Float64Array(places) }
      this.#columns.set(alias, column)
    }
    for (let place = 0; place < INDEX_METRICS.length; place += 1) {
      column.cells[place * STATES + states[place]!]! += 1
      column.totals[place]! += values[place] ?? 0
    }
  }

  /** Writes what was counted since the last call. */
  finish(scope: Scope): void {
    for (const [alias, { cells, totals }] of this.#columns)
      for (const [place, metric] of INDEX_METRICS.entries())
        for (let state = 0; state < STATES; state += 1) {
          const count = cells[place * STATES + state]!
          if (count > 0) this.#add.run(scope.id, metric, alias, state, count, state === SCORED ? totals[place] : 0)
        }
    this.forget()
  }

  /** Verdicts come and go without their cells: after they did, what the panel thinks is counted again. */
  recountJudged(scope: Scope): void {
    this.#forgetMetric.run(scope.id)
    this.#recount.run(scope.id)
  }

  forget(): void {
    this.#columns = new Map()
  }
}
