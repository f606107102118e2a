import { numbered } from './estimate.ts'
import type { ScoreTable } from './score-table.ts'

/** A mean or a difference of means: (plus − minus) / over, each the index of a column of cluster sums. */
export interface Ratio {
  plus: number
  minus: number | null
  /** Number of questions of plus and minus. */
  over: number
}

export interface PairColumns {
  a: number
  b: number
  ratio: Ratio
  /** Questions that both have. */
  shared: readonly number[]
}

/** Columns of sums per cluster that the tables over the same clusters share; equal columns are stored once. */
interface SharedColumns {
  columns: Float64Array[]
  clusters: number
  /** Index of the column with the sum of a value over rows of the tables. The key names it. */
  add: (key: string, rows: readonly number[], valueOf: (row: number) => number) => number
}

/** Everything that a comparison resamples. */
export interface TableColumns {
  columns: readonly Float64Array[]
  means: Ratio[]
  /** Means over the questions that every approach with a score has; null when that changes nothing. */
  commonMeans: (Ratio | null)[]
  pairs: PairColumns[]
}

/** Index of each question's cluster, numbered by first appearance. */
export function clusterIndexes(table: ScoreTable): Int32Array {
  return numbered(table.questions.map(({ cluster }) => cluster)).indexes
}

export function sharedColumns(indexes: Int32Array): SharedColumns {
  const clusters = indexes.reduce((most, index) => Math.max(most, index + 1), 0)
  const columns: Float64Array[] = []
  const known = new Map<string, number>()
  return {
    columns,
    clusters,
    add(key, rows, valueOf) {
      const before = known.get(key)
      if (before !== undefined) return before
      const sums = new Float64Array(clusters)
      for (const row of rows) sums[indexes[row]!]! += valueOf(row)
      known.set(key, columns.length)
      return columns.push(sums) - 1
    },
  }
}

/**
 * Lays a table out. Approaches that are scored for the same questions share their columns, and each pair of them is a difference of two
 * columns: without gaps 7 columns and a count serve all 21 pairs. Any other pair has columns of its own, over the questions that both have.
 * `name` keeps the columns of several tables apart; counts of questions are shared.
 */
export function layOut(table: ScoreTable, name: string, { columns, add }: SharedColumns): TableColumns {
  const width = table.approaches.length
  const scoreAt = (row: number, approach: number): number => table.scores[row * width + approach]!
  const scored = table.approaches.map((_, approach) =>
    Array.from(table.questions.keys()).filter((row) => !Number.isNaN(scoreAt(row, approach))),
  )
  const keys = scored.map((rows) => rows.join())
  const countOf = (rows: readonly number[], key: string): number => add(`n of ${key}`, rows, () => 1)
  const sumOf = (approach: number, rows: readonly number[], key: string): number =>
    add(`${name} of ${approach} over ${key}`, rows, (row) => scoreAt(row, approach))
  const meanOf = (approach: number, rows: readonly number[], key: string): Ratio => ({
    plus: sumOf(approach, rows, key),
    minus: null,
    over: countOf(rows, key),
  })

  const pairOf = (a: number, b: number): PairColumns => {
    if (keys[a] === keys[b]) {
      const [rows, key] = [scored[a]!, keys[a]!]
      return { a, b, ratio: { ...meanOf(a, rows, key), minus: sumOf(b, rows, key) }, shared: rows }
    }
    const inOther = new Set(scored[b])
    const shared = scored[a]!.filter((row) => inOther.has(row))
    const plus = add(`${name} of ${a} - ${b}`, shared, (row) => scoreAt(row, a) - scoreAt(row, b))
    return { a, b, ratio: { plus, minus: null, over: countOf(shared, shared.join()) }, shared }
  }

  const withScores = scored.filter((rows) => rows.length > 0)
  const common = withScores.reduce((rows, other) => {
    const inOther = new Set(other)
    return rows.filter((row) => inOther.has(row))
  }, withScores[0] ?? [])
  const isEqual = withScores.every((rows) => rows.length === common.length)
  return {
    columns,
    means: scored.map((rows, approach) => meanOf(approach, rows, keys[approach]!)),
    commonMeans: scored.map((rows, approach) =>
      isEqual || rows.length === 0 ? null : meanOf(approach, common, common.join()),
    ),
    pairs: table.approaches.flatMap((_, a) =>
      table.approaches.slice(a + 1).map((_other, offset) => pairOf(a, a + 1 + offset)),
    ),
  }
}
