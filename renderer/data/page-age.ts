import type { SequencedEvent } from '../../contract/control/events.ts'

// The first stream of a page repeats what the engine still keeps. What happened before the page began cannot make its data stale: the page had
// asked for nothing yet.

/** Both clocks count in milliseconds, and cut off what is below one. */
const CLOCK_STEP_MS = 2

/** Returns when this page began by the clock of the engine, whose stream was opened at `openedAt`; in Unix milliseconds, not too late. */
export const pageBeganAt = (openedAt: string): number =>
  Date.parse(openedAt) - (Date.now() - performance.timeOrigin) - CLOCK_STEP_MS

/** Returns the events that happened at that moment or later. */
export const eventsSince = (events: readonly SequencedEvent[], moment: number): SequencedEvent[] =>
  events.filter(({ at }) => Date.parse(at) >= moment)
