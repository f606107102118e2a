import type { IngestionStatus } from '../../../contract/http/ingestion.ts'
import { TaskStore } from '../jobs/task-store.ts'
import type { TaskLease, TaskStatus } from '../jobs/task-store.ts'
import type { Database, Queries } from '../stores/database/database.ts'
import { freshProgress, isTerminal, jobError, JobOrder, JobProgress } from './job-record.ts'
import type { Job, NewJob } from './job-record.ts'
import { INGESTION, MAX_EXECUTIONS } from './job-tables.ts'

/** Result of a claim. stale: another submission changed the jobs meanwhile; read them again. */
export type FingerprintClaim = { outcome: 'created' | 'existing'; job: Job } | { outcome: 'stale' }

interface JobRow {
  seq: number
  id: string
  consumer: string
  resource: string
  idempotency_key: string
  status: TaskStatus
  cancel_requested: number
  attempts: number
  created_ms: number
  updated_ms: number
  heartbeat_ms: number
  job_order: string
  progress: string | null
  error: string | null
}

const JOBS = 'SELECT * FROM tasks JOIN ingestions ON task_id = id'

/**
 * Ingestions among the background jobs of a file: which one has a fingerprint, and what was submitted. States, leases, attempts and takeover are
 * those of `tasks`, which runs them too. Writers are serial, so a fingerprint that a transaction found free stays free until its end.
 */
export class JobStore {
  readonly tasks: TaskStore
  readonly #database: Database

  constructor(database: Database, leaseMs: number, now: () => number) {
    this.#database = database
    this.tasks = new TaskStore(database, { secret: null, leaseMs, now })
  }

  async get(id: string, queries: Queries = this.#database): Promise<Job | null> {
    const row = await queries.get<JobRow>(`${JOBS} WHERE id = ?`, [id])
    return row === null ? null : toJob(row)
  }

  /** The newest job of a fingerprint. */
  async latest(idempotencyKey: string, queries: Queries = this.#database): Promise<Job | null> {
    const row = await queries.get<JobRow>(`${JOBS} WHERE idempotency_key = ? ORDER BY seq DESC LIMIT 1`, [
      idempotencyKey,
    ])
    return row === null ? null : toJob(row)
  }

  /** Newest first; `before` is the `seq` of the last job of the page before. */
  async list(before: number | null, limit: number): Promise<Job[]> {
    const rows = await this.#database.all<JobRow>(`${JOBS} WHERE seq < ? ORDER BY seq DESC LIMIT ?`, [
      before ?? Number.MAX_SAFE_INTEGER,
      limit,
    ])
    return rows.map(toJob)
  }

  /**
   * Takes a fingerprint for a new job, or returns the job that has it: an active one, or the completed one whose result the caller
   * checked and found intact. Not even that one when another job is about to overwrite the collection. One that left out the graph is
   * opened again where the graph is asked for now: its collection stays.
   */
  async claimFingerprint(job: NewJob, checked: { id: string; intact: boolean } | null): Promise<FingerprintClaim> {
    return this.#database.transaction(async (tx): Promise<FingerprintClaim> => {
      const latest = await this.latest(job.idempotencyKey, tx)
      if (latest !== null && !isTerminal(latest.status)) return { outcome: 'existing', job: latest }
      if (latest?.status === 'completed') {
        if (latest.id !== checked?.id) return { outcome: 'stale' }
        if (checked.intact && !(await isContended(job, tx)))
          return job.order.graph && !latest.order.graph
            ? { outcome: 'created', job: await this.#openForGraph(latest, tx) }
            : { outcome: 'existing', job: latest }
      }
      const { id, consumer, collection, idempotencyKey, order } = job
      const task = { id, kind: INGESTION, subject: null, payload: null, resource: collection }
      await this.tasks.add({ ...task, maxAttempts: MAX_EXECUTIONS }, tx)
      await tx.run(
        'INSERT INTO ingestions (task_id, consumer, profile, idempotency_key, job_order) VALUES (?, ?, ?, ?, ?)',
        [id, consumer, order.profile.name, idempotencyKey, JSON.stringify(order)],
      )
      return { outcome: 'created', job: (await this.get(id, tx))! }
    })
  }

  async #openForGraph({ id, order }: Job, tx: Queries): Promise<Job> {
    await this.tasks.reopen(id, tx)
    await tx.run('UPDATE ingestions SET job_order = ? WHERE task_id = ?', [
      JSON.stringify({ ...order, graph: true }),
      id,
    ])
    return (await this.get(id, tx))!
  }

  /** Deletes all jobs of a profile and returns their ids; a worker that runs one loses its lease. */
  async deleteProfile(profile: string): Promise<string[]> {
    const rows = await this.#database.transaction((tx) =>
      tx.all<{ id: string }>(
        'DELETE FROM tasks WHERE id IN (SELECT task_id FROM ingestions WHERE profile = ?) RETURNING id',
        [profile],
      ),
    )
    return rows.map(({ id }) => id)
  }

  /**
   * Stores what a run found out about its corpus: its digest, and the fingerprint of it where no other active job has that. Throws
   * `TaskLostError` when the lease is no longer held.
   */
  async identify(lease: TaskLease, order: JobOrder, idempotencyKey: string): Promise<void> {
    await this.#database.transaction(async (tx) => {
      await this.tasks.requireMine(tx, lease)
      const taken = await tx.get(`${JOBS} WHERE idempotency_key = ? AND id <> ? AND status IN ('pending', 'running')`, [
        idempotencyKey,
        lease.id,
      ])
      await tx.run(
        'UPDATE ingestions SET job_order = ?, idempotency_key = coalesce(?, idempotency_key) WHERE task_id = ?',
        [JSON.stringify(order), taken === null ? idempotencyKey : null, lease.id],
      )
    })
  }
}

async function isContended({ collection, idempotencyKey }: NewJob, tx: Queries): Promise<boolean> {
  const other = await tx.get(
    `${JOBS} WHERE resource = ? AND status IN ('pending', 'running') AND idempotency_key <> ?`,
    [collection, idempotencyKey],
  )
  return other !== null
}

const toJob = (row: JobRow): Job => {
  const status: IngestionStatus = row.status === 'succeeded' ? 'completed' : row.status
  return {
    seq: row.seq,
    id: row.id,
    consumer: row.consumer,
    collection: row.resource,
    idempotencyKey: row.idempotency_key,
    status,
    cancelRequested: row.cancel_requested === 1,
    executions: row.attempts,
    createdMs: row.created_ms,
    updatedMs: Math.max(row.updated_ms, row.heartbeat_ms),
    order: JobOrder.parse(JSON.parse(row.job_order)),
    progress: progressOf(row, status),
  }
}

/** The progress as its run stored it. A run that was lost with its process left its phase open: it ended with the job. */
function progressOf({ progress: stored, error, updated_ms: updatedMs }: JobRow, status: IngestionStatus): JobProgress {
  const progress = stored === null ? freshProgress() : JobProgress.parse(JSON.parse(stored))
  if (status !== 'failed' && status !== 'cancelled') return progress
  const open = progress.phases.find((phase) => phase.status === 'running')
  const reason = status === 'failed' ? error : null
  if (open !== undefined) Object.assign(open, { status, ended_at: new Date(updatedMs).toISOString(), error: reason })
  if (reason !== null && progress.errors.length === 0) progress.errors.push(jobError(open?.name ?? 'discover', reason))
  return progress
}
