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

/** The last lines that say something to a person: without the frames of a stack, which would push the sentence with the reason out. */
export const lastWords = (lines: readonly string[], count = 8): string[] =>
  lines
    .filter((line) => !/^\s+at .*(?::\d+:\d+\)?|<anonymous>\)?|\(native\))$/.test(line) && line.trim() !== '')
    .slice(-count)
