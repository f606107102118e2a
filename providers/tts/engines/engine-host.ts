import { Worker } from 'node:worker_threads'
import { describeEnd, startWork } from '../../kit/work/work-process.ts'

/** Runs the program of an engine. */
export interface EngineHost {
  send(message: unknown): void
  /** Listens during one run, in which the host keeps this process alive; gives back what ends that. */
  listen(onMessage: (message: unknown) => void, onEnd: (cause: unknown) => void): () => void
  /** Ends it at once. */
  end(): Promise<void>
}

/** A thread: quick to start, and ended between two instructions of WebAssembly or JavaScript. */
export function threadHost(entry: URL): EngineHost {
  // WebAssembly's system interface warns on every start that it is young.
  const worker = new Worker(entry, { execArgv: ['--no-warnings'] })
  // There is a listener during a run; between runs a dying thread must not take the process with it.
  worker.on('error', () => undefined)
  worker.unref()
  return {
    send: (message) => worker.postMessage(message),
    listen(onMessage, onEnd) {
      const onExit = (code: number) => onEnd(new Error(`the thread ended with ${code}`))
      worker.on('message', onMessage).on('error', onEnd).on('exit', onExit)
      return () => void worker.off('message', onMessage).off('error', onEnd).off('exit', onExit)
    },
    async end() {
      await worker.terminate()
    },
  }
}

/**
 * A process, for networks: ending a thread inside their native code ends the whole process with it, and an exit would wait for them. Its memory
 * goes back to the system when it ends.
 */
export function processHost(entry: URL): EngineHost {
  const work = startWork({ entry })
  return {
    send: (message) => work.send(message as object),
    listen(onMessage, onEnd) {
      const stopReading = work.onMessage(onMessage)
      const stopWaiting = work.onEnd((end) => onEnd(new Error(`the process ended with ${describeEnd(end)}`)))
      work.hold()
      return () => {
        stopReading()
        stopWaiting()
        work.release()
      }
    },
    async end() {
      const ended = new Promise<void>((resolve) => void work.onEnd(() => resolve()))
      work.hold()
      work.kill()
      await ended
    },
  }
}
