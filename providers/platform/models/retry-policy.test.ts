import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RETRY_AFTER_CAP_MS, retryAfterMs, retryDelayMs } from './retry-policy.ts'

const NOW = Date.parse('2025-03-01T12:00:00Z')

describe('retryAfterMs', () => {
  it.each([
    ['3', 3000],
    ['0.5', 500],
    ['Sat, 01 Mar 2025 12:00:07 GMT', 7000],
    ['Sat, 01 Mar 2025 11:00:00 GMT', 0],
    ['soon', null],
    ['', null],
    [undefined, null],
    ['-4', null],
  ])('%j is %j', (header, delay) => {
    expect(retryAfterMs(header, NOW)).toBe(delay)
  })
})

describe('retryDelayMs', () => {
  it('does what the server asked, up to the cap', () => {
    expect(retryDelayMs(0, 1200, 0.9)).toBe(1200)
    expect(retryDelayMs(5, 3_600_000, 0)).toBe(RETRY_AFTER_CAP_MS)
  })

  it('doubles from 500 ms to 8 s, half of it random', () => {
    expect([0, 1, 2, 3, 4, 9].map((attempt) => retryDelayMs(attempt, null, 0))).toEqual([
      250, 500, 1000, 2000, 4000, 4000,
    ])
    fc.assert(
      fc.property(fc.nat(30), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempt, random) => {
        const delay = retryDelayMs(attempt, null, random)
        expect(delay).toBeGreaterThanOrEqual(250)
        expect(delay).toBeLessThan(8000)
      }),
    )
  })
})
