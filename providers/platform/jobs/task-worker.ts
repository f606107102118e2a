// Background jobs of every kind run here. In: rows of `tasks` (task-store.ts), which requests of any process add. Out: each row ended once, with its result.
//   1. A worker looks when it is woken and at intervals, and claims what is free: pending, or left by a process that died.
//   2. It runs the handler of the job's kind, and renews the lease a few times within its length; the handler shows progress and may check the lease.
//   3. It stores the end: succeeded with its effects, failed, cancelled, put back for later, or given back when the process stops.
//   4. An end that cannot be stored is kept and tried again before the next claim.
// Handlers are in ingestion/run-job.ts, specified/media, specified/research and specified/memory. routes.ts shows jobs to their users.
import { randomUUID } from 'node:crypto'
import { messageOf } from '../../../core/json.ts'
import type { Logger } from '../../kit/logger.ts'
import type { Queries } from '../stores/database/database.ts'
import type { TaskSettings } from './task-settings.ts'
import { TaskLostError } from './task-store.ts'
import type { Task, TaskLease, TaskStore } from './task-store.ts'

/** Describes what a handler may do while it runs. */
export interface TaskRun {
  task: Task
  lease: TaskLease
  /** Aborts at the soft time limit, on cancellation, when the task is lost and when the process stops. */
  signal: AbortSignal
  /** Adds a line to the task's log, in the background; what cannot be written ends the run. */
  log: (message: string) => void
  /**
   * Stores how far the run has come, and renews the lease. The object is stored once more with the end of the run, as it is then. Throws when the
   * run must stop.
   */
  show: (progress: object) => Promise<void>
  /** Renews the lease, right before a write that another run must not repeat. Throws when the run must stop. */
  checkLease: () => Promise<void>
}

export interface TaskOutcome {
  result: unknown
  /** Writes to the platform's database, in the transaction that ends the task; the result is read after them. */
  effects?: (tx: Queries) => Promise<void>
  /** Runs after the end is stored, or could not be. */
  cleanUp?: () => Promise<void>
}

export type TaskHandler = (run: TaskRun) => Promise<TaskOutcome>

/** A failure that another attempt may not have; any other error fails the task at once. */
export class RetryableTaskError extends Error {
  override readonly name = 'RetryableTaskError'
}

/** The task waits for something outside: it is started again after `delayMs`, as often as needed, and takes no place in between. */
export class PostponedTask extends Error {
  override readonly name = 'PostponedTask'
  readonly delayMs: number

  constructor(delayMs: number) {
    super(`postponed for ${delayMs} ms`)
    this.delayMs = delayMs
  }
}

export interface TaskWorkerOptions {
  store: TaskStore
  handlers: Readonly<Record<string, TaskHandler>>
  /** A limit that is null is none. */
  settings: Pick<TaskSettings, 'concurrency' | 'prefetchMultiplier'> &
    Record<'softLimitMs' | 'hardLimitMs', number | null>
  logger?: Logger
  pollMs?: number
  /** Wait before the second attempt; it doubles with each further one. */
  retryMs?: number
}

class Stopped extends Error {}
/** Reason of a run's signal when its task is to be cancelled. */
export class TaskCancelled extends Error {}
class TimeLimit extends Error {}

interface Held {
  task: Task
  lease: TaskLease
  abort: AbortController
  running: Promise<void> | null
  progress: object | undefined
}

/** The end of a run that could not be stored: its task is still `running` there. */
export interface UnstoredEnd {
  progress: object | undefined
  /** Reason why it could not be stored. */
  error: Error
  store: () => Promise<void>
}

/**
 * Runs tasks of the shared store in this process: as many at once as `concurrency`, with `prefetchMultiplier` times as many reserved. It looks
 * for tasks, claims them, renews their leases while their handlers run, and stores how they ended; an end that cannot be stored is tried again.
 */
export class TaskWorker {
  readonly #options: Required<Omit<TaskWorkerOptions, 'logger'>> & { logger: Logger | undefined }
  readonly #owner = `${process.pid}-${randomUUID()}`
  readonly #held = new Map<string, Held>()
  #poll: NodeJS.Timeout | null = null
  #renewal: NodeJS.Timeout | null = null
  #stopped = false
  #looking: Promise<void> | null = null
  #looksAgain = false
  #renewing: Promise<void> | null = null
  readonly #claiming = new Set<Promise<unknown>>()
  readonly #unstored = new Map<string, UnstoredEnd>()
  readonly #waiters = new Set<() => void>()
  #failing: { sinceMs: number; error: Error } | null = null

  constructor(options: TaskWorkerOptions) {
    this.#options = { pollMs: 1000, retryMs: 1000, logger: undefined, ...options }
  }

  /** Starts looking for tasks; the first look is now. */
  start(): void {
    this.#poll ??= setInterval(() => this.#lookSoon(), this.#options.pollMs)
    this.#renewFromNow()
    this.#lookSoon()
  }

  #renewFromNow(): void {
    this.#renewal ??= setInterval(
      () => {
        this.#renewing ??= this.#renew().finally(() => {
          this.#renewing = null
        })
      },
      Math.max(1, this.#options.store.leaseMs / 3),
    )
  }

  /** Looks for tasks now: one was added or cancelled, or a place is free. */
  wake(): void {
    this.#notify()
    if (this.#poll !== null) this.#lookSoon()
  }

  /** Resolves when a task was added or has ended here, and after the poll interval, because other processes end tasks too. */
  async changed(): Promise<void> {
    if (this.#stopped) return
    const { promise, resolve } = Promise.withResolvers<null>()
    const done = () => resolve(null)
    const timer = setTimeout(done, this.#options.pollMs)
    this.#waiters.add(done)
    await promise
    clearTimeout(timer)
    this.#waiters.delete(done)
  }

  #notify(): void {
    for (const resolve of this.#waiters) resolve()
  }

  /** Runs a task to its end now, also where this worker was not started; returns false when the task cannot be taken. */
  async runNow(id: string): Promise<boolean> {
    if (this.#stopped) return false
    await this.storeEnds()
    const claim = this.#options.store.claim(this.#owner, Object.keys(this.#options.handlers), 1, id)
    const taken = claim.then(([first]) => (first === undefined ? null : this.#hold(first)))
    this.#claiming.add(taken)
    const held = await taken.finally(() => this.#claiming.delete(taken))
    // A stop gives back what was claimed meanwhile.
    if (held === null || held.abort.signal.aborted) return false
    this.#renewFromNow()
    await this.#start(held)
    return true
  }

  /** Stores the ends that could not be stored before. Throws when they still cannot. */
  async storeEnds(): Promise<void> {
    for (const [id, { store }] of this.#unstored) {
      try {
        await store()
      } catch (error) {
        // Another worker has taken the task meanwhile: its end counts.
        if (!(error instanceof TaskLostError)) throw error
      }
      this.#unstored.delete(id)
      this.#notify()
    }
  }

  /** Returns the end of a task's run that is not in the store yet, if there is one. */
  unstoredEnd(id: string): UnstoredEnd | undefined {
    return this.#unstored.get(id)
  }

  /** Why no task can be taken, and since when; null when the last look could read and write the store. */
  get failing(): { sinceMs: number; error: Error } | null {
    return this.#failing
  }

  #lookSoon(): void {
    if (this.#stopped) return
    if (this.#looking !== null) {
      this.#looksAgain = true
      return
    }
    this.#looking = this.#look().finally(() => {
      this.#looking = null
      const isWanted = this.#looksAgain
      this.#looksAgain = false
      if (isWanted) this.#lookSoon()
    })
  }

  async #look(): Promise<void> {
    const { concurrency, prefetchMultiplier } = this.#options.settings
    const free = concurrency * prefetchMultiplier - this.#held.size
    try {
      await this.storeEnds()
      const kinds = Object.keys(this.#options.handlers)
      for (const claimed of free > 0 ? await this.#options.store.claim(this.#owner, kinds, free) : [])
        this.#hold(claimed)
      this.#failing = null
    } catch (error) {
      this.#failing = { sinceMs: this.#failing?.sinceMs ?? Date.now(), error: error as Error }
      this.#options.logger?.error({ err: error }, 'background jobs cannot be read')
    }
    // A task that was claimed meanwhile is given back by the stop.
    if (this.#stopped) return
    const waiting = [...this.#held.values()].filter(({ running }) => running === null)
    for (const held of waiting.slice(0, Math.max(0, concurrency - (this.#held.size - waiting.length))))
      void this.#start(held)
  }

  #hold({ task, lease }: Pick<Held, 'task' | 'lease'>): Held {
    const held: Held = { task, lease, abort: new AbortController(), running: null, progress: undefined }
    this.#held.set(task.id, held)
    return held
  }

  #start(held: Held): Promise<void> {
    held.running ??= this.#run(held).finally(() => {
      this.#held.delete(held.task.id)
      this.wake()
    })
    return held.running
  }

  /** Asks a task of this process to stop; one of another process stops at its next renewal. */
  cancel(id: string): void {
    this.#held.get(id)?.abort.abort(new TaskCancelled())
  }

  /** Gives every task back for the next worker. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#poll ?? undefined)
    await this.#looking
    await Promise.allSettled(this.#claiming)
    this.#notify()
    const held = [...this.#held.values()]
    for (const { abort } of held) abort.abort(new Stopped())
    for (const { running, lease } of held) if (running === null) await this.#options.store.release(lease)
    await Promise.all(held.flatMap(({ running }) => running ?? []))
    clearInterval(this.#renewal ?? undefined)
    await this.#renewing
  }

  async #renew(): Promise<void> {
    for (const held of this.#held.values()) {
      try {
        await this.#renewOne(held)
      } catch (error) {
        if (!(error instanceof TaskLostError))
          this.#options.logger?.error({ err: error }, 'a background job cannot be renewed')
      }
    }
  }

  async #renewOne({ lease, abort }: Held, progress?: object): Promise<void> {
    try {
      if (await this.#options.store.renew(lease, progress)) abort.abort(new TaskCancelled())
    } catch (error) {
      if (error instanceof TaskLostError) abort.abort(error)
      throw error
    }
  }

  async #run(held: Held): Promise<void> {
    const { task, lease, abort } = held
    const { store, handlers, settings, logger } = this.#options
    const soft = after(settings.softLimitMs, (limit) =>
      abort.abort(new TimeLimit(`stopped at its time limit of ${limit}`)),
    )
    const late = Promise.withResolvers<never>()
    const hard = after(settings.hardLimitMs, (limit) =>
      late.reject(new TimeLimit(`still running at its hard time limit of ${limit}`)),
    )
    const log = new RunLog(store, lease)
    const checkLease = async (progress?: object): Promise<void> => {
      abort.signal.throwIfAborted()
      await this.#renewOne(held, progress)
      abort.signal.throwIfAborted()
    }
    const run: TaskRun = {
      task,
      lease,
      signal: abort.signal,
      log: (message) => log.add(message),
      show: async (progress) => {
        held.progress = progress
        await checkLease(progress)
      },
      checkLease: () => checkLease(),
    }
    try {
      abort.signal.throwIfAborted()
      const { result, effects, cleanUp } = await Promise.race([handlers[task.kind]!(run), late.promise])
      try {
        await log.written()
        await store.finish(lease, result, effects, held.progress)
      } finally {
        await cleanUp?.()
      }
    } catch (error) {
      const isStopped = abort.signal.aborted && !(error instanceof TimeLimit)
      await this.#end(held, log, isStopped ? abort.signal.reason : error)
      if (!(error instanceof PostponedTask))
        logger?.warn({ err: error, task: task.id, kind: task.kind }, 'background job did not succeed')
    } finally {
      clearTimeout(soft)
      clearTimeout(hard)
    }
  }

  async #end(held: Held, log: RunLog, error: unknown): Promise<void> {
    if (error instanceof TaskLostError) return
    const { task, lease, progress } = held
    const { store, retryMs, logger } = this.#options
    const storeEnd = async (): Promise<void> => {
      if (error instanceof Stopped) await store.release(lease)
      else if (error instanceof PostponedTask) await store.postpone(lease, error.delayMs)
      else if (error instanceof TaskCancelled) await store.cancelled(lease, progress)
      else if (error instanceof RetryableTaskError)
        await store.retry(lease, error.message, retryMs * 2 ** (task.attempts - 1))
      else await store.fail(lease, messageOf(error), progress)
    }
    try {
      await log.written()
      await storeEnd()
    } catch (failure) {
      if (failure instanceof TaskLostError) return
      logger?.error({ err: failure, task: task.id }, 'the end of a background job cannot be stored')
      this.#unstored.set(task.id, { progress, error: failure as Error, store: storeEnd })
    }
  }
}

function after(limitMs: number | null, call: (limit: string) => void): NodeJS.Timeout | undefined {
  return limitMs === null ? undefined : setTimeout(() => call(`${limitMs / 1000} s`), limitMs)
}

/** Writes the lines of a run one after the other, while the run goes on. */
class RunLog {
  readonly #store: TaskStore
  readonly #lease: TaskLease
  #written: Promise<void> = Promise.resolve()

  constructor(store: TaskStore, lease: TaskLease) {
    this.#store = store
    this.#lease = lease
  }

  add(message: string): void {
    this.#written = this.#written.then(() => this.#store.log(this.#lease, message))
    // Reported by `written`.
    this.#written.catch(() => {})
  }

  /** Throws what a line could not be written for. */
  async written(): Promise<void> {
    await this.#written
  }
}
