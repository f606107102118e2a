import { setTimeout as delay } from 'node:timers/promises'

/** Time as a service sees it: milliseconds since 1970, and waits that an abort ends with the signal's reason. */
export interface Clock {
  now: () => number
  sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, { signal }).catch((error: unknown) => {
      signal.throwIfAborted()
      throw error
    })
  },
}

/** The work's result, or a rejection with the signal's reason as soon as it aborts, also when the work does not look at the signal. */
export async function abortable<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  let onAbort: (() => void) | undefined
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort!)
  }
}
