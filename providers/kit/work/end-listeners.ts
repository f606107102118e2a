import type { WorkEnd } from './work-process.ts'

/** Who wants to know how a process ended, before or after it did. */
export class EndListeners {
  readonly #listeners = new Set<(end: WorkEnd) => void>()
  #end: WorkEnd | null = null

  get isOver(): boolean {
    return this.#end !== null
  }

  add(listener: (end: WorkEnd) => void): () => void {
    this.#listeners.add(listener)
    const end = this.#end
    if (end !== null)
      queueMicrotask(() => {
        if (this.#listeners.delete(listener)) listener(end)
      })
    return () => void this.#listeners.delete(listener)
  }

  /** Only the first end counts. */
  tell(end: WorkEnd): void {
    if (this.#end !== null) return
    this.#end = end
    for (const listener of this.#listeners) listener(end)
    this.#listeners.clear()
  }
}
