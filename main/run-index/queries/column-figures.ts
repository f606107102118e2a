import type Database from 'better-sqlite3'
import { CellMetricState, type IndexMetric } from '../../../contract/index.ts'
import { stateCode } from '../metric-columns.ts'

/** What one metric of one alias comes to in a dataset run. */
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

interface TallyRow {
  alias: number
  state: number
  cells: number
  total: number
}

/** Figures of each alias that has cells, by its number, as they were counted when the cells came in. */
export function columnFigures(db: Database.Database, scope: number, metric: IndexMetric): Map<number, ColumnFigures> {
  const tallies = db
    .prepare<[number, string], TallyRow>(
      'SELECT alias, state, cells, total FROM column_tallies WHERE scope = ? AND metric = ?',
    )
    .all(scope, metric)
  return new Map([...Map.groupBy(tallies, ({ alias }) => alias)].map(([alias, own]) => [alias, figuresOf(own)]))
}

function figuresOf(tallies: readonly TallyRow[]): ColumnFigures {
  const states = [...NO_FIGURES.states]
  let [cells, sum] = [0, 0]
  for (const tally of tallies) {
    states[tally.state]! += tally.cells
    cells += tally.cells
    sum += tally.total
  }
  const n = states[stateCode('ok')]!
  return { cells, n, sum, mean: n === 0 ? null : sum / n, states }
}
