import type { Pace } from './pace.ts'
import { PATIENCE_MS, pauseMs, waitFor } from './pauses.ts'

/** The end of one try: `again` where the next one may end better, and the pause that the service asked for. */
export interface Tried<Result> {
  result: Result
  again: boolean
  /** Of the answer; null where there was none. */
  status: number | null
  askedMs?: number | null
}

export interface RetryRules {
  /** Tries in all. */
  attempts: number
  signal?: AbortSignal | undefined
  /** The service's other calls; a try that it refuses as one too many is repeated in its turn and does not count, unless there is one only. */
  pace?: Pick<Pace, 'take'>
  /** Pause after the first failure; doubled each time. */
  firstMs?: number | undefined
  /** Waits between tries; tests replace it to see the pauses. */
  wait?: ((pauseMs: number, signal?: AbortSignal) => Promise<void>) | undefined
}

/** The result of the first try that must not be repeated, or of the last one. Rejects with what a try throws, and with the signal's reason. */
export async function retry<Result>(
  { attempts, signal, pace, firstMs, wait = waitFor }: RetryRules,
  attempt: (number: number) => Promise<Tried<Result>>,
): Promise<Result> {
  for (let number = 1; ;) {
    signal?.throwIfAborted()
    const place = await pace?.take(signal)
    const tried = await attempt(number).catch((error: unknown) => {
      place?.end(null)
      throw error
    })
    const isAgain = tried.again && (tried.askedMs ?? 0) <= PATIENCE_MS
    // A 429 that is not repeated, such as one for want of credit, is no limit that slower calls would keep.
    const isLimit = place?.end(tried.status === 429 && !isAgain ? null : tried.status, tried.askedMs) === true
    if (!isAgain) return tried.result
    if (isLimit && attempts > 1) continue
    if (number >= attempts) return tried.result
    await wait(pauseMs(number, tried.askedMs ?? null, Math.random(), firstMs), signal)
    number += 1
  }
}
