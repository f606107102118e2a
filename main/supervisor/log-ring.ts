/** The last lines of a child's output, in order. */
export class LogRing {
  #lines: string[] = []
  #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  push(line: string): void {
    this.#lines.push(line.length > 2000 ? `${line.slice(0, 2000)}…` : line)
    if (this.#lines.length > this.#capacity) this.#lines.shift()
  }

  lines(): string[] {
    return [...this.#lines]
  }
}
