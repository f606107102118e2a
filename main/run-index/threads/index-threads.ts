// The protocol between the run index and its threads, and its client side: requests with a number, answered in order by a value or a failure;
// the writing thread also posts changes and failures of syncs that no request started.
import { Worker } from 'node:worker_threads'
import type { IndexChange } from '../../../contract/control/run-index/upkeep.ts'
import { messageOf } from '../../../core/json.ts'
import type { NamedFiles } from '../../evidence/files/artifact-files.ts'
import { threadOptions } from '../../lib/module-entry.ts'
import { isDamage } from '../open-database.ts'
import { RunIndexError, type RunIndexErrorCode } from '../run-index-error.ts'

/** Describes what a thread of the index is started with. */
export interface ThreadSettings {
  file: string
  folders: readonly string[]
  /** Artifacts in other folders. */
  named: NamedFiles
  /** Interval of the scans of watched folders, milliseconds. */
  pollMs: number
}

export interface ThreadRequest {
  id: number
  method: string
  input?: unknown
}

interface ThreadFailure {
  code: RunIndexErrorCode
  message: string
}

export type ThreadMessage =
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'failure'; id: number; failure: ThreadFailure }
  | { kind: 'changed'; change: IndexChange }
  /** A sync failed that no request had started. */
  | { kind: 'failed'; failure: ThreadFailure }

/** An error in the form that crosses to the other thread. */
export function failureOf(error: unknown): ThreadFailure {
  if (error instanceof RunIndexError) return { code: error.code, message: error.message }
  const message = messageOf(error)
  return { code: isDamage(error) ? 'damaged' : 'thread_failed', message }
}

interface Waiting {
  resolve: (value: unknown) => void
  reject: (error: RunIndexError) => void
}

type ThreadEvent = Extract<ThreadMessage, { kind: 'changed' | 'failed' }>

/** One thread of the index, started with its first call and again after it died; calls are answered in order. */
export class ThreadClient {
  readonly #entry: URL
  readonly #settings: ThreadSettings
  readonly #onEvent: (event: ThreadEvent) => void
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | null = null
  #ended: Promise<void> = Promise.resolve()
  #nextId = 0

  constructor(entry: URL, settings: ThreadSettings, onEvent: (event: ThreadEvent) => void = () => undefined) {
    this.#entry = entry
    this.#settings = settings
    this.#onEvent = onEvent
  }

  /** Calls without an answer yet. */
  get load(): number {
    return this.#waiting.size
  }

  /** A thread that does not run has no file open. */
  get isRunning(): boolean {
    return this.#worker !== null
  }

  /** Rejects with `RunIndexError`. */
  call(method: string, input?: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const request: ThreadRequest = { id: this.#nextId++, method, input }
      this.#waiting.set(request.id, { resolve, reject })
      this.#start().postMessage(request)
    })
  }

  #start(): Worker {
    if (this.#worker !== null) return this.#worker
    const worker = new Worker(this.#entry, threadOptions(this.#settings))
    this.#worker = worker
    let failure: unknown
    worker.on('message', (message: ThreadMessage) => this.#receive(message))
    worker.on('error', (error: unknown) => {
      failure = error
    })
    this.#ended = new Promise((resolve) => {
      worker.once('exit', (code) => {
        if (this.#worker === worker) this.#worker = null
        const why = failure instanceof Error ? failure.message : `exit code ${code}`
        const waiting = [...this.#waiting.values()]
        this.#waiting.clear()
        const message = `a thread of the run index ended: ${why}`
        for (const { reject } of waiting) reject(new RunIndexError('thread_failed', message, failure))
        if (failure !== undefined) this.#onEvent({ kind: 'failed', failure: { code: 'thread_failed', message } })
        resolve()
      })
    })
    return worker
  }

  #receive(message: ThreadMessage): void {
    if (message.kind === 'changed' || message.kind === 'failed') {
      this.#onEvent(message)
      return
    }
    const waiting = this.#waiting.get(message.id)
    this.#waiting.delete(message.id)
    if (message.kind === 'answer') waiting?.resolve(message.value)
    else waiting?.reject(new RunIndexError(message.failure.code, message.failure.message))
  }

  /** Ends a thread that writes nothing; what it has not answered is rejected as `closed`. */
  async terminate(): Promise<void> {
    for (const { reject } of this.#waiting.values()) reject(new RunIndexError('closed', 'the run index was closed'))
    this.#waiting.clear()
    await this.#worker?.terminate()
    await this.#ended
  }

  /** Asks the thread to close its file and end; resolves when it has ended. Does nothing when it never ran. */
  async close(): Promise<void> {
    if (this.#worker === null) return
    await this.call('close').catch((error: unknown) => {
      // The thread may end before it answers: that is what was asked for.
      if (!(error instanceof RunIndexError)) throw error
    })
    await this.#ended
  }
}
