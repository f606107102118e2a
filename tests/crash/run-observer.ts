import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

/** Looks into the database of a run while processes are killed, its server's included: a query that loses its connection is made again. */
export class RunObserver {
  readonly #database: string
  #client: pg.Client | null = null

  constructor(database: string) {
    this.#database = database
  }

  /** Rejects where the server does not answer for 30 seconds. */
  async query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
    const deadline = performance.now() + 30_000
    for (;;)
      try {
        this.#client ??= await this.#connected()
        return (await this.#client.query<Row>(sql)).rows
      } catch (error) {
        this.#client = null
        if (performance.now() > deadline) throw error
        await delay(50)
      }
  }

  async #connected(): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: this.#database })
    // A test that ends early ends the server too.
    client.on('error', () => undefined)
    await client.connect()
    return client
  }

  /** Rows that are stored; -1 before the run has its tables. */
  async rowCount(): Promise<number> {
    const [table] = await this.query<{ name: string | null }>("SELECT to_regclass('rag_ladder.workers')::text AS name")
    if (table!.name === null) return -1
    return Number((await this.query<{ rows: string }>('SELECT count(*) AS rows FROM rag_ladder.rows'))[0]!.rows)
  }

  async rowsReach(wanted: number, running: ReadonlySet<unknown>): Promise<void> {
    while ((await this.rowCount()) < wanted) {
      if (running.size === 0) throw new Error(`every process ended before ${wanted} rows were stored`)
      await delay(5)
    }
  }

  /** The processes that hold a claim now. */
  async workingPids(): Promise<number[]> {
    const rows = await this.query<{ pid: number }>(
      `SELECT DISTINCT w.pid FROM rag_ladder.workers w JOIN pg_locks l ON l.pid = w.backend_pid AND l.locktype = 'advisory' AND l.objsubid = 1`,
    )
    return rows.map(({ pid }) => pid)
  }

  /** Kills the server's process of one of the run's connections, as the system does when memory is short. */
  async killBackend(random: () => number): Promise<void> {
    for (;;) {
      const rows = await this.query<{ pid: number }>(
        `SELECT DISTINCT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND pid <> pg_backend_pid()`,
      )
      const found = rows[Math.floor(random() * rows.length)]
      if (found !== undefined) return void process.kill(found.pid, 'SIGKILL')
      await delay(5)
    }
  }

  async close(): Promise<void> {
    await this.#client?.end().catch(() => undefined)
  }
}
