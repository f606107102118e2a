import { giveBackFreedMemory } from '../freed-memory.ts'
import { EndNotStoredError, RunInterrupted, StateStoreUnavailableError } from './errors.ts'
import type { IngestionDeps } from './ingestion-service.ts'
import type { JobProgress } from './job-record.ts'
import type { JobStore } from './job-store.ts'
import { runJob } from './run-job.ts'

/** How long an idle worker sleeps before it looks for jobs of other processes and leases that ran out. */
const POLL_MS = 1000
/** A store that cannot be written for this long is reported to callers that wait for jobs. */
const UNWRITABLE_AFTER_MS = 3000

/** Runs jobs of the shared store, one at a time, in this process. */
export class IngestionWorker {
  readonly #deps: IngestionDeps
  readonly #jobs: JobStore
  readonly #owner: string
  readonly #runs = new Map<string, { interrupt: AbortController; done: Promise<void> }>()
  readonly #waiters = new Set<() => void>()
  #loop: Promise<void> | null = null
  #stopped = false
  /** Runs that failed and could not be stored as failed, by job. */
  readonly #unstored = new Map<string, EndNotStoredError>()
  #unwritable: { sinceMs: number; error: StateStoreUnavailableError } | null = null

  constructor(deps: IngestionDeps, jobs: JobStore, owner: string) {
    this.#deps = deps
    this.#jobs = jobs
    this.#owner = owner
  }

  get started(): boolean {
    return this.#loop !== null && !this.#stopped
  }

  /** Starts looking for jobs; the first look is now. */
  start(): void {
    this.#loop ??= this.#work()
  }

  /** Wakes all waiters to read the store again: a job was added or has ended. */
  wake(): void {
    for (const waiter of Array.from(this.#waiters)) waiter()
  }

  /** Runs one job, or the named one; false when there was none to take. */
  async runNext(id?: string): Promise<boolean> {
    if (this.#stopped) return false
    this.storeEnds()
    const acquired = this.#jobs.acquire(this.#owner, id)
    if (acquired === null) return false
    const { job, lease } = acquired
    const interrupt = new AbortController()
    const run = runJob(this.#deps, this.#jobs, job, lease, interrupt.signal)
    const done = run.then(
      () => undefined,
      () => undefined,
    )
    this.#runs.set(job.id, { interrupt, done })
    try {
      const end = await run
      this.#deps.logger?.info({ job: job.id, profile: job.order.profile.name, end }, 'ingestion run ended')
    } catch (error) {
      if (error instanceof EndNotStoredError) this.#unstored.set(job.id, error)
      throw error
    } finally {
      this.#runs.delete(job.id)
      this.wake()
    }
    return true
  }

  /** Progress of a failed job whose failure is not in the store yet; null for all others. */
  unstoredFailure(id: string): JobProgress | null {
    return this.#unstored.get(id)?.progress ?? null
  }

  /** Why no job can run at present; null when the last attempt could write the store. */
  get unwritable(): StateStoreUnavailableError | null {
    const { sinceMs, error } = this.#unwritable ?? { sinceMs: Infinity, error: null }
    return this.#deps.clock.now() - sinceMs >= UNWRITABLE_AFTER_MS ? error : null
  }

  /** Stores the failures that could not be stored before. Throws `StateStoreUnavailableError` when they still cannot. */
  storeEnds(): void {
    for (const [id, { lease, progress }] of this.#unstored) {
      try {
        this.#jobs.finish(lease, 'failed', progress)
      } catch (error) {
        // Another worker has taken the job meanwhile: its end counts.
        if (!(error instanceof RunInterrupted)) throw error
      }
      this.#unstored.delete(id)
    }
  }

  /** Ends the run of a job in this process, when there is one. */
  interrupt(id: string, reason: RunInterrupted): void {
    this.#runs.get(id)?.interrupt.abort(reason)
  }

  /** Resolves after a wake-up or the poll interval; at once when stopped. */
  async pause(): Promise<void> {
    if (this.#stopped) return
    await new Promise<void>((resolve) => {
      const finish = (): void => {
        clearTimeout(timer)
        this.#waiters.delete(finish)
        resolve()
      }
      const timer = setTimeout(finish, POLL_MS)
      this.#waiters.add(finish)
    })
  }

  /** Stops looking and gives the job under way back for the next worker. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.wake()
    const runs = [...this.#runs.values()]
    for (const { interrupt } of runs) interrupt.abort(new RunInterrupted('shutdown'))
    await Promise.all(runs.map(({ done }) => done))
    await this.#loop
  }

  async #work(): Promise<void> {
    while (!this.#stopped) {
      const ran = await this.runNext().then(
        (taken) => {
          this.#unwritable = null
          if (taken) giveBackFreedMemory()
          return taken
        },
        (error: unknown) => {
          if (error instanceof StateStoreUnavailableError)
            this.#unwritable = { sinceMs: this.#unwritable?.sinceMs ?? this.#deps.clock.now(), error }
          this.#deps.logger?.error({ err: error }, 'ingestion worker failed')
          return false
        },
      )
      if (!ran) await this.pause()
    }
  }
}
