import { describe, expect, it } from 'vitest'
import {
  ANSWER_ROW_HEIGHT,
  answerLines,
  columnOrder,
  columnWidth,
  OVERSCAN_ROWS,
  pageRows,
  mostLines,
  questionWidth,
  ROW_HEIGHT,
  rowPlaces,
  rowsDrawn,
  shownLines,
} from './geometry.ts'

describe('columnOrder', () => {
  it('puts pinned aliases first and forgets those that the run does not have', () => {
    expect(columnOrder(['a', 'b', 'c'], ['c', 'gone', 'a'], [])).toEqual({ order: [2, 0, 1], pins: 2 })
    expect(columnOrder(['a', 'b'], [], [])).toEqual({ order: [0, 1], pins: 0 })
    expect(columnOrder(['a', 'b', 'c'], ['c'], ['c', 'a'])).toEqual({ order: [1], pins: 0 })
  })
})

const COLUMN = columnWidth(1264, 7, false)

describe('sizes', () => {
  it('give answers the width that the question leaves, so that seven approaches fit at 1440 pixels', () => {
    const wide = columnWidth(1264, 7, true)
    expect(wide).toBeGreaterThan(150)
    expect(questionWidth(1264, 7 * wide, false) + 7 * wide).toBeLessThanOrEqual(1264)
    expect([columnWidth(420, 7, true), columnWidth(2560, 1, true)]).toEqual([120, 320])
    expect([answerLines(ANSWER_ROW_HEIGHT.comfortable), answerLines(ANSWER_ROW_HEIGHT.compact)]).toEqual([3, 2])
  })

  it('let eight approaches fit beside the sidebar of a window of 1440 pixels', () => {
    expect(questionWidth(1264, 8 * COLUMN, false) + 8 * COLUMN).toBe(1264)
    expect(questionWidth(1264, 8 * COLUMN, false)).toBeGreaterThanOrEqual(300)
    expect(ROW_HEIGHT.comfortable).toBeGreaterThan(ROW_HEIGHT.compact)
    expect(questionWidth(1264, 9 * COLUMN, false)).toBe(300)
  })

  it('keep within their bounds', () => {
    expect([
      questionWidth(1000, 7 * COLUMN, false),
      questionWidth(1000, 7 * COLUMN, true),
      questionWidth(5000, 7 * COLUMN, true),
      questionWidth(420, 7 * COLUMN, false),
    ]).toEqual([300, 200, 720, 132])
    // Twelve rows and a half in view: thirteen or fourteen are, with those around them.
    expect(rowPlaces(450, 36)).toBe(14 + 2 * OVERSCAN_ROWS)
    expect([pageRows(1), pageRows(7), pageRows(64)]).toEqual([100, 100, 29])
  })
})

describe('rows', () => {
  it('show all lines of a question, and of a very long one the first eight or two, unless it is opened', () => {
    expect([mostLines(1264), mostLines(420)]).toEqual([8, 2])
    const lines = [1, 8, 9].map((all) => [shownLines(all, 8, false), shownLines(all, 8, true)])
    expect(lines).toEqual([
      [1, 1],
      [8, 8],
      [8, 10],
    ])
  })

  it('are as many in the page wherever the view is, around those in view', () => {
    expect(rowsDrawn(0, 1000, 26)).toEqual(Array.from({ length: 26 }, (_, row) => row))
    expect(rowsDrawn(500, 1000, 26)[0]).toBe(500 - OVERSCAN_ROWS)
    expect(rowsDrawn(990, 1000, 26).at(-1)).toBe(999)
    expect([rowsDrawn(0, 3, 26), rowsDrawn(0, 0, 26)]).toEqual([[0, 1, 2], []])
  })
})
