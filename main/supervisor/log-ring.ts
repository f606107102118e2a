import { serviceText } from '../lib/known-secrets.ts'

/** The last lines of a child's output, in order. */
export class LogRing {
  #lines: string[] = []
  #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  push(line: string): void {
    this.#lines.push(serviceText(line, 2000))
    if (this.#lines.length > this.#capacity) this.#lines.shift()
  }

  lines(): string[] {
    return [...this.#lines]
  }
}
