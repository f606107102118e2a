import { describe, expect, it } from 'vitest'
import type { SequencedEvent } from '../../contract/control/events.ts'
import { pageAge } from './page-age.ts'

const iso = (ms: number): string => new Date(ms).toISOString()
const eventAt = (seq: number, ms: number): SequencedEvent => ({
  seq,
  at: iso(ms),
  event: { type: 'index.state', state: 'ready', message: null },
})

describe('pageAge', () => {
  it('leaves out of the news what the engine did before the page began, whatever the clock of the engine shows', () => {
    for (const engineIsAheadMs of [0, -3_600_000, 86_400_000]) {
      const engineClock = (ms: number): number => Math.round(ms + engineIsAheadMs)
      const began = engineClock(performance.timeOrigin)
      const events = [eventAt(1, began - 60_000), eventAt(2, began - 500), eventAt(3, began), eventAt(4, began + 500)]
      // The stream opens now.
      const { streamOpened, news } = pageAge()
      streamOpened(iso(engineClock(Date.now())))
      expect(news(events).map(({ seq }) => seq)).toEqual([3, 4])
    }
  })
})
