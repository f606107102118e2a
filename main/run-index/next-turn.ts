import { setImmediate } from 'node:timers/promises'

/** Lets everything that waits on the event loop go first. Rejects with the signal's reason when it is aborted. */
export async function nextTurn(signal?: AbortSignal): Promise<void> {
  await setImmediate()
  signal?.throwIfAborted()
}
