import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SequencedEvent } from '../../contract/control/events.ts'
import { eventBatches } from './event-batches.ts'

const event = (seq: number): SequencedEvent => ({
  seq,
  at: '2026-11-29T22:35:27.000Z',
  event: { type: 'notice', level: 'info', message: 'a notice' },
})

describe('eventBatches', () => {
  const applied: number[][] = []
  const batches = () => eventBatches((events) => applied.push(events.map(({ seq }) => seq)), 80)

  beforeEach(() => {
    applied.length = 0
    vi.useFakeTimers()
  })
  afterEach(() => vi.useRealTimers())

  it('applies what arrives within the wait as one batch', () => {
    const { add } = batches()
    add(event(1))
    add(event(2))
    vi.advanceTimersByTime(80)
    add(event(3))
    vi.advanceTimersByTime(80)
    expect(applied).toEqual([[1, 2], [3]])
  })

  it('applies what a stream repeats of the past as one batch, however long it takes', () => {
    const { opened, add } = batches()
    opened(3)
    for (const seq of [1, 2, 3]) {
      add(event(seq))
      if (seq < 3) vi.advanceTimersByTime(1000)
    }
    expect(applied).toEqual([])
    vi.advanceTimersByTime(80)
    expect(applied).toEqual([[1, 2, 3]])
  })

  it('keeps a part of the past until a later stream has brought the rest', () => {
    const { opened, add, pause } = batches()
    opened(3)
    add(event(1))
    pause()
    vi.advanceTimersByTime(1000)
    expect(applied).toEqual([])
    opened(4)
    for (const seq of [2, 3, 4]) add(event(seq))
    vi.advanceTimersByTime(80)
    expect(applied).toEqual([[1, 2, 3, 4]])
  })

  it('applies at once what is whole when its stream ends', () => {
    const { add, pause } = batches()
    add(event(1))
    pause()
    expect(applied).toEqual([[1]])
  })

  it('does not wait for another event when the next stream has nothing new', () => {
    const { opened, add } = batches()
    add(event(1))
    opened(1)
    vi.advanceTimersByTime(80)
    expect(applied).toEqual([[1]])
  })
})
