import type { ServiceLogLine } from '../../../contract/control/services.ts'
import { serviceText } from '../../lib/known-secrets.ts'
import { NumberedRing } from '../numbered-ring.ts'

const KEPT_LINES = 2000
const MAX_LINE_CHARS = 2000

/** The last lines that a child printed, numbered from 1. */
export class LineLog {
  readonly #ring: NumberedRing<{ at: string; text: string }>

  constructor(capacity = KEPT_LINES) {
    this.#ring = new NumberedRing(capacity)
  }

  get newest(): number {
    return this.#ring.newest
  }

  push(line: string): void {
    const text = serviceText(line, MAX_LINE_CHARS - 1)
    this.#ring.push({ at: new Date().toISOString(), text })
  }

  /** Lines after a number; with `follow` also those to come, until the signal. */
  async *read(after: number, follow: boolean, signal: AbortSignal): AsyncGenerator<ServiceLogLine> {
    let seen = Math.min(after, this.#ring.newest)
    while (!signal.aborted) {
      const missed = this.#ring.missedAfter(seen)
      seen += missed
      if (seen < this.#ring.newest) {
        seen += 1
        yield { number: seen, missed, ...this.#ring.at(seen) }
      } else if (follow) await this.#ring.grown(signal)
      else return
    }
  }
}
