import { Worker } from 'node:worker_threads'
import { RunIndexError } from './run-index-error.ts'
import type { ThreadMessage, ThreadRequest, ThreadSettings } from './thread-protocol.ts'

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

  /** Calls that wait for their answer. */
  get load(): number {
    return this.#waiting.size
  }

  /** Whether the thread runs: one that does not has nothing open. */
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
    const worker = new Worker(this.#entry, { workerData: this.#settings, execArgv: [] })
    this.#worker = worker
    let failure: unknown
    worker.on('message', (message: ThreadMessage) => this.#receive(message))
    worker.on('error', (error: unknown) => {
      failure = error
    })
    this.#ended = new Promise((resolve) => {
      worker.once('exit', (code) => {
        if (this.#worker === worker) this.#worker = null
        const why = failure instanceof Error ? failure.message : `it ended with ${code}`
        const waiting = [...this.#waiting.values()]
        this.#waiting.clear()
        const message = `a thread of the run index: ${why}`
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

  /** Lets the thread finish tidily; resolves when it is gone. Does nothing when it never ran. */
  async close(): Promise<void> {
    if (this.#worker === null) return
    await this.call('close').catch((error: unknown) => {
      // It may be gone before it answers, and gone is what was asked for.
      if (!(error instanceof RunIndexError)) throw error
    })
    await this.#ended
  }
}
