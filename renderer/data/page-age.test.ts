import { describe, expect, it } from 'vitest'
import type { SequencedEvent } from '../../contract/control/events.ts'
import { eventsSince, pageBeganAt } from './page-age.ts'

const iso = (ms: number): string => new Date(ms).toISOString()
const eventAt = (seq: number, ms: number): SequencedEvent => ({
  seq,
  at: iso(ms),
  event: { type: 'index.state', state: 'ready', message: null },
})

describe('eventsSince', () => {
  it('leaves out what the engine did before the page began, whatever the clock of the engine shows', () => {
    for (const engineIsAheadMs of [0, -3_600_000, 86_400_000]) {
      const engineClock = (ms: number): number => Math.round(ms + engineIsAheadMs)
      const began = engineClock(performance.timeOrigin)
      const events = [eventAt(1, began - 60_000), eventAt(2, began - 500), eventAt(3, began), eventAt(4, began + 500)]
      // The stream opens now.
      const moment = pageBeganAt(iso(engineClock(Date.now())))
      expect(eventsSince(events, moment).map(({ seq }) => seq)).toEqual([3, 4])
    }
  })
})
