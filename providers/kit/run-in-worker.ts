import { Worker } from 'node:worker_threads'

/** A worker ended without an answer: it ran out of memory, or its code failed. */
export class WorkerFailedError extends Error {
  override readonly name = 'WorkerFailedError'
  readonly code = 'worker_failed'
}

/**
 * The first message of a worker started from `file` with `data`. The worker is ended then, and at once when the signal aborts: rejects
 * with the signal's reason, or with `WorkerFailedError`, also where it needs more than `heapMib` of memory.
 */
export async function runInWorker<Result>(
  file: URL,
  data: unknown,
  signal: AbortSignal,
  heapMib?: number,
): Promise<Result> {
  signal.throwIfAborted()
  // WebAssembly's system interface warns on every start that it is experimental; what a worker prints goes to its parent's log otherwise.
  const worker = new Worker(file, {
    workerData: data,
    execArgv: ['--no-warnings'],
    ...(heapMib === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: heapMib } }),
  })
  const stop = Promise.withResolvers<never>()
  const onAbort = () => stop.reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    const answered = new Promise<Result>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', (cause: Error) =>
        reject(new WorkerFailedError(`the worker failed: ${cause.message}`, { cause })),
      )
      worker.once('exit', (code) => reject(new WorkerFailedError(`the worker ended with ${code} and no answer`)))
    })
    return await Promise.race([answered, stop.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
    await worker.terminate()
  }
}
