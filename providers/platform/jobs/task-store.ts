import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { isOneOf } from '../stores/database/database.ts'
import type { Database, Queries } from '../stores/database/database.ts'

export type TaskStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled'

export interface Task {
  id: string
  kind: string
  /** User that the task belongs to; null for one of an operator or service. */
  subject: string | null
  payload: unknown
  status: TaskStatus
  attempts: number
  cancelRequested: boolean
  /** State that the last run showed of itself; null before it shows any. */
  progress: unknown
  result: unknown
  error: string | null
  createdMs: number
  updatedMs: number
  /** States when a process last added, claimed or renewed the task, or kept it waiting. */
  heartbeatMs: number
}

export interface NewTask {
  /** A new one unless given. */
  id?: string
  kind: string
  subject: string | null
  payload: unknown
  /** Names what one task at a time may use: a task waits while another one with the same resource runs. */
  resource?: string
  /** A task fails for good after so many starts that ended in a retry or with the loss of their process. */
  maxAttempts?: number
}

/** The right to run a task: writes with it are refused as soon as another worker has it. */
export interface TaskLease {
  id: string
  owner: string
  fence: number
}

/** The lease is lost: another worker has the task, or it was closed. */
export class TaskLostError extends Error {
  override readonly name = 'TaskLostError'

  constructor(id: string) {
    super(`task ${id} belongs to another worker or has ended`)
  }
}

/** Kind, owner and payload of a stored task do not match its signature. */
export class TaskSignatureError extends Error {
  override readonly name = 'TaskSignatureError'

  constructor(id: string) {
    super(
      `Task ${id} has a signature of another secret. Give every process that shares the state folder the same TASK_SIGNING_SECRET`,
    )
  }
}

export interface TaskStoreOptions {
  /** Signs what a task does and for whom. Null: tasks of this file are not signed, because only this program writes it. */
  secret: string | null
  /** Without a renewal a task is free again after this time: its process is gone. */
  leaseMs?: number
  /** Longest time that one process may keep a task, however often it renews the lease. */
  visibilityTimeoutMs?: number
  now?: () => number
}

interface TaskRow extends Pick<Task, 'id' | 'kind' | 'subject' | 'status' | 'attempts' | 'error'> {
  payload: string
  signature: string
  max_attempts: number
  fence: number
  visible_again_ms: number
  cancel_requested: number
  resource: string | null
  progress: string | null
  result: string | null
  created_ms: number
  updated_ms: number
  heartbeat_ms: number
}

const LEASE_MS = 30_000
const NO_LIMIT_MS = 1e15
const MAX_ATTEMPTS = 3
/** Also asked by a renewal: another task may have taken the resource after the lease ran out. */
const RESOURCE_IS_FREE = `(resource IS NULL OR NOT EXISTS (SELECT 1 FROM tasks AS other WHERE other.resource = tasks.resource
  AND other.id <> tasks.id AND other.status = 'running' AND other.lease_until_ms > @now))`
const MINE = `id = @id AND owner = @owner AND fence = @fence AND status = 'running'`

/**
 * Tasks in the platform's database, which several processes share. Each method is one transaction. `claim` gives a lease (owner, fence and
 * expiry) that `renew` extends, never beyond the visibility timeout; every write of a run names it, so a run that lost its task changes
 * nothing. `finish` stores the result and the effects of a task in one transaction: they exist once, however often a worker is killed.
 */
export class TaskStore {
  readonly #database: Database
  readonly #options: Required<TaskStoreOptions>

  constructor(database: Database, options: TaskStoreOptions) {
    this.#database = database
    this.#options = { leaseMs: LEASE_MS, visibilityTimeoutMs: NO_LIMIT_MS, now: Date.now, ...options }
  }

  get leaseMs(): number {
    return this.#options.leaseMs
  }

  /** In the transaction of a caller where it has one. */
  async add(
    { id = randomUUID(), kind, subject, payload, resource, maxAttempts = MAX_ATTEMPTS }: NewTask,
    queries: Queries = this.#database,
  ): Promise<Task> {
    const now = this.#options.now()
    const text = JSON.stringify(payload)
    await queries.run(
      `INSERT INTO tasks (id, kind, subject, payload, signature, status, max_attempts, available_ms, created_ms, updated_ms,
       heartbeat_ms, resource) VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?)`,
      [id, kind, subject, text, this.#sign(id, kind, subject, text), maxAttempts, now, now, now, now, resource ?? null],
    )
    return (await this.#find(queries, id))!
  }

  /** Null when unknown. Throws `TaskSignatureError` for a task that another secret signed. */
  async get(id: string): Promise<Task | null> {
    return this.#find(this.#database, id)
  }

  async #find(queries: Queries, id: string): Promise<Task | null> {
    const row = await queries.get<TaskRow>('SELECT * FROM tasks WHERE id = ?', [id])
    if (row === null) return null
    if (!this.#isSigned(row)) throw new TaskSignatureError(id)
    return toTask(row)
  }

  /** Tasks of a kind, newest first, of one user or of all where `subject` is null; without those that another secret signed. */
  async list(kind: string, subject: string | null, limit: number, offset: number): Promise<Task[]> {
    return this.#page('kind = @kind', { kind, subject, limit, offset })
  }

  /** Tasks of all kinds but the given ones, as in `list`. */
  async listOthers(without: readonly string[], subject: string | null, limit: number, offset: number): Promise<Task[]> {
    const { sql, params } = isOneOf('kind', without)
    return this.#page(`NOT (${sql})`, { ...params, subject, limit, offset })
  }

  async #page(condition: string, params: Record<string, unknown>): Promise<Task[]> {
    const rows = await this.#database.all<TaskRow>(
      `SELECT * FROM tasks WHERE ${condition} AND (CAST(@subject AS TEXT) IS NULL OR subject = @subject)
       ORDER BY seq DESC LIMIT @limit OFFSET @offset`,
      params,
    )
    return rows.filter((row) => this.#isSigned(row)).map(toTask)
  }

  /** Returns how many tasks of a kind are pending or running. */
  async openCount(kind: string): Promise<number> {
    const row = await this.#database.get<{ open: number }>(
      `SELECT count(*) AS open FROM tasks WHERE kind = ? AND status IN ('pending', 'running')`,
      [kind],
    )
    return row!.open
  }

  /**
   * Fails the open tasks of a kind without a heartbeat for `silentMs`, then gives those that wait a new one, because this process
   * looks after them. Returns how many failed.
   */
  async failAbandoned(kind: string, silentMs: number): Promise<number> {
    return this.#database.transaction(async (tx) => {
      const now = this.#options.now()
      const failed = await tx.run(
        `UPDATE tasks SET status = 'failed', owner = NULL, fence = fence + 1, error = @error, updated_ms = @now
         WHERE kind = @kind AND status IN ('pending', 'running') AND heartbeat_ms <= @before`,
        { kind, now, before: now - silentMs, error: `abandoned: no process ran it for ${silentMs / 1000} s` },
      )
      await tx.run(`UPDATE tasks SET heartbeat_ms = @now WHERE kind = @kind AND status = 'pending'`, { kind, now })
      return failed
    })
  }

  /**
   * Leases the oldest tasks that may run, at most `limit`, or the one with an id: pending and due, or running under a lease that ran out, and
   * no other task holds their resource. Closes those that it meets which are to be cancelled, were lost too often or have a wrong signature.
   */
  async claim(
    owner: string,
    kinds: readonly string[],
    limit: number,
    id: string | null = null,
  ): Promise<{ task: Task; lease: TaskLease }[]> {
    const now = this.#options.now()
    const { sql, params } = isOneOf('kind', kinds)
    const next = async (queries: Queries): Promise<TaskRow | null> =>
      queries.get<TaskRow>(
        `SELECT * FROM tasks WHERE ${sql} AND (CAST(@id AS TEXT) IS NULL OR id = @id)
         AND ((status = 'pending' AND available_ms <= @now) OR (status = 'running' AND lease_until_ms <= @now))
         AND ${RESOURCE_IS_FREE} ORDER BY seq LIMIT 1`,
        { ...params, id, now },
      )
    // Most looks find nothing: they keep no writer waiting.
    if ((await next(this.#database)) === null) return []
    return this.#database.transaction(async (tx) => {
      const claimed: { task: Task; lease: TaskLease }[] = []
      while (claimed.length < limit) {
        const row = await next(tx)
        if (row === null) break
        const end = this.#endOf(row)
        if (end !== null) {
          await tx.run(
            'UPDATE tasks SET status = ?, owner = NULL, error = ?, fence = fence + 1, updated_ms = ? WHERE id = ?',
            [end.status, end.error, now, row.id],
          )
          continue
        }
        const again = now + this.#options.visibilityTimeoutMs
        await tx.run(
          `UPDATE tasks SET status = 'running', owner = ?, fence = fence + 1, attempts = attempts + 1, lease_until_ms = ?,
           visible_again_ms = ?, updated_ms = ?, heartbeat_ms = ?, progress = NULL WHERE id = ?`,
          [owner, Math.min(now + this.#options.leaseMs, again), again, now, now, row.id],
        )
        const task = (await this.#find(tx, row.id))!
        claimed.push({ task, lease: { id: row.id, owner, fence: row.fence + 1 } })
      }
      return claimed
    })
  }

  #endOf(row: TaskRow): { status: 'failed' | 'cancelled'; error: string } | null {
    if (!this.#isSigned(row)) return { status: 'failed', error: new TaskSignatureError(row.id).message }
    if (row.cancel_requested === 1) return { status: 'cancelled', error: 'cancelled' }
    if (row.attempts < row.max_attempts) return null
    return { status: 'failed', error: `its process ended while it ran, ${row.attempts} times` }
  }

  /** Extends a lease, and stores progress where it is given. Throws `TaskLostError`; returns true when the task is to be cancelled. */
  async renew(lease: TaskLease, progress?: unknown): Promise<boolean> {
    const now = this.#options.now()
    const shown = stored(progress)
    // A sync several times a second would stop the event loop. What a power cut takes, the next run finds out again.
    return this.#database.unsynced(async (tx) => {
      const renewed = await tx.get<{ cancel_requested: number }>(
        `UPDATE tasks SET lease_until_ms = CASE WHEN visible_again_ms < @until THEN visible_again_ms ELSE @until END,
         heartbeat_ms = @now, progress = coalesce(CAST(@shown AS TEXT), progress)
         WHERE ${MINE} AND visible_again_ms > @now AND ${RESOURCE_IS_FREE} RETURNING cancel_requested`,
        { ...lease, until: now + this.#options.leaseMs, now, shown },
      )
      if (renewed === null) throw new TaskLostError(lease.id)
      return renewed.cancel_requested === 1
    })
  }

  /**
   * Stores a result; `effects` run before in the same transaction and may still complete it. When they throw, neither is stored. Throws
   * `TaskLostError`.
   */
  async finish(
    lease: TaskLease,
    result: unknown,
    effects?: (tx: Queries) => Promise<void>,
    progress?: unknown,
  ): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await this.requireMine(tx, lease)
      await effects?.(tx)
      await this.#end(tx, lease, 'succeeded', JSON.stringify(result ?? null), null, progress)
    })
    // The progress of a long run has filled it.
    if (progress !== undefined) await this.#database.truncateLog()
  }

  /** Throws `TaskLostError`. */
  async fail(lease: TaskLease, error: string, progress?: unknown): Promise<void> {
    await this.#end(this.#database, lease, 'failed', null, error, progress)
  }

  /** Throws `TaskLostError`. */
  async cancelled(lease: TaskLease, progress?: unknown): Promise<void> {
    await this.#end(this.#database, lease, 'cancelled', null, 'cancelled', progress)
  }

  /** Puts an ended task back, to be run from its start, in the transaction of a caller. */
  async reopen(id: string, tx: Queries): Promise<void> {
    await tx.run(
      `UPDATE tasks SET status = 'pending', attempts = 0, cancel_requested = 0, error = NULL, progress = NULL, updated_ms = ? WHERE id = ?
       AND status NOT IN ('pending', 'running')`,
      [this.#options.now(), id],
    )
  }

  /** Puts a task back for a later start, or fails it when it has had all its attempts. Throws `TaskLostError`. */
  async retry(lease: TaskLease, error: string, delayMs: number): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const now = this.#options.now()
      const changes = await tx.run(
        `UPDATE tasks SET status = CASE WHEN attempts < max_attempts THEN 'pending' ELSE 'failed' END, owner = NULL,
         available_ms = @due, error = @error, updated_ms = @now WHERE ${MINE}`,
        { ...lease, due: now + delayMs, error, now },
      )
      if (changes === 0) throw new TaskLostError(lease.id)
      await this.#addLog(tx, lease.id, error)
    })
  }

  /** Gives a task back as if it had never been claimed. A lease that is lost already needs nothing. */
  async release(lease: TaskLease): Promise<void> {
    await this.#database.run(
      `UPDATE tasks SET status = 'pending', owner = NULL, attempts = attempts - 1, progress = NULL, updated_ms = @now WHERE ${MINE}`,
      { ...lease, now: this.#options.now() },
    )
  }

  /** Puts a task back for a start at a later time, which counts as no attempt: it waits for something outside. Throws `TaskLostError`. */
  async postpone(lease: TaskLease, delayMs: number): Promise<void> {
    const now = this.#options.now()
    const changes = await this.#database.run(
      `UPDATE tasks SET status = 'pending', owner = NULL, attempts = attempts - 1, available_ms = @due, updated_ms = @now WHERE ${MINE}`,
      { ...lease, due: now + delayMs, now },
    )
    if (changes === 0) throw new TaskLostError(lease.id)
  }

  /** Requests cancellation; a pending task is cancelled at once, an ended one stays as it is. Null when unknown. */
  async cancel(id: string): Promise<Task | null> {
    return this.#database.transaction(async (tx) => {
      await tx.run(
        `UPDATE tasks SET cancel_requested = 1, updated_ms = @now, error = CASE status WHEN 'pending' THEN 'cancelled' ELSE error END,
         status = CASE status WHEN 'pending' THEN 'cancelled' ELSE status END WHERE id = @id AND status IN ('pending', 'running')`,
        { id, now: this.#options.now() },
      )
      return this.#find(tx, id)
    })
  }

  /** Adds a line to the task's log. Throws `TaskLostError`. */
  async log(lease: TaskLease, message: string): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await this.requireMine(tx, lease)
      await this.#addLog(tx, lease.id, message)
    })
  }

  /** Removes ended tasks with their logs; open ones stay. */
  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids)
      await this.#database.run(`DELETE FROM tasks WHERE id = ? AND status NOT IN ('pending', 'running')`, [id])
  }

  async logOf(id: string): Promise<{ at: string; message: string }[]> {
    const rows = await this.#database.all<{ at_ms: number; message: string }>(
      'SELECT at_ms, message FROM task_log WHERE task_id = ? ORDER BY rowid',
      [id],
    )
    return rows.map(({ at_ms: atMs, message }) => ({ at: new Date(atMs).toISOString(), message }))
  }

  async #addLog(tx: Queries, id: string, message: string): Promise<void> {
    const now = this.#options.now()
    await tx.run('INSERT INTO task_log (task_id, at_ms, message) VALUES (?, ?, ?)', [id, now, message])
  }

  /** Throws `TaskLostError`. */
  async requireMine(tx: Queries, lease: TaskLease): Promise<void> {
    if ((await tx.get(`SELECT 1 FROM tasks WHERE ${MINE}`, { ...lease })) === null) throw new TaskLostError(lease.id)
  }

  async #end(
    queries: Queries,
    lease: TaskLease,
    status: TaskStatus,
    result: string | null,
    error: string | null,
    progress: unknown,
  ): Promise<void> {
    const changes = await queries.run(
      `UPDATE tasks SET status = @status, owner = NULL, result = @result, error = @error, updated_ms = @now,
       progress = coalesce(CAST(@shown AS TEXT), progress) WHERE ${MINE}`,
      { ...lease, status, result, error, shown: stored(progress), now: this.#options.now() },
    )
    if (changes === 0) throw new TaskLostError(lease.id)
  }

  #sign(id: string, kind: string, subject: string | null, payload: string): string {
    if (this.#options.secret === null) return ''
    return createHmac('sha256', this.#options.secret)
      .update(JSON.stringify([id, kind, subject, payload]))
      .digest('hex')
  }

  #isSigned({ id, kind, subject, payload, signature }: TaskRow): boolean {
    const expected = Buffer.from(this.#sign(id, kind, subject, payload))
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
}

const stored = (progress: unknown): string | null => (progress === undefined ? null : JSON.stringify(progress))

const toTask = (row: TaskRow): Task => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  payload: JSON.parse(row.payload) as unknown,
  status: row.status,
  attempts: row.attempts,
  cancelRequested: row.cancel_requested === 1,
  progress: row.progress === null ? null : (JSON.parse(row.progress) as unknown),
  result: row.result === null ? null : (JSON.parse(row.result) as unknown),
  error: row.error,
  createdMs: row.created_ms,
  updatedMs: row.updated_ms,
  heartbeatMs: row.heartbeat_ms,
})
