import { setTimeout as delay } from 'node:timers/promises'

/** Waits without blocking. Rejects with the signal's reason. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch((error: unknown) => {
    signal?.throwIfAborted()
    throw error
  })
}
