/** Counts what was left out by its reason; the same thing counts once, however often the source is read. */
export class LeftOut {
  readonly #byReason = new Map<string, Set<string>>()

  add(reason: string, id: string): void {
    const known = this.#byReason.get(reason)
    if (known === undefined) this.#byReason.set(reason, new Set([id]))
    else known.add(id)
  }

  list(): { count: number; reason: string }[] {
    return [...this.#byReason].map(([reason, ids]) => ({ count: ids.size, reason }))
  }
}
