interface Known<Value> {
  /** The member's JSON with what stands behind it, so that a longer value cannot pass for it. */
  bytes: Buffer
  value: Value
}

/** The last few different values of one member, found again by their bytes. */
export class SharedSection<Value> {
  readonly #known: Known<Value>[] = []
  readonly #size: number
  readonly #cycles: boolean
  /** Where the search begins. */
  #next = 0

  /** `cycles`: the values come in turn, else the same one comes several times. */
  constructor(size: number, { cycles }: { cycles: boolean }) {
    this.#size = size
    this.#cycles = cycles
  }

  /** The value that stands at `at`, and the offset behind it and what follows it; null when it is none that is known. */
  find(line: Buffer, at: number): { value: Value; end: number } | null {
    const count = this.#known.length
    for (let step = 0; step < count; step += 1) {
      const place = (this.#next + step) % count
      const { bytes, value } = this.#known[place]!
      const end = at + bytes.length
      if (end > line.length || line.compare(bytes, 0, bytes.length, at, end) !== 0) continue
      this.#next = this.#cycles ? place + 1 : place
      return { value, end }
    }
    return null
  }

  /** Remembers a value whose JSON stands at `at`. Returns the offset behind it and `behind`; −1 when something else stands there. */
  learn(value: Value, line: Buffer, at: number, behind: Buffer): number {
    const known = this.find(line, at)
    if (known !== null) return known.end
    const bytes = Buffer.concat([Buffer.from(JSON.stringify(value)), behind])
    const end = at + bytes.length
    if (end > line.length || line.compare(bytes, 0, bytes.length, at, end) !== 0) return -1
    if (this.#known.length < this.#size) this.#next = this.#known.push({ bytes, value }) - 1
    else this.#known[(this.#next = (this.#next + 1) % this.#size)] = { bytes, value }
    if (this.#cycles) this.#next = (this.#next + 1) % this.#known.length
    return end
  }
}
