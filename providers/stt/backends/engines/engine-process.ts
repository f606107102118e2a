import { moduleEntry } from '../../../kit/module-entry.ts'
import { describeEnd, startWork, type WorkProcess } from '../../../kit/work/work-process.ts'
import { BackendUnavailableError, type TimedWord } from '../recognizer.ts'
import type { EngineReply, EngineRequest } from './engine-child.ts'
import type { EngineFacts, EngineOrder } from './engine.ts'

const ENTRY = moduleEntry('./engine-child', import.meta.url)

/**
 * A model in a process of its own: native code that hangs, crashes or ends its process takes one transcription with it and nothing else. The
 * next one starts a new process.
 */
export class EngineProcess {
  readonly #order: EngineOrder
  #work: WorkProcess | null = null
  #turn: Promise<unknown> = Promise.resolve()
  #closed = false

  constructor(order: EngineOrder) {
    this.#order = order
  }

  /** Loads the model. Rejects with `BackendUnavailableError`, with the engine's error, or with the signal's reason. */
  async load(signal: AbortSignal): Promise<EngineFacts> {
    this.#work = startWork({ entry: ENTRY })
    try {
      const reply = await this.#ask(this.#work, { load: this.#order }, signal)
      if ('facts' in reply) return reply.facts
      throw new Error('the recognition process sent an unexpected reply')
    } catch (error) {
      this.#end()
      throw error
    }
  }

  /** The words of one window. Windows wait for each other. Rejects as `load` does; an abort ends the process. */
  recognize(samples: Float32Array, signal: AbortSignal, language = ''): Promise<TimedWord[]> {
    const turn = this.#turn.then(async () => {
      signal.throwIfAborted()
      if (this.#closed) throw new Error('the recognizer is closed')
      if (this.#work === null) await this.load(signal)
      const reply = await this.#ask(this.#work!, { samples, language }, signal)
      if ('words' in reply) return reply.words
      throw new Error('the recognition process sent an unexpected reply')
    })
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  close(): void {
    this.#closed = true
    this.#end()
  }

  async #ask(work: WorkProcess, request: EngineRequest, signal: AbortSignal): Promise<EngineReply> {
    const answered = Promise.withResolvers<EngineReply>()
    const onAbort = () => {
      this.#end()
      answered.reject(signal.reason as Error)
    }
    const stopListening = work.onMessage((reply) => answered.resolve(reply as EngineReply))
    const stopWaiting = work.onEnd((end) =>
      answered.reject(new Error(`the recognition process ended with ${describeEnd(end)}`)),
    )
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      signal.throwIfAborted()
      work.send(request)
      const reply = await answered.promise
      if (!('failed' in reply)) return reply
      throw reply.isMissing ? new BackendUnavailableError(reply.failed) : new Error(reply.failed)
    } finally {
      stopListening()
      stopWaiting()
      signal.removeEventListener('abort', onAbort)
      if (this.#work === work && !work.isAlive) this.#work = null
    }
  }

  #end(): void {
    this.#work?.kill()
    this.#work = null
  }
}
