import type { LayoutCell } from '@llamaindex/liteparse'
import { expect, it } from 'vitest'
import { modelBlocks } from './layout-blocks.ts'

const cell = (text: string, x: number, width: number): LayoutCell => ({ text, bbox: { x, y: 0, width, height: 12 } })
const none: LayoutCell = { text: '' }
const body = [cell('Arle', 60, 20), cell('Low weir', 190, 40), cell('1,204', 310, 25)]
const kinds = (first: LayoutCell[]): string[] =>
  modelBlocks([{ kind: 'table', rows: [first, body, body] }], 1).map((block) =>
    block.kind === 'table' ? `table of ${block.rows}` : `${block.kind}: ${'text' in block ? block.text : ''}`,
  )

it('a sentence above a table is no row of it, also where a column begins between two of its words', () => {
  const sentence = 'paragraph: The figures of the table were taken together.'
  expect(kinds([cell('The figures of the table were taken together.', 60, 210), none, none])).toEqual([
    sentence,
    'table of 2',
  ])
  expect(kinds([cell('The figures of the', 60, 127), cell('table were taken together.', 188, 86), none])).toEqual([
    sentence,
    'table of 2',
  ])
})

it('a row that lacks a cell stays one: short ones, columns apart, cells that meet at a rule', () => {
  expect(kinds([cell('River and its bank', 60, 100), cell('Weir', 190, 20), none])).toEqual(['table of 3'])
  expect(kinds([cell('River with all its tributaries', 60, 120), cell('Weir or lock', 190, 40), none])).toEqual([
    'table of 3',
  ])
  expect(kinds([cell('River with all its tributaries', 60, 130), cell('Weir or lock', 190, 120), none])).toEqual([
    'table of 3',
  ])
})
