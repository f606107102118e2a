import type { SequencedEvent } from '../../contract/control/events.ts'

/** Both clocks cut off what is below a millisecond. */
const CLOCK_STEP_MS = 2

/**
 * Knows which events are news to this page. Its first stream repeats what the engine still keeps; what happened before the page began cannot
 * make its data stale, because it had asked for nothing yet.
 */
export function pageAge() {
  let beganAt = 0
  return {
    /** Takes the time at which the engine opened a stream: its clock may differ from that of this page. */
    streamOpened: (at: string): void => {
      beganAt = Date.parse(at) - (Date.now() - performance.timeOrigin) - CLOCK_STEP_MS
    },
    news: (events: readonly SequencedEvent[]): SequencedEvent[] => events.filter(({ at }) => Date.parse(at) >= beganAt),
  }
}
