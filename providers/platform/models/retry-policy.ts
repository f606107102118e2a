/** Longest wait that a `Retry-After` can ask for. */
export const RETRY_AFTER_CAP_MS = 30_000
const BACKOFF_BASE_MS = 500
const BACKOFF_CAP_MS = 8000

/** `Retry-After` in seconds or as an HTTP date, as milliseconds from `nowMs`; null when it is absent or unreadable. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  const value = header?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000
  // A date has letters in it; some engines also read "-4" as one.
  const date = /[a-z]/i.test(value) ? Date.parse(value) : NaN
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}

/**
 * How long to wait before try `attempt + 1` (the first try is 0): what the server asked for, capped, or 500 ms × 2ⁿ up to 8 s, of
 * which half is random so that callers who failed together do not return together. `random` is in [0, 1).
 */
export function retryDelayMs(attempt: number, askedMs: number | null, random: number): number {
  if (askedMs !== null) return Math.min(askedMs, RETRY_AFTER_CAP_MS)
  const full = Math.min(BACKOFF_BASE_MS * 2 ** attempt, BACKOFF_CAP_MS)
  return full / 2 + (full / 2) * random
}
