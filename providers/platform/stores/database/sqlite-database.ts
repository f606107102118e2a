import { resolve } from 'node:path'
import Sqlite from 'better-sqlite3'
import { PlatformDatabaseError } from './database.ts'
import type { Database, Params, Queries } from './database.ts'
import { MIGRATIONS } from './migrations.ts'
import { OpenTransactions } from './open-transactions.ts'
import { truncateLog } from './truncate-log.ts'

const BUSY_TIMEOUT_MS = 5000
/** The driver's default is 16 MB for each file. */
const CACHE_KIB = 2048

/**
 * Opens or creates the one file of the platform's own records, which several processes may share, and applies the migrations that it
 * lacks. Throws `PlatformDatabaseError` for a file of a newer version.
 */
export function openSqliteDatabase(file: string, migrations: readonly string[] = MIGRATIONS): Database {
  const connection = new Sqlite(file, { timeout: BUSY_TIMEOUT_MS })
  try {
    connection.pragma('journal_mode = WAL')
    // An acknowledged job or fact survives a power cut.
    connection.pragma('synchronous = FULL')
    connection.pragma('foreign_keys = ON')
    connection.pragma(`cache_size = -${CACHE_KIB}`)
    migrate(connection, migrations)
    truncateLog(connection)
    return new SqliteDatabase(connection)
  } catch (error) {
    connection.close()
    throw error
  }
}

/**
 * Ends of the last queries by file. A connection that waits for another one of the same process would keep that one from going on: they take
 * turns before they ask SQLite.
 */
const turns = new Map<string | Sqlite.Database, Promise<unknown>>()

/** One connection: what comes while a transaction is open waits for its end. */
class SqliteDatabase implements Database {
  readonly #connection: Sqlite.Database
  readonly #tx: Queries
  readonly #transactions = new OpenTransactions()
  readonly #file: string | Sqlite.Database

  constructor(connection: Sqlite.Database) {
    this.#connection = connection
    this.#tx = queriesOf(connection)
    this.#file = connection.memory ? connection : resolve(connection.name)
  }

  async all<Row>(sql: string, params?: Params): Promise<Row[]> {
    return this.#inTurn(() => this.#tx.all<Row>(sql, params))
  }

  async get<Row>(sql: string, params?: Params): Promise<Row | null> {
    return this.#inTurn(() => this.#tx.get<Row>(sql, params))
  }

  async run(sql: string, params?: Params): Promise<number> {
    return this.#inTurn(() => this.#tx.run(sql, params))
  }

  async transaction<Result>(step: (tx: Queries) => Promise<Result>): Promise<Result> {
    return this.#inTurn(() => this.#inTransaction(step))
  }

  async unsynced<Result>(step: (tx: Queries) => Promise<Result>): Promise<Result> {
    return this.#inTurn(async () => {
      // SQLite refuses to change the level inside a transaction, whose commit decides.
      this.#connection.pragma('synchronous = NORMAL')
      try {
        return await this.#inTransaction(step)
      } finally {
        this.#connection.pragma('synchronous = FULL')
      }
    })
  }

  async truncateLog(): Promise<void> {
    await this.#inTurn(async () => truncateLog(this.#connection))
  }

  async close(): Promise<void> {
    await this.#inTurn(async () => this.#connection.close())
    if (this.#connection.memory) turns.delete(this.#file)
  }

  async #inTransaction<Result>(step: (tx: Queries) => Promise<Result>): Promise<Result> {
    this.#connection.exec('BEGIN IMMEDIATE')
    try {
      const result = await this.#transactions.run(() => step(this.#tx))
      this.#connection.exec('COMMIT')
      return result
    } finally {
      if (this.#connection.inTransaction) this.#connection.exec('ROLLBACK')
    }
  }

  async #inTurn<Result>(step: () => Promise<Result>): Promise<Result> {
    this.#transactions.refuse()
    const turn = (turns.get(this.#file) ?? Promise.resolve()).then(step)
    turns.set(
      this.#file,
      turn.catch(() => {}),
    )
    return turn
  }
}

function queriesOf(connection: Sqlite.Database): Queries {
  const statements = new Map<string, Sqlite.Statement>()
  const prepared = (sql: string): Sqlite.Statement => {
    const known = statements.get(sql) ?? connection.prepare(sql)
    statements.set(sql, known)
    return known
  }
  return {
    all: async <Row>(sql: string, params: Params = []) => prepared(sql).all(params) as Row[],
    get: async <Row>(sql: string, params: Params = []) => (prepared(sql).get(params) ?? null) as Row | null,
    run: async (sql, params = []) => prepared(sql).run(params).changes,
  }
}

function migrate(connection: Sqlite.Database, migrations: readonly string[]): void {
  const version = (): number => connection.pragma('user_version', { simple: true }) as number
  if (version() === migrations.length) return
  connection
    .transaction(() => {
      const current = version()
      if (current > migrations.length)
        throw new PlatformDatabaseError(
          `${connection.name}: made by another version of the program (schema ${current}, this version knows ${migrations.length})`,
        )
      for (const step of migrations.slice(current)) connection.exec(step)
      connection.pragma(`user_version = ${migrations.length}`)
    })
    .immediate()
}
