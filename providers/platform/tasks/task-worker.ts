import { randomUUID } from 'node:crypto'
import type { Logger } from '../../kit/logger.ts'
import type { Queries } from '../database/database.ts'
import type { TaskSettings } from './task-settings.ts'
import { TaskLostError } from './task-store.ts'
import type { Task, TaskLease, TaskStore } from './task-store.ts'

/** What a handler may do while it runs. */
export interface TaskRun {
  task: Task
  /** Aborts at the soft time limit, on cancellation, when the task is lost and when the process stops. */
  signal: AbortSignal
  /** Adds a line to the task's log, in the background; what cannot be written ends the run. */
  log: (message: string) => void
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
  settings: Pick<TaskSettings, 'concurrency' | 'prefetchMultiplier' | 'softLimitMs' | 'hardLimitMs'>
  logger?: Logger
  pollMs?: number
  /** Wait before the second attempt; it doubles with each further one. */
  retryMs?: number
}

class Stopped extends Error {}
class Cancelled extends Error {}
class TimeLimit extends Error {}

interface Held {
  task: Task
  lease: TaskLease
  abort: AbortController
  running: Promise<void> | null
}

/** Runs tasks of the shared store in this process: as many at once as `concurrency`, with `prefetchMultiplier` times as many reserved. */
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

  constructor(options: TaskWorkerOptions) {
    this.#options = { pollMs: 1000, retryMs: 1000, logger: undefined, ...options }
  }

  /** Starts looking for tasks; the first look is now. */
  start(): void {
    this.#poll ??= setInterval(() => this.wake(), this.#options.pollMs)
    this.#renewal ??= setInterval(
      () => {
        this.#renewing ??= this.#renew().finally(() => {
          this.#renewing = null
        })
      },
      Math.max(1, this.#options.store.leaseMs / 3),
    )
    this.wake()
  }

  /** Looks for tasks now: one was added, or a place is free. */
  wake(): void {
    if (this.#stopped) return
    if (this.#looking !== null) {
      this.#looksAgain = true
      return
    }
    this.#looking = this.#look().finally(() => {
      this.#looking = null
      const isWanted = this.#looksAgain
      this.#looksAgain = false
      if (isWanted) this.wake()
    })
  }

  async #look(): Promise<void> {
    const { concurrency, prefetchMultiplier } = this.#options.settings
    const free = concurrency * prefetchMultiplier - this.#held.size
    try {
      const kinds = Object.keys(this.#options.handlers)
      for (const { task, lease } of free > 0 ? await this.#options.store.claim(this.#owner, kinds, free) : [])
        this.#held.set(task.id, { task, lease, abort: new AbortController(), running: null })
    } catch (error) {
      this.#options.logger?.error({ err: error }, 'background jobs cannot be read')
    }
    // What was claimed meanwhile is given back by the stop.
    if (this.#stopped) return
    const waiting = [...this.#held.values()].filter(({ running }) => running === null)
    for (const held of waiting.slice(0, concurrency - (this.#held.size - waiting.length)))
      held.running = this.#run(held).finally(() => {
        this.#held.delete(held.task.id)
        this.wake()
      })
  }

  /** Asks a task of this process to stop; one of another process stops at its next renewal. */
  cancel(id: string): void {
    this.#held.get(id)?.abort.abort(new Cancelled())
  }

  /** Gives every task back for the next worker. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#poll ?? undefined)
    await this.#looking
    const held = [...this.#held.values()]
    for (const { abort } of held) abort.abort(new Stopped())
    for (const { running, lease } of held) if (running === null) await this.#options.store.release(lease)
    await Promise.all(held.flatMap(({ running }) => running ?? []))
    clearInterval(this.#renewal ?? undefined)
    await this.#renewing
  }

  async #renew(): Promise<void> {
    for (const { lease, abort } of this.#held.values()) {
      try {
        if (await this.#options.store.renew(lease)) abort.abort(new Cancelled())
      } catch (error) {
        if (error instanceof TaskLostError) abort.abort(error)
        else this.#options.logger?.error({ err: error }, 'a background job cannot be renewed')
      }
    }
  }

  async #run({ task, lease, abort }: Held): Promise<void> {
    const { store, handlers, settings, logger } = this.#options
    const soft = setTimeout(
      () => abort.abort(new TimeLimit(`stopped at its time limit of ${settings.softLimitMs / 1000} s`)),
      settings.softLimitMs,
    )
    const late = Promise.withResolvers<never>()
    const hard = setTimeout(
      () => late.reject(new TimeLimit(`still running at its hard time limit of ${settings.hardLimitMs / 1000} s`)),
      settings.hardLimitMs,
    )
    const log = new RunLog(store, lease)
    const run: TaskRun = { task, signal: abort.signal, log: (message) => log.add(message) }
    try {
      abort.signal.throwIfAborted()
      const { result, effects, cleanUp } = await Promise.race([handlers[task.kind]!(run), late.promise])
      try {
        await log.written()
        await store.finish(lease, result, effects)
      } finally {
        await cleanUp?.()
      }
    } catch (error) {
      const isStopped = abort.signal.aborted && !(error instanceof TimeLimit)
      await this.#end(task, lease, log, isStopped ? abort.signal.reason : error)
      if (!(error instanceof PostponedTask))
        logger?.warn({ err: error, task: task.id, kind: task.kind }, 'background job did not succeed')
    } finally {
      clearTimeout(soft)
      clearTimeout(hard)
    }
  }

  async #end(task: Task, lease: TaskLease, log: RunLog, error: unknown): Promise<void> {
    const { store, retryMs, logger } = this.#options
    try {
      if (error instanceof TaskLostError) return
      await log.written()
      if (error instanceof Stopped) await store.release(lease)
      else if (error instanceof PostponedTask) await store.postpone(lease, error.delayMs)
      else if (error instanceof Cancelled) await store.cancelled(lease)
      else if (error instanceof RetryableTaskError)
        await store.retry(lease, error.message, retryMs * 2 ** (task.attempts - 1))
      else await store.fail(lease, error instanceof Error ? error.message : String(error))
    } catch (failure) {
      if (!(failure instanceof TaskLostError))
        logger?.error({ err: failure, task: task.id }, 'the end of a background job cannot be stored')
    }
  }
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
