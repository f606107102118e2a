import { canonicalJson } from '../../../core/canonical-json.ts'

/** A value that must be equal in all rows. Rows of one runner spell it alike, so that comparing texts is the quick way. */
export class SameInAll<Value> {
  #canonical: string | null = null
  #lastText = ''
  #last: Value | undefined

  /** With its keys sorted, so that it does not show which row came first; null before any. */
  get value(): Value | null {
    return this.#canonical === null ? null : (JSON.parse(this.#canonical) as Value)
  }

  /** False when it differs from the values before. */
  accept(value: Value): boolean {
    // Readers may share one object among rows.
    if (typeof value === 'object' && value === this.#last) return true
    const text = JSON.stringify(value)
    const same = text === this.#lastText || this.#agrees(value)
    if (same) {
      this.#last = value
      this.#lastText = text
    }
    return same
  }

  #agrees(value: Value): boolean {
    const canonical = canonicalJson(value)
    this.#canonical ??= canonical
    return canonical === this.#canonical
  }
}
