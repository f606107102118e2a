import { expect, it, vi } from 'vitest'
import type { MatrixPageRow } from '../../../contract/control/run-index/matrix-page.ts'
import { QuestionLines } from './row-heights.ts'

const page = (...texts: string[]): MatrixPageRow[] =>
  texts.map((query) => ({ question_id: 'q', query, repeat: 1 }) as MatrixPageRow)
const tens = (texts: string[]): number[] => texts.map((text) => Math.ceil(text.length / 10))

it('rows that are not read yet count as those of the first page do on average, whatever comes later', () => {
  const lines = new QuestionLines()
  expect(lines.of(400)).toBe(1)
  lines.learn(0, page('x'.repeat(20), 'x'.repeat(40)), tens)
  expect([lines.of(0), lines.of(1), lines.of(400)]).toEqual([2, 4, 3])
  lines.learn(100, page('x'.repeat(90)), tens)
  expect([lines.of(100), lines.of(400)]).toEqual([9, 3])
})

it('a page is measured once, and again when its rows are others', () => {
  const lines = new QuestionLines()
  const measure = vi.fn(tens)
  const rows = page('x'.repeat(20))
  expect([lines.learn(0, rows, measure), lines.learn(0, rows, measure), lines.learn(0, [], measure)]).toEqual([
    true,
    false,
    false,
  ])
  expect(measure).toHaveBeenCalledTimes(1)
  lines.learn(0, page('x'.repeat(50)), measure)
  expect(lines.of(0)).toBe(5)
})

it('rows are laid out again only where a page has other lines than its rows counted as', () => {
  const lines = new QuestionLines()
  expect(lines.learn(0, page('x', 'y'), tens)).toBe(false)
  expect(lines.learn(2, page('x', 'y'), tens)).toBe(false)
  expect(lines.learn(4, page('x', 'y'.repeat(20)), tens)).toBe(true)
  expect(lines.learn(4, page('x', 'z'.repeat(20)), tens)).toBe(false)
})
