interface Known<Value> {
  /** The member's JSON with what stands behind it, so that a longer value cannot pass for it. */
  bytes: Buffer
  value: Value
}

/** The last few different values of one member, found again by their bytes. */
export class SharedSection<Value> {
  readonly #behind: Buffer
  readonly #known: Known<Value>[] = []
  readonly #size: number
  readonly #cycles: boolean
  /** Where the search begins. */
  #next = 0

  /** `behind`: what follows the member in a line. `cycles`: the values come in turn, else the same one comes several times. */
  constructor(behind: string, size: number, { cycles }: { cycles: boolean }) {
    this.#behind = Buffer.from(behind)
    this.#size = size
    this.#cycles = cycles
  }

  /** The value that stands at `at`, and the offset behind it and what follows it; null when no value followed by `behind` stands there. */
  take(line: Buffer, at: number): { value: Value; end: number } | null {
    const count = this.#known.length
    for (let step = 0; step < count; step += 1) {
      const place = (this.#next + step) % count
      const { bytes, value } = this.#known[place]!
      const end = at + bytes.length
      if (end > line.length || line.compare(bytes, 0, bytes.length, at, end) !== 0) continue
      this.#next = this.#cycles ? place + 1 : place
      return { value, end }
    }
    return this.#learn(line, at)
  }

  #learn(line: Buffer, at: number): { value: Value; end: number } | null {
    const close = line.indexOf(this.#behind, at)
    if (close === -1) return null
    let parsed: unknown
    try {
      // What follows a member may also stand within it, deeper: the text up to there is then cut short, and no JSON.
      parsed = JSON.parse(line.toString('utf8', at, close))
    } catch {
      return null
    }
    if (typeof parsed !== 'object' || parsed === null) return null
    const value = parsed as Value
    const end = close + this.#behind.length
    const known = { bytes: Buffer.from(line.subarray(at, end)), value }
    if (this.#known.length < this.#size) this.#next = this.#known.push(known) - 1
    else this.#known[(this.#next = (this.#next + 1) % this.#size)] = known
    if (this.#cycles) this.#next = (this.#next + 1) % this.#known.length
    return { value, end }
  }
}
