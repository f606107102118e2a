import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Pace } from './pace.ts'
import { askedPauseMs, LONGEST_ASKED_MS, pauseMs } from './pauses.ts'
import { retry } from './retry.ts'

const NOW = Date.parse('2025-03-01T12:00:00Z')

it.each([
  [{ 'retry-after': '3' }, 3000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after': ['2', '9'] }, 2000],
  [{ 'retry-after-ms': '250', 'retry-after': '3' }, 250],
  [{ 'retry-after': 'Sat, 01 Mar 2025 12:00:07 GMT' }, 7000],
  [{ 'retry-after': 'Sat, 01 Mar 2025 11:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '' }, null],
  [{}, null],
  [{ 'retry-after': '-4' }, null],
])('askedPauseMs: %j is %j', (headers, delay) => {
  expect(askedPauseMs(headers, NOW)).toBe(delay)
})

describe('pauseMs', () => {
  it('does what the service asked, up to a limit', () => {
    expect(pauseMs(1, 1200, 0.9)).toBe(1200)
    expect(pauseMs(6, 3_600_000, 0)).toBe(LONGEST_ASKED_MS)
  })

  it('doubles from 500 ms to 8 s, half of it random', () => {
    expect([1, 2, 3, 4, 5, 10].map((failures) => pauseMs(failures, null, 0))).toEqual([
      250, 500, 1000, 2000, 4000, 4000,
    ])
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 30 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (failures, random) => {
          const delay = pauseMs(failures, null, random)
          expect(delay).toBeGreaterThanOrEqual(250)
          expect(delay).toBeLessThan(8000)
        },
      ),
    )
  })
})

describe('retry', () => {
  it('repeats what may end better, as often as it may, and returns the last result', async () => {
    const pauses: number[] = []
    const wait = async (milliseconds: number) => void pauses.push(milliseconds)
    const result = await retry<number>({ attempts: 3, wait }, async (number) => ({
      result: number,
      again: true,
      status: 500,
      askedMs: number * 10,
    }))
    expect(result).toBe(3)
    expect(pauses).toEqual([10, 20])
    expect(
      await retry<number>({ attempts: 3, wait }, async (number) => ({ result: number, again: false, status: 200 })),
    ).toBe(1)
  })

  it('does not count what is refused as one call too many, unless there is one try only', async () => {
    const wait = async () => undefined
    const refusedFor = (calls: number) => async () => ({
      result: calls,
      again: calls > 0,
      status: calls-- > 0 ? 429 : 200,
    })
    expect(await retry({ attempts: 2, wait, pace: new Pace({ wait }) }, refusedFor(9))).toBe(0)
    expect(await retry({ attempts: 1, wait, pace: new Pace({ wait }) }, refusedFor(9))).toBe(9)
    expect(await retry({ attempts: 2, wait }, refusedFor(9))).toBe(8)
  })

  it('takes a refusal that must not be repeated for no limit of calls, and neither one that asks for an hour', async () => {
    const pace = new Pace({ wait: async () => undefined })
    const refused = (more: object) => async () => ({ result: 'refused', again: true, status: 429, ...more })
    expect(await retry({ attempts: 3, pace }, refused({ again: false }))).toBe('refused')
    expect(await retry({ attempts: 3, pace }, refused({ askedMs: 3_600_000 }))).toBe('refused')
    expect(pace.pauseMs).toBe(0)
  })

  it('ends with the reason of its signal, also in a pause', async () => {
    const stop = new AbortController()
    const pending = retry({ attempts: 2, signal: stop.signal }, async () => {
      setImmediate(() => stop.abort(new Error('enough')))
      return { result: null, again: true, status: 429, askedMs: 60_000 }
    })
    await expect(pending).rejects.toThrow('enough')
  })
})
