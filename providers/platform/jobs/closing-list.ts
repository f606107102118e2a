/** Closes what has been opened, in reverse order. */
export interface ClosingList {
  add(close: () => Promise<unknown>): void
  /** Closes everything, whatever fails, then throws the failures together. */
  closeAll(): Promise<void>
}

/** An empty list; it can be closed once, later calls do nothing. */
export function createClosingList(): ClosingList {
  const closers: (() => Promise<unknown>)[] = []
  return {
    add: (close) => closers.push(close),
    async closeAll() {
      const failures: unknown[] = []
      for (const close of closers.splice(0).reverse()) {
        try {
          await close()
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw new AggregateError(failures, 'not everything could be closed')
    },
  }
}
