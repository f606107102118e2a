import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { messageOf, systemCode } from '../errors.ts'
import { pause } from '../pause.ts'
import type { DatabaseAddress } from './database-address.ts'

// One connection that holds what its process has claimed: advisory locks belong to the session, so the server frees them when the process
// dies in whatever way. A connection that is lost (a restart of the server, a broken network) is made again, and its owner gets the chance
// to take its locks again before anything else happens on the new one.

const CONNECT_TIMEOUT_MS = 10_000
/** Sets how long a lost connection is tried again: a server restarts within that. */
const RECONNECT_MS = 60_000
/** Sets how long a server is waited for that says that it is starting: after a crash on a busy disk it recovers for minutes. */
const RECOVERY_MS = 600_000
/**
 * Sets how long the first connection is tried again that was lost after the server had let it in, or before: one that crashes says soon what it
 * does, and a wrong address never does. A connection that was refused is not tried again.
 */
const PATIENCE_MS = { inside: RECONNECT_MS, outside: 5000, refused: -1 }
const MAX_WAIT_MS = 1000

/** A row counts as stored only after the commit is on disk, whatever the server's default; a host that vanishes frees its locks within about 30 seconds. */
const SETTINGS = `
  SET synchronous_commit TO on;
  SET tcp_keepalives_idle TO 15;
  SET tcp_keepalives_interval TO 5;
  SET tcp_keepalives_count TO 3;
  SET idle_in_transaction_session_timeout TO 60000;
`

/** `57P…`: the server stops or starts; `08…`: the connection broke. */
const LOST_CODES = /^(?:57P0[123]|08\w{3}|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)$/

/** The server is there and takes no connections yet, or ends them all because one of its processes died. */
const COMING_CODES = /^57P0[23]$/

/** The connection was made and ended by the other side. */
const CUT = /^(?:ECONNRESET|EPIPE|Connection terminated)/

const isComing = (error: unknown): boolean => COMING_CODES.test(systemCode(error) ?? '')

/** The sessions go through a pooler that changes the server session below them, so their locks would mean nothing. */
export class PooledConnectionError extends Error {
  override readonly name = 'PooledConnectionError'
}

/** Called on each new connection before anything else uses it. */
export type Restore = (client: pg.ClientBase, previousPid: number | null) => Promise<void>

export class DatabaseSession {
  readonly #address: DatabaseAddress
  readonly #restore: Restore
  /** Marks the connections of this session, so that an earlier one can be ended and no other process's. */
  readonly #name = `rag-ladder ${randomUUID()}`
  readonly #lost = new WeakSet<pg.Client>()
  #client: pg.Client | null = null
  /** Work is done one after another, so that each statement and transaction has the connection for itself. */
  #last: Promise<unknown> = Promise.resolve()
  #backendPid: number | null = null
  #isClosed = false
  /** States how the last try to connect ended: lost before or after the server had let it in, or refused. */
  #failure: keyof typeof PATIENCE_MS = 'refused'

  private constructor(address: DatabaseAddress, restore: Restore) {
    this.#address = address
    this.#restore = restore
  }

  /**
   * Connects, and tries again while the server says that it starts or recovers (ten minutes), or ends connections that it had let in (one). Rejects with the
   * system's or the server's error, `PooledConnectionError`, or what `restore` throws.
   */
  static async open(address: DatabaseAddress, restore: Restore): Promise<DatabaseSession> {
    const session = new DatabaseSession(address, restore)
    const startedAt = performance.now()
    for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS))
      try {
        session.#client = await session.#connect()
        return session
      } catch (error) {
        if (performance.now() - startedAt > session.#firstPatienceMs(error)) throw error
        await pause(waitMs)
      }
  }

  /** Returns how long the first connection is tried again after this error. */
  #firstPatienceMs(error: unknown): number {
    return isComing(error) ? RECOVERY_MS : PATIENCE_MS[this.#failure]
  }

  get isConnected(): boolean {
    return this.#client !== null && !this.#lost.has(this.#client)
  }

  /**
   * Does work on the connection; when that is lost meanwhile, the same work again on a new one. So work must have the same effect when it is done
   * twice. Rejects with the last error when no connection can be made for a minute, or for ten while the server says that it recovers. Work must not
   * ask for the connection again.
   */
  use<Result>(work: (client: pg.ClientBase) => Promise<Result>): Promise<Result> {
    const done = this.#last.then(() => this.#tryUntilDone(work))
    this.#last = done.catch(() => undefined)
    return done
  }

  async #tryUntilDone<Result>(work: (client: pg.ClientBase) => Promise<Result>): Promise<Result> {
    let lostAt: number | null = null
    for (let waitMs = 50; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
      let client: pg.Client | null = null
      try {
        client = await this.#ready()
        return await work(client)
      } catch (error) {
        const isLost = client === null ? this.#isUnmade(error) : this.#isLoss(error, client)
        if (this.#isClosed || !isLost) throw error
        if (client !== null && this.#client === client) this.#client = null
        lostAt ??= performance.now()
        if (performance.now() - lostAt > (isComing(error) ? RECOVERY_MS : RECONNECT_MS)) throw error
        await pause(waitMs)
      }
    }
  }

  /** True where a connection that was lost could not be made again yet, such as one that broke before its locks were taken again, or a server too busy to answer. */
  #isUnmade(error: unknown): boolean {
    return this.#failure !== 'refused' || this.#isLoss(error, null) || messageOf(error) === 'timeout expired'
  }

  #isLoss(error: unknown, client: pg.Client | null): boolean {
    return (client !== null && this.#lost.has(client)) || LOST_CODES.test(systemCode(error) ?? '')
  }

  async #ready(): Promise<pg.Client> {
    if (this.#client !== null && this.isConnected) return this.#client
    return (this.#client = await this.#connect())
  }

  async #connect(): Promise<pg.Client> {
    // Loaded with the first connection: an engine without a database starts sooner.
    const { Client } = (await import('pg')).default
    const client = new Client({
      connectionString: this.#address.connectionString,
      application_name: this.#name,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    })
    client.on('error', () => this.#lost.add(client))
    client.on('end', () => this.#lost.add(client))
    let isInside = false
    try {
      await client.connect()
      isInside = true
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      const { pid } = rows[0]!
      // A pooler answers with a number of its own.
      if ((client as unknown as { processID: number }).processID !== pid)
        throw new PooledConnectionError(
          'it is reached through a connection pooler, under which the locks of a session do not hold; name the server itself',
        )
      await client.query(SETTINGS)
      if (this.#backendPid !== null) await this.#endEarlier(client, this.#backendPid)
      await this.#restore(client, this.#backendPid)
      this.#backendPid = pid
      return client
    } catch (error) {
      const isCut = CUT.test(systemCode(error) ?? messageOf(error))
      if (isInside) this.#failure = isCut || this.#isLoss(error, client) ? 'inside' : 'refused'
      else this.#failure = isCut ? 'outside' : 'refused'
      this.#lost.add(client)
      await client.end().catch(() => undefined)
      throw error
    }
  }

  /** A server that has not noticed the loss yet still holds the locks of the earlier connection. */
  async #endEarlier(client: pg.Client, pid: number): Promise<void> {
    await client.query(
      `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE pid = $1 AND application_name = $2`,
      [pid, this.#name],
    )
  }

  /** Frees every lock at once and disconnects. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#last
    const client = this.#client
    this.#client = null
    if (client === null || this.#lost.has(client)) return
    await client.query('SELECT pg_advisory_unlock_all()').catch(() => undefined)
    await client.end().catch(() => undefined)
  }
}
