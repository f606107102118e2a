/** The last entries of a stream, numbered from 1. Readers pull, so a slow one costs no memory: it finds that it has missed some. */
export class NumberedRing<Entry> {
  readonly #capacity: number
  readonly #entries: Entry[] = []
  #newest = 0
  #waiting: (() => void)[] = []

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Number of the last entry; 0 before the first. */
  get newest(): number {
    return this.#newest
  }

  push(entry: Entry): void {
    this.#newest += 1
    this.#entries[this.#newest % this.#capacity] = entry
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }

  /** How many entries after a number are no longer kept. */
  missedAfter(seen: number): number {
    return Math.max(0, this.#newest - this.#capacity - seen)
  }

  /** An entry that is still kept. */
  at(number: number): Entry {
    return this.#entries[number % this.#capacity]!
  }

  /** Resolves with the next entry that comes, or when the signal ends the waiting. */
  grown(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        signal.removeEventListener('abort', done)
        resolve()
      }
      signal.addEventListener('abort', done, { once: true })
      this.#waiting.push(done)
    })
  }
}
