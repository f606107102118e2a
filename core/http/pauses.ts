import { setTimeout as delay } from 'node:timers/promises'
import { isUsedUp } from '../used-up-credit.ts'

/** Longest wait that a service can ask for. */
export const LONGEST_ASKED_MS = 60_000
/** A service that refuses calls for this long, or asks for a longer pause, is not waited for. */
export const PATIENCE_MS = 5 * 60_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 8000

/** True for a refusal for too many calls after which waiting is useless: the credit is used up, or the service names a time that is too far away. */
export const isLasting = (text: string, askedMs: number | null): boolean =>
  isUsedUp(text) || (askedMs ?? 0) > PATIENCE_MS

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** True for a status after which the same request may succeed: also 409, by which services report that another request holds what this one needs. */
export const isTemporary = (status: number): boolean => [408, 409, 425, 429].includes(status) || status >= 500

/** The pause that a service asks for: `retry-after-ms`, else `Retry-After` in seconds or as a date; null when both are absent or unreadable. */
export function askedPauseMs(headers: Headers, nowMs = Date.now()): number | null {
  const milliseconds = [headers['retry-after-ms']].flat()[0]?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(milliseconds)) return Number(milliseconds)
  const value = [headers['retry-after']].flat()[0]?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000
  // A date has letters in it; some engines also read "-4" as one.
  const date = /[a-z]/i.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}

/** The header that passes on the pause that a service asks for, in seconds. */
export function pauseHeader(headers: Headers): Record<string, string> {
  const askedMs = askedPauseMs(headers)
  return askedMs === null ? {} : { 'retry-after': String(Math.ceil(askedMs / 1000)) }
}

/**
 * Returns how long to wait after failure number `failures` (from 1): what the service asked for, within a limit, else 500 ms × 2ⁿ up to 8 s, of which
 * half is random so that callers who failed together do not return together. `random` is in [0, 1).
 */
export function pauseMs(
  failures: number,
  askedMs: number | null,
  random = Math.random(),
  firstMs = FIRST_PAUSE_MS,
): number {
  if (askedMs !== null) return Math.min(askedMs, LONGEST_ASKED_MS)
  const full = Math.min(firstMs * 2 ** (failures - 1), LONGEST_PAUSE_MS)
  return full / 2 + (full / 2) * random
}

/** A pause that ends with the signal, whose reason is thrown. */
export async function waitFor(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => signal?.throwIfAborted())
}
