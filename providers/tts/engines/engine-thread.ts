import { Worker } from 'node:worker_threads'

/** What a thread sends back: its answer, or why there is none. `code` tells failures apart that the caller treats differently. */
export type ThreadReply<Answer> = { id: number; answer: Answer } | { id: number; failed: string; code: string | null }

/** The program on an engine's thread did not end well, or the thread died. */
export class EngineFailedError extends Error {
  override readonly name = 'EngineFailedError'
  readonly code: string

  constructor(message: string, code: string | null = null, cause?: unknown) {
    super(message, { cause })
    this.code = code ?? 'engine_failed'
  }
}

/**
 * Tasks for a module that works on a thread of its own, one at a time: synthesis blocks whatever thread it runs on. The thread is started when
 * it is needed, and again after it died. The module listens for `{ id, task }` and answers with `ThreadReply`.
 */
export class EngineThread<Task, Answer> {
  readonly #entry: URL
  #worker: Worker | null = null
  #queue: Promise<unknown> = Promise.resolve()
  #lastId = 0

  constructor(entry: URL) {
    this.#entry = entry
  }

  /** Rejects with the signal's reason, whose run is ended at once, or with `EngineFailedError`. */
  run(task: Task, signal: AbortSignal): Promise<Answer> {
    const turn = this.#queue.then(() => this.#runNow(task, signal))
    this.#queue = turn.catch(() => undefined)
    return turn
  }

  /** Ends the thread with all that it holds; the next task starts another. */
  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    await worker?.terminate()
  }

  async #runNow(task: Task, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted()
    const worker = (this.#worker ??= startWorker(this.#entry))
    const id = (this.#lastId += 1)
    const answered = Promise.withResolvers<Answer>()
    const onMessage = (reply: ThreadReply<Answer>) => {
      if (reply.id !== id) return
      if ('failed' in reply) answered.reject(new EngineFailedError(reply.failed, reply.code))
      else answered.resolve(reply.answer)
    }
    const onError = (cause: unknown) =>
      answered.reject(new EngineFailedError('the synthesis thread failed', null, cause))
    const onExit = () => answered.reject(new EngineFailedError('the synthesis thread ended'))
    const onAbort = () => answered.reject(signal.reason as Error)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      worker.postMessage({ id, task })
      return await answered.promise
    } catch (error) {
      // A thread in the middle of a run cannot be asked to stop, and one that failed is not trusted again.
      await this.close()
      throw error
    } finally {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      signal.removeEventListener('abort', onAbort)
    }
  }
}

function startWorker(entry: URL): Worker {
  // WebAssembly's system interface warns on every start that it is young.
  const worker = new Worker(entry, { execArgv: ['--no-warnings'] })
  // Somebody listens while a run is under way; between runs a dying thread must not take the process with it.
  worker.on('error', () => undefined)
  worker.unref()
  return worker
}
