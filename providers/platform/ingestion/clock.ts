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
