/** Wakes callers of this process that wait for something by its name. */
export class NamedWaiters {
  readonly #waiting = new Map<string, Set<() => void>>()

  wake(name: string): void {
    for (const resolve of this.#waiting.get(name) ?? []) resolve()
  }

  /** Resolves at the next `wake`, or after `atMostMs`: a wake-up that came a moment too early costs no more than that. */
  async next(name: string, atMostMs: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<undefined>()
    const wake = () => resolve(undefined)
    const abort = () => reject(signal!.reason as Error)
    const waiters = this.#waiting.get(name) ?? new Set()
    this.#waiting.set(name, waiters.add(wake))
    const timer = setTimeout(wake, atMostMs)
    signal?.addEventListener('abort', abort, { once: true })
    try {
      signal?.throwIfAborted()
      await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      waiters.delete(wake)
      if (waiters.size === 0 && this.#waiting.get(name) === waiters) this.#waiting.delete(name)
    }
  }
}
