import type { EngineHost } from './engine-host.ts'

/** A program sends back its answer, or why there is none. `code` distinguishes failures that the caller treats differently. */
export type EngineReply<Answer> = { id: number; answer: Answer } | { id: number; failed: string; code: string | null }

/** An engine's program did not end well, or its thread or process died. */
export class EngineFailedError extends Error {
  override readonly name = 'EngineFailedError'
  readonly code: string

  constructor(message: string, code: string | null = null, cause?: unknown) {
    super(message, { cause })
    this.code = code ?? 'engine_failed'
  }
}

/**
 * Tasks for a module that works beside the service, one at a time: synthesis blocks whatever runs it. Its host is started when it is needed,
 * and again after it died. The module listens with `serveEngine`.
 */
export class EngineProgram<Task, Answer> {
  readonly #start: () => EngineHost
  #host: EngineHost | null = null
  #queue: Promise<unknown> = Promise.resolve()
  #lastId = 0

  constructor(start: () => EngineHost) {
    this.#start = start
  }

  /** Rejects with the signal's reason, whose run is ended at once, or with `EngineFailedError`. */
  run(task: Task, signal: AbortSignal): Promise<Answer> {
    const turn = this.#queue.then(() => this.#runNow(task, signal))
    this.#queue = turn.catch(() => undefined)
    return turn
  }

  /** Ends the host with all that it holds; the next task starts another. */
  async close(): Promise<void> {
    const host = this.#host
    this.#host = null
    await host?.end()
  }

  async #runNow(task: Task, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted()
    const host = (this.#host ??= this.#start())
    const id = (this.#lastId += 1)
    const answered = Promise.withResolvers<Answer>()
    const onAbort = () => answered.reject(signal.reason as Error)
    const stopListening = host.listen(
      (message) => {
        const reply = message as EngineReply<Answer>
        if (reply.id !== id) return
        if ('failed' in reply) answered.reject(new EngineFailedError(reply.failed, reply.code))
        else answered.resolve(reply.answer)
      },
      (cause) => answered.reject(new EngineFailedError('the synthesis ended in the middle of a run', null, cause)),
    )
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      host.send({ id, task })
      return await answered.promise
    } catch (error) {
      // A program in the middle of a run cannot be asked to stop, and one that failed is not trusted again.
      await this.close()
      throw error
    } finally {
      stopListening()
      signal.removeEventListener('abort', onAbort)
    }
  }
}
