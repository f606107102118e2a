// The cells of a dataset run in the columns that the aggregate is made from, so that index and reports have their figures from the same code.
import type Database from 'better-sqlite3'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { Column } from '../../report/aggregate/column.ts'
import { valueColumn } from '../schema.ts'

/** One metric of a dataset run. */
export interface ScoreColumns {
  /** Indexes of the questions in the order of the artifact. */
  order: readonly number[]
  /** The column of an alias by its number; empty for one without values. */
  of(alias: number): Column
}

/** Position of a question's answer in columns. */
interface Place {
  index: number
  repeat: number
}

/** States how many metrics of dataset runs are kept. */
const MOST_KEPT = 16

/** Columns of the current revision: a page asks for the same ones several times. */
export class ColumnCache {
  readonly #columns = new Map<string, ScoreColumns>()
  #revision = -1

  /** The columns of each metric; those that are not known yet are read in one pass. */
  of(db: Database.Database, scope: number, metrics: readonly IndexMetric[]): ScoreColumns[] {
    const revision = db.prepare<[], number>('SELECT revision FROM state').pluck().get()!
    if (revision !== this.#revision || this.#columns.size > MOST_KEPT) this.#columns.clear()
    this.#revision = revision
    const key = (metric: IndexMetric): string => `${scope} ${metric}`
    const unknown = [...new Set(metrics)].filter((metric) => !this.#columns.has(key(metric)))
    const read = unknown.length === 0 ? [] : readColumns(db, scope, unknown)
    for (const [at, metric] of unknown.entries()) this.#columns.set(key(metric), read[at]!)
    return metrics.map((metric) => this.#columns.get(key(metric))!)
  }
}

/** The repetitions of a question have one index. */
function placesOf(db: Database.Database, scope: number): { places: Map<number, Place>; questions: number } {
  const rows = db
    .prepare<[number], [number, string, number]>(
      `SELECT d.question, q.question_id, q.repeat FROM dataset_run_questions d JOIN questions q ON q.id = d.question
       WHERE d.scope = ? ORDER BY d.position, d.question`,
    )
    .raw()
    .all(scope)
  const indexes = new Map<string, number>()
  const places = new Map<number, Place>()
  for (const [question, id, repeat] of rows) {
    const index = indexes.get(id) ?? indexes.size
    indexes.set(id, index)
    places.set(question, { index, repeat })
  }
  return { places, questions: indexes.size }
}

function readColumns(db: Database.Database, scope: number, metrics: readonly IndexMetric[]): ScoreColumns[] {
  const { places, questions } = placesOf(db, scope)
  const order = Array.from({ length: questions }, (_, index) => index)
  const columns = metrics.map((): Column[] => [])
  const cells = db
    .prepare<[number], (number | null)[]>(
      `SELECT alias, question, ${metrics.map(valueColumn).join(', ')} FROM cells WHERE scope = ?`,
    )
    .raw()
    .all(scope)
  let [place, last] = [{ index: 0, repeat: 1 }, -1]
  // By index, because destructuring a hundred thousand rows takes as long as reading them. Cells of a question are adjacent.
  for (const cell of cells) {
    const [alias, question] = [cell[0]!, cell[1]!]
    if (question !== last) [place, last] = [places.get(question)!, question]
    for (let at = 0; at < metrics.length; at += 1) {
      const value = cell[at + 2]
      if (value !== null) (columns[at]![alias] ??= new Column()).set(place.index, value!, place.repeat)
    }
  }
  const none = new Column()
  return columns.map((byAlias) => ({ order, of: (alias) => byAlias[alias] ?? none }))
}
