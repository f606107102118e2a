import { describe, expect, it } from 'vitest'
import { COLUMN_WIDTH, columnOrder, OVERSCAN_ROWS, pageRows, questionWidth, rowPlaces } from './geometry.ts'

describe('columnOrder', () => {
  it('puts pinned aliases first and forgets those that the run does not have', () => {
    expect(columnOrder(['a', 'b', 'c'], ['c', 'gone', 'a'], [])).toEqual({ order: [2, 0, 1], pins: 2 })
    expect(columnOrder(['a', 'b'], [], [])).toEqual({ order: [0, 1], pins: 0 })
    expect(columnOrder(['a', 'b', 'c'], ['c'], ['c', 'a'])).toEqual({ order: [1], pins: 0 })
  })
})

describe('sizes', () => {
  it('let eight approaches fit beside the sidebar of a window of 1440 pixels', () => {
    expect(questionWidth(1264, 8, false) + 8 * COLUMN_WIDTH).toBe(1264)
    expect(questionWidth(1264, 9, false)).toBe(300)
  })

  it('keep within their bounds', () => {
    expect([
      questionWidth(1000, 7, false),
      questionWidth(1000, 7, true),
      questionWidth(5000, 7, true),
      questionWidth(420, 7, false),
    ]).toEqual([300, 200, 720, 132])
    // Twelve rows and a half in view: thirteen or fourteen are, with those around them.
    expect(rowPlaces(450, 36, 14 + OVERSCAN_ROWS)).toBe(14 + 2 * OVERSCAN_ROWS)
    expect(rowPlaces(0, 36, 40)).toBe(40)
    expect([pageRows(1), pageRows(7), pageRows(64)]).toEqual([100, 100, 29])
  })
})
