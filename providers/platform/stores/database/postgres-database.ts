import pg from 'pg'
import { PlatformDatabaseError } from './database.ts'
import type { Database, Params, Queries } from './database.ts'
import type { PostgresSettings } from './database-settings.ts'
import { forPostgres, MIGRATIONS } from './migrations.ts'
import { OpenTransactions } from './open-transactions.ts'

/** Serial writers, as SQLite has them: every write of the platform's processes holds this lock until its end. Any other number would do. */
const WRITERS_LOCK = 4_871_001
const CONNECT_MS = 5000
const SESSION = [
  // As long as SQLite waits for other writers.
  'lock_timeout=5000',
  // A process that stops in the middle of a transaction must not hold the others up.
  'idle_in_transaction_session_timeout=15000',
  'statement_timeout=30000',
]
const INT8 = 20
const NUMERIC = 1700

/**
 * Connects to the database of the platform's own records, which processes of several machines may share, and applies the migrations that it
 * lacks. Rejects when it cannot be reached, and with `PlatformDatabaseError` for one of a newer version.
 */
export async function openPostgresDatabase(
  { url, poolMin, poolMax }: PostgresSettings,
  migrations: readonly string[] = MIGRATIONS,
): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    min: poolMin,
    max: poolMax,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'rag-ladder',
    options: SESSION.map((setting) => `-c ${setting}`).join(' '),
    types: { getTypeParser: parserOf },
  })
  // A connection that breaks while it is idle leaves the pool; its next user gets another one.
  pool.on('error', () => {})
  const database = new PostgresDatabase(pool)
  try {
    await database.transaction((tx) => migrate(tx, migrations))
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Counts, sums, times and amounts stay far below the numbers that a JavaScript number cannot hold. */
const parserOf: typeof pg.types.getTypeParser = (type: number, format?: unknown) =>
  (type === INT8 || type === NUMERIC ? Number : pg.types.getTypeParser(type, format as 'text')) as (
    value: string,
  ) => unknown

/** A pool of connections: reads have one each, a transaction keeps one. */
class PostgresDatabase implements Database {
  readonly #pool: pg.Pool
  readonly #transactions = new OpenTransactions()

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async all<Row>(sql: string, params?: Params): Promise<Row[]> {
    this.#transactions.refuse()
    return queriesOf(this.#pool).all<Row>(sql, params)
  }

  async get<Row>(sql: string, params?: Params): Promise<Row | null> {
    this.#transactions.refuse()
    return queriesOf(this.#pool).get<Row>(sql, params)
  }

  async run(sql: string, params?: Params): Promise<number> {
    return this.transaction((tx) => tx.run(sql, params))
  }

  async transaction<Result>(step: (tx: Queries) => Promise<Result>): Promise<Result> {
    this.#transactions.refuse()
    const client = await this.#pool.connect()
    let broken: Error | undefined
    const onError = (error: Error): void => {
      broken = error
    }
    client.on('error', onError)
    try {
      // Read committed: each statement sees what the writers before this one have stored.
      await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${WRITERS_LOCK})`)
      const result = await this.#transactions.run(() => step(queriesOf(client)))
      await client.query('COMMIT')
      return result
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: unknown) => {
        broken = failure as Error
      })
      throw error
    } finally {
      client.off('error', onError)
      client.release(broken)
    }
  }

  async unsynced<Result>(step: (tx: Queries) => Promise<Result>): Promise<Result> {
    return this.transaction(async (tx) => {
      await tx.run('SET LOCAL synchronous_commit = off')
      return step(tx)
    })
  }

  /** PostgreSQL looks after its log itself. */
  async truncateLog(): Promise<void> {}

  async close(): Promise<void> {
    await this.#pool.end()
  }
}

function queriesOf(connection: pg.Pool | pg.PoolClient): Queries {
  const query = async (sql: string, params: Params = []): Promise<pg.QueryResult> =>
    connection.query(...positional(sql, params))
  return {
    all: async <Row>(sql: string, params?: Params) => (await query(sql, params)).rows as Row[],
    get: async <Row>(sql: string, params?: Params) => ((await query(sql, params)).rows[0] ?? null) as Row | null,
    run: async (sql, params) => (await query(sql, params)).rowCount ?? 0,
  }
}

/** SQL with `?` or `@name` in the form of PostgreSQL, `$1`, with the values in their order. */
export function positional(sql: string, params: Params): [string, unknown[]] {
  if (Array.isArray(params)) {
    let count = 0
    return [sql.replaceAll('?', () => `$${(count += 1)}`), (params as unknown[]).map(storable)]
  }
  const named = params as Readonly<Record<string, unknown>>
  const names: string[] = []
  const text = sql.replaceAll(/@(\w+)/g, (_, name: string) => {
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  })
  return [text, names.map((name) => storable(named[name]))]
}

/** PostgreSQL stores every character of a text but NUL, which has no meaning for a reader. */
const storable = (value: unknown): unknown => (typeof value === 'string' ? value.replaceAll('\0', '\u{FFFD}') : value)

async function migrate(tx: Queries, migrations: readonly string[]): Promise<void> {
  await tx.run('CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)')
  const current = (await tx.get<{ version: number }>('SELECT version FROM schema_version'))?.version ?? 0
  if (current === migrations.length) return
  if (current > migrations.length)
    throw new PlatformDatabaseError(
      `DATABASE_URL: made by another version of the program (schema ${current}, this version knows ${migrations.length})`,
    )
  for (const step of migrations.slice(current)) await tx.run(forPostgres(step))
  await tx.run('DELETE FROM schema_version')
  await tx.run('INSERT INTO schema_version (version) VALUES (?)', [migrations.length])
}
