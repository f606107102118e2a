import Database from 'better-sqlite3'
import type { IngestionError, IngestionStatus } from '../../../contract/index.ts'
import { truncateLog } from '../database/truncate-log.ts'
import type { KnownHashes } from './corpus.ts'
import { RunInterrupted, StateStoreUnavailableError } from './errors.ts'
import { freshProgress, isTerminal, JobOrder, JobProgress } from './job-record.ts'
import type { Job, NewJob } from './job-record.ts'

/** A job fails for good after this many runs were lost with their process. */
export const MAX_EXECUTIONS = 5

/** Result of a claim. stale: another submission changed the jobs meanwhile; read them again. */
export type FingerprintClaim = { outcome: 'created' | 'existing'; job: Job } | { outcome: 'stale' }

/** The right to run a job: writes with it are refused as soon as another worker has it. */
export interface Lease {
  id: string
  owner: string
  fence: number
}

interface JobRow {
  seq: number
  id: string
  consumer: string
  collection: string
  idempotency_key: string
  status: IngestionStatus
  cancel_requested: number
  fence: number
  executions: number
  created_ms: number
  updated_ms: number
  job_order: string
  progress: string
}

const MINE = `id = @id AND owner = @owner AND fence = @fence AND status = 'running'`

/**
 * Jobs in one SQLite file that several processes share. Each method is one transaction. A run holds a lease: owner, fence and an
 * expiry; every write of a run names all of them, so one that lost its lease changes nothing.
 */
export class JobStore {
  readonly #database: Database.Database
  readonly #leaseMs: number
  readonly #now: () => number

  constructor(file: string, leaseMs: number, now: () => number) {
    this.#database = openJobDatabase(file)
    this.#leaseMs = leaseMs
    this.#now = now
  }

  get(id: string): Job | null {
    return stateGuard(this.#database.name, () => {
      const row = this.#database.prepare<[string], JobRow>('SELECT * FROM jobs WHERE id = ?').get(id)
      return row === undefined ? null : toJob(row)
    })
  }

  /** The newest job of a fingerprint. */
  latest(idempotencyKey: string): Job | null {
    return stateGuard(this.#database.name, () => {
      const row = this.#database
        .prepare<[string], JobRow>('SELECT * FROM jobs WHERE idempotency_key = ? ORDER BY seq DESC LIMIT 1')
        .get(idempotencyKey)
      return row === undefined ? null : toJob(row)
    })
  }

  /** Newest first; `before` is the `seq` of the last job of the page before. */
  list(before: number | null, limit: number): Job[] {
    return stateGuard(this.#database.name, () =>
      this.#database
        .prepare<[number, number], JobRow>('SELECT * FROM jobs WHERE seq < ? ORDER BY seq DESC LIMIT ?')
        .all(before ?? Number.MAX_SAFE_INTEGER, limit)
        .map(toJob),
    )
  }

  /**
   * Takes a fingerprint for a new job, or returns the job that has it: an active one, or the completed one whose result the caller
   * checked and found intact. Not even that one when another job is about to overwrite the collection. One that left out the graph is
   * opened again where the graph is asked for now: its collection stays.
   */
  claimFingerprint(job: NewJob, checked: { id: string; intact: boolean } | null): FingerprintClaim {
    return this.#write(() => {
      const latest = this.latest(job.idempotencyKey)
      if (latest !== null && !isTerminal(latest.status)) return { outcome: 'existing', job: latest }
      if (latest?.status === 'completed') {
        if (latest.id !== checked?.id) return { outcome: 'stale' }
        if (checked.intact && !this.#isContended(job))
          return job.order.graph && !latest.order.graph
            ? { outcome: 'created', job: this.#openForGraph(latest) }
            : { outcome: 'existing', job: latest }
      }
      this.#database
        .prepare(
          `INSERT INTO jobs (id, consumer, profile, collection, idempotency_key, status, created_ms, updated_ms, job_order, progress)
           VALUES (?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?)`,
        )
        .run(
          job.id,
          job.consumer,
          job.order.profile.name,
          job.collection,
          job.idempotencyKey,
          job.createdMs,
          job.createdMs,
          JSON.stringify(job.order),
          JSON.stringify(freshProgress()),
        )
      return { outcome: 'created', job: this.get(job.id)! }
    })
  }

  #openForGraph({ id, order }: Job): Job {
    this.#database
      .prepare(
        `UPDATE jobs SET status = 'pending', executions = 0, updated_ms = ?, job_order = ?, progress = ? WHERE id = ?`,
      )
      .run(this.#now(), JSON.stringify({ ...order, graph: true }), JSON.stringify(freshProgress()), id)
    return this.get(id)!
  }

  #isContended(job: NewJob): boolean {
    const other = this.#database.prepare(
      `SELECT 1 FROM jobs WHERE collection = ? AND status IN ('pending', 'running') AND idempotency_key <> ?`,
    )
    return other.get(job.collection, job.idempotencyKey) !== undefined
  }

  /**
   * Leases the oldest job that may run (or the one named): pending, or running under a lease that ran out; one per collection at a
   * time. A job to be cancelled, or lost with its process too often, is closed instead and skipped.
   */
  acquire(owner: string, id?: string): { job: Job; lease: Lease } | null {
    return this.#write(() => {
      for (;;) {
        const row = this.#database
          .prepare<{ now: number; id: string | null }, JobRow>(
            `SELECT * FROM jobs AS job WHERE (status = 'pending' OR (status = 'running' AND lease_until_ms <= @now))
             AND (CAST(@id AS TEXT) IS NULL OR id = @id) AND NOT EXISTS (
               SELECT 1 FROM jobs AS other WHERE other.collection = job.collection AND other.id <> job.id
               AND other.status = 'running' AND other.lease_until_ms > @now
             ) ORDER BY seq LIMIT 1`,
          )
          .get({ now: this.#now(), id: id ?? null })
        if (row === undefined) return null
        if (row.cancel_requested === 1) this.#close(row, 'cancelled')
        else if (row.executions >= MAX_EXECUTIONS) this.#close(row, 'failed')
        else return this.#lease(row, owner)
      }
    })
  }

  #lease(row: JobRow, owner: string): { job: Job; lease: Lease } {
    const lease = { id: row.id, owner, fence: row.fence + 1 }
    this.#database
      .prepare(
        `UPDATE jobs SET status = 'running', owner = @owner, fence = @fence, lease_until_ms = @until, updated_ms = @now,
         executions = executions + 1, progress = @progress WHERE id = @id`,
      )
      .run({
        ...lease,
        until: this.#now() + this.#leaseMs,
        now: this.#now(),
        progress: JSON.stringify(freshProgress()),
      })
    return { job: this.get(row.id)!, lease }
  }

  #close(row: JobRow, status: 'cancelled' | 'failed'): void {
    const progress = JobProgress.parse(JSON.parse(row.progress))
    const ended = new Date(this.#now()).toISOString()
    const message = `the process running this job was lost ${row.executions} times`
    const running = progress.phases.find((phase) => phase.status === 'running')
    if (running !== undefined)
      Object.assign(running, { status, ended_at: ended, error: status === 'failed' ? message : null })
    if (status === 'failed') progress.errors.push(jobError(running?.name ?? 'discover', message))
    this.#database
      .prepare('UPDATE jobs SET status = ?, owner = NULL, fence = fence + 1, updated_ms = ?, progress = ? WHERE id = ?')
      .run(status, this.#now(), JSON.stringify(progress), row.id)
  }

  /**
   * Renews a lease and, when given, stores progress. Throws `RunInterrupted`: lease_lost when another worker has the job or it is
   * deleted, cancelled when its cancellation was requested.
   */
  renew(lease: Lease, progress?: JobProgress): void {
    const cancelRequested = this.#writeUnsynced(() => {
      const renewed = this.#database
        .prepare<unknown[], { cancel_requested: number }>(
          `UPDATE jobs SET lease_until_ms = @until, updated_ms = @now, progress = coalesce(@progress, progress)
           WHERE ${MINE} RETURNING cancel_requested`,
        )
        .get({
          ...lease,
          until: this.#now() + this.#leaseMs,
          now: this.#now(),
          progress: progress === undefined ? null : JSON.stringify(progress),
        })
      if (renewed === undefined) throw new RunInterrupted('lease_lost')
      return renewed.cancel_requested === 1
    })
    if (cancelRequested) throw new RunInterrupted('cancelled')
  }

  /** Ends a run; throws `RunInterrupted` (lease_lost) when the lease is no longer held, and changes nothing then. */
  finish(lease: Lease, status: 'completed' | 'failed' | 'cancelled', progress: JobProgress): void {
    const finished = stateGuard(this.#database.name, () =>
      this.#database
        .prepare(
          `UPDATE jobs SET status = @status, owner = NULL, updated_ms = @now, progress = @progress WHERE ${MINE}`,
        )
        .run({ ...lease, status, now: this.#now(), progress: JSON.stringify(progress) }),
    )
    if (finished.changes !== 1) throw new RunInterrupted('lease_lost')
    // Progress and hashes of a large corpus have filled it.
    stateGuard(this.#database.name, () => truncateLog(this.#database))
  }

  /** Releases a job unfinished: the next worker may run it at once, and this run does not count. */
  release(lease: Lease): void {
    stateGuard(this.#database.name, () =>
      this.#database
        .prepare(
          `UPDATE jobs SET status = 'pending', owner = NULL, fence = fence + 1, executions = executions - 1, updated_ms = @now,
           progress = @progress WHERE ${MINE}`,
        )
        .run({ ...lease, now: this.#now(), progress: JSON.stringify(freshProgress()) }),
    )
  }

  /** Requests cancellation; a pending job is cancelled at once, an ended one stays as it is. Null when unknown. */
  cancel(id: string): Job | null {
    return this.#write(() => {
      this.#database
        .prepare(
          `UPDATE jobs SET cancel_requested = 1, updated_ms = @now,
           status = CASE status WHEN 'pending' THEN 'cancelled' ELSE status END
           WHERE id = @id AND status IN ('pending', 'running')`,
        )
        .run({ id, now: this.#now() })
      return this.get(id)
    })
  }

  /** Records that a job could not be passed to a worker; false when a worker has it already. */
  failDispatch(id: string, message: string): boolean {
    const progress: JobProgress = {
      ...freshProgress(),
      errors: [{ ...jobError('dispatch', message), retryable: true }],
    }
    const failed = stateGuard(this.#database.name, () =>
      this.#database
        .prepare(`UPDATE jobs SET status = 'failed', updated_ms = ?, progress = ? WHERE id = ? AND status = 'pending'`)
        .run(this.#now(), JSON.stringify(progress), id),
    )
    return failed.changes === 1
  }

  /** Deletes all jobs of a profile and returns their ids; a worker that runs one loses its lease. */
  deleteProfile(profile: string): string[] {
    return stateGuard(this.#database.name, () =>
      this.#database.prepare<[string], string>('DELETE FROM jobs WHERE profile = ? RETURNING id').pluck().all(profile),
    )
  }

  /** Hashes of corpus files as they were read before. */
  knownHashes(): KnownHashes {
    const read = this.#database
      .prepare<[string, number, bigint, bigint, bigint], string>(
        `SELECT sha256 FROM file_hashes
         WHERE path = ? AND size = ? AND modified_ns = ? AND changed_ns = ? AND inode = ? AND changed_ns < read_ns - ${UNSETTLED_NS}`,
      )
      .pluck()
    const write = this.#database.prepare(
      `INSERT OR REPLACE INTO file_hashes (path, size, modified_ns, changed_ns, inode, read_ns, sha256) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    const inode = (value: bigint): bigint => BigInt.asIntN(64, value)
    return {
      get: (file, state) =>
        stateGuard(
          this.#database.name,
          () => read.get(file, state.sizeBytes, state.modifiedNs, state.changedNs, inode(state.inode)) ?? null,
        ),
      put: (hashes) => {
        const readNs = BigInt(this.#now()) * 1_000_000n
        this.#writeUnsynced(() => {
          for (const { absolutePath, state, sha256 } of hashes)
            write.run(
              absolutePath,
              state.sizeBytes,
              state.modifiedNs,
              state.changedNs,
              inode(state.inode),
              readNs,
              sha256,
            )
        })
      },
    }
  }

  /**
   * Stores what a run found out about its corpus: its digest, and the fingerprint of it where no other active job has that. Throws
   * `RunInterrupted` when the lease is no longer held.
   */
  identify(lease: Lease, order: JobOrder, idempotencyKey: string): void {
    this.#write(() => {
      const taken = this.#database
        .prepare(`SELECT 1 FROM jobs WHERE idempotency_key = ? AND id <> ? AND status IN ('pending', 'running')`)
        .get(idempotencyKey, lease.id)
      const changed = this.#database
        .prepare(
          `UPDATE jobs SET job_order = @order, idempotency_key = coalesce(@key, idempotency_key), updated_ms = @now WHERE ${MINE}`,
        )
        .run({
          ...lease,
          order: JSON.stringify(order),
          key: taken === undefined ? idempotencyKey : null,
          now: this.#now(),
        })
      if (changed.changes !== 1) throw new RunInterrupted('lease_lost')
    })
  }

  close(): void {
    this.#database.close()
  }

  #write<Result>(step: () => Result): Result {
    return stateGuard(this.#database.name, () => this.#database.transaction(step).immediate())
  }

  /**
   * For what a run writes several times a second: its lease, its progress, hashes of files. A sync would stop the event loop each time, for as
   * long as the disk takes for all that was written to it. A power cut may take the last of these, which the next run finds out again.
   */
  #writeUnsynced<Result>(step: () => Result): Result {
    return stateGuard(this.#database.name, () => {
      this.#database.pragma('synchronous = NORMAL')
      try {
        return this.#database.transaction(step).immediate()
      } finally {
        this.#database.pragma('synchronous = FULL')
      }
    })
  }
}

/** An error of a job without a file or service. */
export const jobError = (phase: string, message: string): IngestionError => ({
  phase,
  message,
  file: null,
  service: null,
  http_status: null,
  body: null,
})

const toJob = (row: JobRow): Job => ({
  seq: row.seq,
  id: row.id,
  consumer: row.consumer,
  collection: row.collection,
  idempotencyKey: row.idempotency_key,
  status: row.status,
  cancelRequested: row.cancel_requested === 1,
  executions: row.executions,
  createdMs: row.created_ms,
  updatedMs: row.updated_ms,
  order: JobOrder.parse(JSON.parse(row.job_order)),
  progress: JobProgress.parse(JSON.parse(row.progress)),
})

/** A file that was changed this shortly before it was read may have changed again with the same times. */
const UNSETTLED_NS = 2_000_000_000

const SCHEMA_VERSION = 1
/** The driver's default is 16 MB, which the list of a job's files would fill. */
const CACHE_KIB = 2048
const BUSY_TIMEOUT_MS = 5000

/** Opens or creates the job database; several processes may share it. Throws `StateStoreUnavailableError`. */
function openJobDatabase(file: string): Database.Database {
  return stateGuard(file, () => {
    const database = new Database(file, { timeout: BUSY_TIMEOUT_MS })
    try {
      prepare(database, file)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  })
}

function prepare(database: Database.Database, file: string): void {
  const mode = database.pragma('journal_mode = WAL', { simple: true })
  if (mode !== 'wal')
    throw new StateStoreUnavailableError(`${file}: write-ahead log refused (journal mode ${String(mode)})`)
  // A job that was accepted must survive a power cut.
  database.pragma('synchronous = FULL')
  database.pragma(`cache_size = -${CACHE_KIB}`)
  database
    .transaction(() => {
      const version = database.pragma('user_version', { simple: true }) as number
      if (version === SCHEMA_VERSION) {
        addFileHashes(database)
        return
      }
      if (version !== 0) throw new StateStoreUnavailableError(`${file}: written by another version (schema ${version})`)
      database.exec(`
        CREATE TABLE jobs (
          seq INTEGER PRIMARY KEY AUTOINCREMENT,
          id TEXT NOT NULL UNIQUE,
          consumer TEXT NOT NULL,
          profile TEXT NOT NULL,
          collection TEXT NOT NULL,
          idempotency_key TEXT NOT NULL,
          status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'cancelled')),
          cancel_requested INTEGER NOT NULL DEFAULT 0,
          owner TEXT,
          fence INTEGER NOT NULL DEFAULT 0,
          lease_until_ms INTEGER NOT NULL DEFAULT 0,
          executions INTEGER NOT NULL DEFAULT 0,
          created_ms INTEGER NOT NULL,
          updated_ms INTEGER NOT NULL,
          job_order TEXT NOT NULL,
          progress TEXT NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX one_active_job_per_fingerprint ON jobs (idempotency_key) WHERE status IN ('pending', 'running');
        CREATE INDEX jobs_by_fingerprint ON jobs (idempotency_key, seq);
        CREATE INDEX active_jobs ON jobs (collection) WHERE status IN ('pending', 'running');
        PRAGMA user_version = ${SCHEMA_VERSION};
      `)
      addFileHashes(database)
    })
    .immediate()
}

/** The table came after version 1 and changes nothing else, so that files of that version stay readable by all. */
function addFileHashes(database: Database.Database): void {
  database.exec(`
    CREATE TABLE IF NOT EXISTS file_hashes (
      path TEXT PRIMARY KEY,
      size INTEGER NOT NULL,
      modified_ns INTEGER NOT NULL,
      changed_ns INTEGER NOT NULL,
      inode INTEGER NOT NULL,
      read_ns INTEGER NOT NULL,
      sha256 TEXT NOT NULL
    ) STRICT, WITHOUT ROWID
  `)
}

/** Runs a step on the database; its faults become `StateStoreUnavailableError` with the file and, where known, what to do. */
function stateGuard<Result>(file: string, step: () => Result): Result {
  try {
    return step()
  } catch (error) {
    if (!(error instanceof Database.SqliteError || error instanceof TypeError)) throw error
    throw new StateStoreUnavailableError(`${file}: ${error.message}${remedyOf(error)}`, { cause: error })
  }
}

function remedyOf({ message }: Error): string {
  if (/full/.test(message)) return '. Free space on its disk, then run again'
  return /readonly/.test(message) ? '. Make the file and its folder writable, then run again' : ''
}
