import { messageOf } from '../../core/json.ts'

/** A service that is asked for its health proves this often that it works. */
const EVERY_MS = 5 * 60_000
/** Far above what the proof takes, also on a machine that is busy. */
const DEADLINE_MS = 60_000
/** One late proof is not a sign of a broken service. */
const FAILURES = 2

export interface SelfCheckOptions {
  /** A small piece of the service's own work. Rejects when it cannot be done. */
  work: (signal: AbortSignal) => Promise<unknown>
  everyMs?: number
  deadlineMs?: number
  now?: () => number
}

/**
 * Shows that a service does its work, and does not only listen. Health asks for it; a proof is made beside that answer, when the last one is old or a
 * caller's work failed, and never while work is under way, which is a proof of its own or ends at its deadline.
 */
export interface SelfCheck {
  /** Why the service does not work; null while nothing shows that. */
  problem(): string | null
  /** Counts work of a caller as under way; a failure that is the service's own makes the next proof due. */
  during<Result>(work: () => Promise<Result>, isOwnFault: (error: unknown) => boolean): Promise<Result>
}

/** The check of one service; its first proof is due one interval after its start. */
export function createSelfCheck({
  work,
  everyMs = EVERY_MS,
  deadlineMs = DEADLINE_MS,
  now = () => performance.now(),
}: SelfCheckOptions): SelfCheck {
  let underWay = 0
  let failures = 0
  let reason = ''
  let provenMs = now()
  let isDoubted = false

  async function prove(): Promise<void> {
    const signal = AbortSignal.timeout(deadlineMs)
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error(`no result within ${deadlineMs / 1000} s`)), {
        once: true,
      })
    })
    underWay += 1
    isDoubted = false
    try {
      await Promise.race([work(signal), late])
      failures = 0
    } catch (error) {
      failures += 1
      isDoubted = true
      reason = messageOf(error)
    } finally {
      underWay -= 1
      provenMs = now()
    }
  }

  return {
    problem() {
      if (underWay === 0 && (isDoubted || now() - provenMs >= everyMs)) void prove()
      return failures >= FAILURES ? reason : null
    },
    async during(callersWork, isOwnFault) {
      underWay += 1
      try {
        const result = await callersWork()
        provenMs = now()
        failures = 0
        return result
      } catch (error) {
        isDoubted ||= isOwnFault(error)
        throw error
      } finally {
        underWay -= 1
      }
    },
  }
}
