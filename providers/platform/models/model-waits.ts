// Measures how long a question only waits for its turn at a model: for the end of the pause that a service asks for, or for the calls before its own. That
// is no time of the approach, which the same models would take when nothing else asks them. A wait counts while no other call of the question is at work.
import { AsyncLocalStorage } from 'node:async_hooks'

/** Passes the waits of a request on to the caller, in milliseconds. */
export const WAITED_HEADER = 'x-rag-ladder-waited-ms'

export class WaitClock {
  #calls = 0
  #waits = 0
  #sinceMs: number | null = null
  #waitedMs = 0

  /** Whole milliseconds until now. */
  get waitedMs(): number {
    return Math.round(this.#waitedMs + (this.#sinceMs === null ? 0 : performance.now() - this.#sinceMs))
  }

  addMs(waitedMs: number): void {
    this.#waitedMs += waitedMs
  }

  change(calls: number, waits: number): void {
    this.#calls += calls
    this.#waits += waits
    const isWaiting = this.#waits > 0 && this.#waits >= this.#calls
    if (isWaiting) this.#sinceMs ??= performance.now()
    else if (this.#sinceMs !== null) {
      this.#waitedMs += performance.now() - this.#sinceMs
      this.#sinceMs = null
    }
  }
}

/** Counts how often a call was sent to its service. */
export interface Tries {
  count: number
}

/** The clock of the request that runs now, and the tries of its call that runs; null outside of one. */
const current = new AsyncLocalStorage<{ clock: WaitClock; tries: Tries | null }>()

/** Runs a request with a clock: that of the request which it is a part of, where there is one. */
export function withWaitClock<Result>(run: (clock: WaitClock) => Promise<Result>): Promise<Result> {
  const clock = current.getStore()?.clock
  if (clock !== undefined) return run(clock)
  const own = new WaitClock()
  return current.run({ clock: own, tries: null }, () => run(own))
}

/** Runs a call of a model, and counts its tries. A call within another one is a part of it. */
export async function modelCall<Result>(run: () => Promise<Result>, tries: Tries = { count: 0 }): Promise<Result> {
  const place = current.getStore()
  if (place === undefined || place.tries !== null) return run()
  const { clock } = place
  clock.change(1, 0)
  try {
    return await current.run({ clock, tries }, run)
  } finally {
    clock.change(-1, 0)
  }
}

/** Runs what makes a call wait for its turn. */
export async function modelWait<Result>(run: () => Promise<Result>): Promise<Result> {
  const clock = current.getStore()?.clock
  if (clock === undefined) return run()
  clock.change(0, 1)
  try {
    return await run()
  } finally {
    clock.change(0, -1)
  }
}

/** Counts one try of the call that runs. */
export function countTry(): void {
  const tries = current.getStore()?.tries
  if (tries) tries.count += 1
}
