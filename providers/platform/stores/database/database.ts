/*
 * The database of the platform's own records: one SQLite file, or PostgreSQL at DATABASE_URL. Both take the same SQL, with parameters as `?` in
 * order or as `@name`. Whole numbers come back as numbers, also counts and sums.
 *
 * Writers are serial, in all processes together: a transaction, or a `run` outside of one, begins when no other one is open. So what a
 * transaction reads (a sum of the ledger, a quota, a count) stays true until it ends.
 */

export type Params = readonly unknown[] | Readonly<Record<string, unknown>>

export interface Queries {
  all<Row>(sql: string, params?: Params): Promise<Row[]>
  /** The first row; null without one. */
  get<Row>(sql: string, params?: Params): Promise<Row | null>
  /** Returns how many rows were changed. */
  run(sql: string, params?: Params): Promise<number>
}

export interface Database extends Queries {
  /**
   * Runs a step as one transaction, which is undone when the step throws. All queries of the step go through `tx`, and it waits for nothing
   * else: no other writer of any process goes on meanwhile. A query that goes past `tx` throws.
   */
  transaction<Result>(step: (tx: Queries) => Promise<Result>): Promise<Result>
  /** As `transaction`, for writes that can be repeated: it does not wait for the disk, and a power cut may take what it wrote. */
  unsynced<Result>(step: (tx: Queries) => Promise<Result>): Promise<Result>
  /** Gives the disk space back that the log of large writes takes. */
  truncateLog(): Promise<void>
  close(): Promise<void>
}

/** The database is of a newer version of the program, or cannot be used. */
export class PlatformDatabaseError extends Error {
  override readonly name = 'PlatformDatabaseError'
  readonly code = 'state_store_unavailable'
}

/** A condition for a column that has one of the values. The parameters are named after the column. */
export function isOneOf(column: string, values: readonly string[]): { sql: string; params: Record<string, string> } {
  const params = Object.fromEntries(values.map((value, index) => [`${column}_${index}`, value]))
  const names = Object.keys(params).map((name) => `@${name}`)
  return { sql: names.length === 0 ? '1 = 0' : `${column} IN (${names.join(', ')})`, params }
}
