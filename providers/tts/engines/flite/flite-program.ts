import { Worker } from 'node:worker_threads'
import { moduleEntry } from '../../../kit/module-entry.ts'

export interface FliteTask {
  id: number
  args: string[]
  /** Whether a WAV file is wanted. */
  wave: boolean
}

export interface FliteAnswer {
  id: number
  exitCode: number
  printed: string
  wave: Uint8Array | null
}

/** The synthesiser's program did not end well, or its thread died. */
export class FliteError extends Error {
  override readonly name = 'FliteError'
  readonly code = 'flite_failed'
}

/** Runs of the flite program, one at a time, on a thread that is started when needed and again after it died. */
export class FliteProgram {
  #worker: Worker | null = null
  #queue: Promise<unknown> = Promise.resolve()
  #lastId = 0

  /** Rejects with the signal's reason, whose run is ended at once, or with `FliteError`. */
  run(args: string[], wave: boolean, signal: AbortSignal): Promise<{ printed: string; wave: Uint8Array | null }> {
    const turn = this.#queue.then(() => this.#runNow(args, wave, signal))
    this.#queue = turn.catch(() => undefined)
    return turn
  }

  async close(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    await worker?.terminate()
  }

  async #runNow(args: string[], wave: boolean, signal: AbortSignal) {
    signal.throwIfAborted()
    const worker = (this.#worker ??= startWorker())
    const id = (this.#lastId += 1)
    const answered = Promise.withResolvers<FliteAnswer>()
    const onMessage = (answer: FliteAnswer | { id: number; failed: string }) => {
      if (answer.id !== id) return
      if ('failed' in answer) answered.reject(new FliteError(answer.failed))
      else answered.resolve(answer)
    }
    const onError = (cause: unknown) => answered.reject(new FliteError('the synthesis thread failed', { cause }))
    const onExit = () => answered.reject(new FliteError('the synthesis thread ended'))
    const onAbort = () => answered.reject(signal.reason as Error)
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      worker.postMessage({ id, args, wave } satisfies FliteTask)
      const { exitCode, printed, wave: file } = await answered.promise
      if (exitCode !== 0) throw new FliteError(`the synthesis program ended with ${exitCode}: ${printed.slice(0, 200)}`)
      return { printed, wave: file }
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

function startWorker(): Worker {
  const worker = new Worker(moduleEntry('./flite-worker', import.meta.url), { execArgv: ['--no-warnings'] })
  // Somebody listens while a run is under way; between runs a dying thread must not take the process with it.
  worker.on('error', () => undefined)
  worker.unref()
  return worker
}
