/** Different reasons that are kept by name; the rarer ones are pooled, since evaluators may put anything into a reason. */
const MAX_REASONS = 20
const MAX_REASON_CHARS = 80

/** Counts by name. */
export class Tally {
  readonly #counts = new Map<string, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  add(name: string): void {
    this.#total += 1
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0
  }

  names(): string[] {
    return [...this.#counts.keys()].sort()
  }

  /** Names with their counts, by name; long names cut, and what is beyond the most frequent ones under `other`. */
  toRecord(): Record<string, number> {
    const cut = new Map<string, number>()
    for (const [name, count] of this.#counts) {
      const short = name.length > MAX_REASON_CHARS ? `${name.slice(0, MAX_REASON_CHARS)}…` : name
      cut.set(short, (cut.get(short) ?? 0) + count)
    }
    const byFrequency = [...cut].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    const kept = byFrequency.slice(0, MAX_REASONS)
    const pooled = byFrequency.slice(MAX_REASONS).reduce((sum, [, count]) => sum + count, 0)
    kept.sort(([a], [b]) => (a < b ? -1 : 1))
    return Object.fromEntries(pooled === 0 ? kept : [...kept, ['other', pooled]])
  }
}
