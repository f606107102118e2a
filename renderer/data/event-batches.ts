import type { SequencedEvent } from '../../contract/control/events.ts'

/**
 * Collects events and applies them in batches. What a stream repeats of the past is one batch: a part of it would show runs in states that they
 * have left.
 */
export function eventBatches(apply: (events: SequencedEvent[]) => void, waitMs: number) {
  let batch: SequencedEvent[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let pastUntil = 0
  const isWhole = (): boolean => (batch.at(-1)?.seq ?? 0) >= pastUntil
  const stopTimer = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  const flush = (): void => {
    stopTimer()
    const events = batch
    batch = []
    if (events.length > 0) apply(events)
  }
  const flushSoon = (): void => {
    if (isWhole()) timer ??= setTimeout(flush, waitMs)
  }
  return {
    /** A stream begins, which repeats the events up to this number. */
    opened: (newest: number): void => {
      stopTimer()
      pastUntil = newest
      flushSoon()
    },
    add: (event: SequencedEvent): void => {
      batch.push(event)
      flushSoon()
    },
    /** The stream has ended: a part of the past waits for the next stream. */
    pause: (): void => {
      if (isWhole()) flush()
      else stopTimer()
    },
  }
}
