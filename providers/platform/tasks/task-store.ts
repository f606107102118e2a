import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import type Database from 'better-sqlite3'

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
  result: unknown
  error: string | null
  createdMs: number
  updatedMs: number
  /** When a process last cared for the task: added, claimed or renewed it, or kept it waiting. */
  heartbeatMs: number
}

export interface NewTask {
  /** A new one unless given. */
  id?: string
  kind: string
  subject: string | null
  payload: unknown
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
  /** Signs what a task does and for whom. */
  secret: string
  /** Without a renewal a task is free again after this time: its process is gone. */
  leaseMs?: number
  visibilityTimeoutMs: number
  now?: () => number
}

interface TaskRow {
  id: string
  kind: string
  subject: string | null
  payload: string
  signature: string
  status: TaskStatus
  attempts: number
  max_attempts: number
  fence: number
  visible_again_ms: number
  cancel_requested: number
  result: string | null
  error: string | null
  created_ms: number
  updated_ms: number
  heartbeat_ms: number
}

const LEASE_MS = 30_000
const MAX_ATTEMPTS = 3
const MINE = `id = @id AND owner = @owner AND fence = @fence AND status = 'running'`

/**
 * Tasks in the platform's database, which several processes share. Each method is one transaction. `claim` gives a lease (owner, fence and
 * expiry) that `renew` extends, never beyond the visibility timeout; every write of a run names it, so a run that lost its task changes
 * nothing. `finish` stores the result and the effects of a task in one transaction: they exist once, however often a worker is killed.
 */
export class TaskStore {
  readonly #database: Database.Database
  readonly #options: Required<TaskStoreOptions>

  constructor(database: Database.Database, options: TaskStoreOptions) {
    this.#database = database
    this.#options = { leaseMs: LEASE_MS, now: Date.now, ...options }
  }

  get leaseMs(): number {
    return this.#options.leaseMs
  }

  add({ id = randomUUID(), kind, subject, payload, maxAttempts = MAX_ATTEMPTS }: NewTask): Task {
    const now = this.#options.now()
    const text = JSON.stringify(payload)
    this.#database
      .prepare(
        `INSERT INTO tasks (id, kind, subject, payload, signature, status, max_attempts, available_ms, created_ms, updated_ms,
         heartbeat_ms) VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?)`,
      )
      .run(id, kind, subject, text, this.#sign(id, kind, subject, text), maxAttempts, now, now, now, now)
    return this.get(id)!
  }

  /** Null when unknown. Throws `TaskSignatureError` for a task that another secret signed. */
  get(id: string): Task | null {
    const row = this.#database.prepare<[string], TaskRow>('SELECT * FROM tasks WHERE id = ?').get(id)
    if (row === undefined) return null
    if (!this.#isSigned(row)) throw new TaskSignatureError(id)
    return toTask(row)
  }

  /** Tasks of a kind, newest first, of one user or of all where `subject` is null; without those that another secret signed. */
  list(kind: string, subject: string | null, limit: number, offset: number): Task[] {
    return this.#database
      .prepare<Record<string, unknown>, TaskRow>(
        `SELECT * FROM tasks WHERE kind = @kind AND (@subject IS NULL OR subject = @subject)
         ORDER BY seq DESC LIMIT @limit OFFSET @offset`,
      )
      .all({ kind, subject, limit, offset })
      .filter((row) => this.#isSigned(row))
      .map(toTask)
  }

  /** Tasks of all kinds but the given ones, as in `list`. */
  listOthers(without: readonly string[], subject: string | null, limit: number, offset: number): Task[] {
    return this.#database
      .prepare<Record<string, unknown>, TaskRow>(
        `SELECT * FROM tasks WHERE kind NOT IN (SELECT value FROM json_each(@kinds)) AND (@subject IS NULL OR subject = @subject)
         ORDER BY seq DESC LIMIT @limit OFFSET @offset`,
      )
      .all({ kinds: JSON.stringify(without), subject, limit, offset })
      .filter((row) => this.#isSigned(row))
      .map(toTask)
  }

  /** How many tasks of a kind are pending or running. */
  openCount(kind: string): number {
    return this.#database
      .prepare<[string], number>(`SELECT count(*) FROM tasks WHERE kind = ? AND status IN ('pending', 'running')`)
      .pluck()
      .get(kind)!
  }

  /**
   * Fails the open tasks of a kind that no process has cared for since `silentMs`, then gives those that wait a new heartbeat: this process
   * cares for them. Returns how many failed.
   */
  failAbandoned(kind: string, silentMs: number): number {
    return this.#write(() => {
      const now = this.#options.now()
      const open = `kind = @kind AND status IN ('pending', 'running')`
      const { changes } = this.#database
        .prepare(
          `UPDATE tasks SET status = 'failed', owner = NULL, fence = fence + 1, error = @error, updated_ms = @now
           WHERE ${open} AND heartbeat_ms <= @before`,
        )
        .run({ kind, now, before: now - silentMs, error: `abandoned: no process ran it for ${silentMs / 1000} s` })
      this.#database
        .prepare(`UPDATE tasks SET heartbeat_ms = @now WHERE kind = @kind AND status = 'pending'`)
        .run({ kind, now })
      return changes
    })
  }

  /**
   * Leases the oldest tasks that may run, at most `limit`: pending and due, or running under a lease that ran out. Closes those that it meets
   * which are to be cancelled, were lost too often or have a wrong signature.
   */
  claim(owner: string, kinds: readonly string[], limit: number): { task: Task; lease: TaskLease }[] {
    return this.#write(() => {
      const now = this.#options.now()
      const claimed: { task: Task; lease: TaskLease }[] = []
      const next = this.#database.prepare<{ now: number; kinds: string }, TaskRow>(
        `SELECT * FROM tasks WHERE kind IN (SELECT value FROM json_each(@kinds))
         AND ((status = 'pending' AND available_ms <= @now) OR (status = 'running' AND lease_until_ms <= @now))
         ORDER BY seq LIMIT 1`,
      )
      while (claimed.length < limit) {
        const row = next.get({ now, kinds: JSON.stringify(kinds) })
        if (row === undefined) break
        const end = this.#endOf(row)
        if (end !== null) {
          this.#close(row.id, end.status, end.error)
          continue
        }
        const again = now + this.#options.visibilityTimeoutMs
        this.#database
          .prepare(
            `UPDATE tasks SET status = 'running', owner = ?, fence = fence + 1, attempts = attempts + 1, lease_until_ms = ?,
             visible_again_ms = ?, updated_ms = ?, heartbeat_ms = ? WHERE id = ?`,
          )
          .run(owner, Math.min(now + this.#options.leaseMs, again), again, now, now, row.id)
        claimed.push({ task: this.get(row.id)!, lease: { id: row.id, owner, fence: row.fence + 1 } })
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

  /** Extends a lease. Throws `TaskLostError`; returns whether the task is to be cancelled. */
  renew(lease: TaskLease): boolean {
    return this.#write(() => {
      const now = this.#options.now()
      const row = this.#database
        .prepare<Record<string, unknown>, { cancel_requested: number }>(
          `UPDATE tasks SET lease_until_ms = min(@until, visible_again_ms), heartbeat_ms = @now WHERE ${MINE} AND visible_again_ms > @now
           RETURNING cancel_requested`,
        )
        .get({ ...lease, until: now + this.#options.leaseMs, now })
      if (row === undefined) throw new TaskLostError(lease.id)
      return row.cancel_requested === 1
    })
  }

  /**
   * Stores a result; `effects` run before in the same transaction and may still complete it. When they throw, neither is stored. Throws
   * `TaskLostError`.
   */
  finish(lease: TaskLease, result: unknown, effects: () => void = () => {}): void {
    this.#write(() => {
      this.#requireMine(lease)
      effects()
      this.#end(lease, 'succeeded', JSON.stringify(result ?? null), null)
    })
  }

  /** Throws `TaskLostError`. */
  fail(lease: TaskLease, error: string): void {
    this.#write(() => this.#end(lease, 'failed', null, error))
  }

  /** Throws `TaskLostError`. */
  cancelled(lease: TaskLease): void {
    this.#write(() => this.#end(lease, 'cancelled', null, 'cancelled'))
  }

  /** Puts a task back for a later start, or fails it when it has had all its attempts. Throws `TaskLostError`. */
  retry(lease: TaskLease, error: string, delayMs: number): void {
    this.#write(() => {
      const now = this.#options.now()
      const { changes } = this.#database
        .prepare(
          `UPDATE tasks SET status = CASE WHEN attempts < max_attempts THEN 'pending' ELSE 'failed' END, owner = NULL,
           available_ms = @due, error = @error, updated_ms = @now WHERE ${MINE}`,
        )
        .run({ ...lease, due: now + delayMs, error, now })
      if (changes === 0) throw new TaskLostError(lease.id)
      this.#addLog(lease.id, error)
    })
  }

  /** Gives a task back as if it had never been claimed. A lease that is lost already needs nothing. */
  release(lease: TaskLease): void {
    this.#database
      .prepare(`UPDATE tasks SET status = 'pending', owner = NULL, attempts = attempts - 1 WHERE ${MINE}`)
      .run({ ...lease })
  }

  /** Puts a task back for a start at a later time, which counts as no attempt: it waits for something outside. Throws `TaskLostError`. */
  postpone(lease: TaskLease, delayMs: number): void {
    this.#write(() => {
      const now = this.#options.now()
      const { changes } = this.#database
        .prepare(
          `UPDATE tasks SET status = 'pending', owner = NULL, attempts = attempts - 1, available_ms = @due, updated_ms = @now WHERE ${MINE}`,
        )
        .run({ ...lease, due: now + delayMs, now })
      if (changes === 0) throw new TaskLostError(lease.id)
    })
  }

  /** Requests cancellation; a pending task is cancelled at once, an ended one stays as it is. Null when unknown. */
  cancel(id: string): Task | null {
    return this.#write(() => {
      this.#database
        .prepare(
          `UPDATE tasks SET cancel_requested = 1, updated_ms = @now, error = CASE status WHEN 'pending' THEN 'cancelled' ELSE error END,
           status = CASE status WHEN 'pending' THEN 'cancelled' ELSE status END WHERE id = @id AND status IN ('pending', 'running')`,
        )
        .run({ id, now: this.#options.now() })
      return this.get(id)
    })
  }

  /** Adds a line to the task's log. Throws `TaskLostError`. */
  log(lease: TaskLease, message: string): void {
    this.#write(() => {
      this.#requireMine(lease)
      this.#addLog(lease.id, message)
    })
  }

  /** Removes ended tasks with their logs; open ones stay. */
  remove(ids: readonly string[]): void {
    this.#database
      .prepare(
        `DELETE FROM tasks WHERE id IN (SELECT value FROM json_each(?)) AND status NOT IN ('pending', 'running')`,
      )
      .run(JSON.stringify(ids))
  }

  logOf(id: string): { at: string; message: string }[] {
    return this.#database
      .prepare<[string], { at_ms: number; message: string }>(
        'SELECT at_ms, message FROM task_log WHERE task_id = ? ORDER BY rowid',
      )
      .all(id)
      .map(({ at_ms: atMs, message }) => ({ at: new Date(atMs).toISOString(), message }))
  }

  #addLog(id: string, message: string): void {
    this.#database
      .prepare('INSERT INTO task_log (task_id, at_ms, message) VALUES (?, ?, ?)')
      .run(id, this.#options.now(), message)
  }

  #requireMine(lease: TaskLease): void {
    const mine = this.#database.prepare(`SELECT 1 FROM tasks WHERE ${MINE}`).get({ ...lease })
    if (mine === undefined) throw new TaskLostError(lease.id)
  }

  #end(lease: TaskLease, status: TaskStatus, result: string | null, error: string | null): void {
    const { changes } = this.#database
      .prepare(
        `UPDATE tasks SET status = @status, owner = NULL, result = @result, error = @error, updated_ms = @now WHERE ${MINE}`,
      )
      .run({ ...lease, status, result, error, now: this.#options.now() })
    if (changes === 0) throw new TaskLostError(lease.id)
  }

  #close(id: string, status: TaskStatus, error: string): void {
    this.#database
      .prepare('UPDATE tasks SET status = ?, owner = NULL, error = ?, fence = fence + 1, updated_ms = ? WHERE id = ?')
      .run(status, error, this.#options.now(), id)
  }

  #sign(id: string, kind: string, subject: string | null, payload: string): string {
    return createHmac('sha256', this.#options.secret)
      .update(JSON.stringify([id, kind, subject, payload]))
      .digest('hex')
  }

  #isSigned({ id, kind, subject, payload, signature }: TaskRow): boolean {
    const expected = Buffer.from(this.#sign(id, kind, subject, payload))
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }

  #write<Result>(step: () => Result): Result {
    return this.#database.transaction(step).immediate()
  }
}

const toTask = (row: TaskRow): Task => ({
  id: row.id,
  kind: row.kind,
  subject: row.subject,
  payload: JSON.parse(row.payload) as unknown,
  status: row.status,
  attempts: row.attempts,
  cancelRequested: row.cancel_requested === 1,
  result: row.result === null ? null : (JSON.parse(row.result) as unknown),
  error: row.error,
  createdMs: row.created_ms,
  updatedMs: row.updated_ms,
  heartbeatMs: row.heartbeat_ms,
})
