import { describe, expect, it } from 'vitest'
import { gridTable, type WordBox } from './table-grid.ts'
import type { TableLabel, TableObject } from './table-model.ts'

const seen = (
  label: TableLabel,
  left: number,
  top: number,
  right: number,
  bottom: number,
  score = 0.9,
): TableObject => ({ label, score, box: { left, top, right, bottom } })
const row = (top: number, bottom: number) => seen('table row', 0, top, 300, bottom)
const column = (left: number, right: number) => seen('table column', left, 0, right, 100)
const word = (text: string, x: number, y: number): WordBox => ({ text, x, y, width: 20, height: 8 })
const GRID = [row(0, 20), row(22, 40), row(42, 60), column(0, 95), column(105, 200), column(205, 300)]
const shown = (objects: TableObject[], words: WordBox[]) =>
  gridTable(objects, words, null)?.cells.map(({ row, column, rowSpan, columnSpan, text, isHeader }) =>
    [`${row},${column}`, `${rowSpan}x${columnSpan}`, text, isHeader ? 'header' : ''].join(' ').trim(),
  ) ?? null

describe('gridTable', () => {
  it('puts each word into the row and column that hold its middle, lines in order, gaps shared', () => {
    const words = [
      word('second', 10, 12),
      word('line', 40, 12),
      word('first', 10, 2),
      word('b', 110, 5),
      word('edge', 86, 25),
      word('c', 250, 25),
      word('below', 120, 70),
    ]
    expect(shown(GRID, words)).toEqual([
      '0,0 1x1 first second line',
      '0,1 1x1 b',
      '0,2 1x1',
      '1,0 1x1 edge',
      '1,1 1x1',
      '1,2 1x1 c',
      '2,0 1x1',
      '2,1 1x1 below',
      '2,2 1x1',
    ])
  })

  it('merges what spanning cells, headers and projected headers cover, the surest first', () => {
    const words = [
      word('a', 10, 5),
      word('wide', 150, 5),
      word('all', 10, 30),
      word('x', 10, 50),
      word('y', 110, 50),
      word('z', 250, 50),
    ]
    const objects = [
      ...GRID,
      seen('table column header', 0, 0, 300, 21),
      seen('table spanning cell', 104, 0, 300, 20),
      seen('table projected row header', 0, 22, 120, 40),
      // Covers a place that is taken.
      seen('table spanning cell', 0, 0, 200, 40, 0.6),
    ]
    expect(shown(objects, words)).toEqual([
      '0,0 1x1 a header',
      '0,1 1x2 wide header',
      '1,0 1x3 all',
      '2,0 1x1 x',
      '2,1 1x1 y',
      '2,2 1x1 z',
    ])
  })

  it('takes the surer of two that lie over each other and leaves out what has no words', () => {
    const words = [word('a', 10, 5), word('b', 250, 5), word('c', 10, 50), word('d', 250, 50)]
    const twice = [...GRID, seen('table row', 0, 2, 300, 19, 0.6)]
    expect(shown(twice, words)).toEqual(['0,0 1x1 a header', '0,1 1x1 b header', '1,0 1x1 c', '1,1 1x1 d'])
  })

  it('gives nothing where there is no grid', () => {
    expect(gridTable(GRID.slice(0, 3), [word('a', 1, 1)], null)).toBeNull()
    expect(gridTable(GRID, [], null)).toBeNull()
    expect(gridTable([], [word('a', 1, 1)], null)).toBeNull()
  })
})
