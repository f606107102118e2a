import type { ServiceLogLine } from '../../../contract/control/services.ts'

const KEPT_LINES = 2000
const MAX_LINE_CHARS = 2000

/** The last lines that a child printed, numbered from 1; readers pull, so a slow one costs no memory. */
export class LineLog {
  readonly #capacity: number
  readonly #lines: { at: string; text: string }[] = []
  #newest = 0
  #waiting: (() => void)[] = []

  constructor(capacity = KEPT_LINES) {
    this.#capacity = capacity
  }

  get newest(): number {
    return this.#newest
  }

  push(line: string): void {
    this.#newest += 1
    const text = line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS - 1)}…` : line
    this.#lines[this.#newest % this.#capacity] = { at: new Date().toISOString(), text }
    const waiting = this.#waiting
    this.#waiting = []
    for (const wake of waiting) wake()
  }

  /** Lines after a number; with `follow` also those to come, until the signal. */
  async *read(after: number, follow: boolean, signal: AbortSignal): AsyncGenerator<ServiceLogLine> {
    let seen = Math.min(after, this.#newest)
    while (!signal.aborted) {
      const oldest = Math.max(1, this.#newest - this.#capacity + 1)
      const missed = Math.max(0, oldest - 1 - seen)
      seen += missed
      if (seen < this.#newest) {
        seen += 1
        yield { number: seen, missed, ...this.#lines[seen % this.#capacity]! }
      } else if (follow) await this.#next(signal)
      else return
    }
  }

  #next(signal: AbortSignal): Promise<void> {
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
