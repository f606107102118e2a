import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createNumbers, grouped } from './numbers.ts'
import { createTextTable } from './text-table.ts'

describe('createTextTable', () => {
  it('gives each different text one number and the same text back, halves of surrogate pairs included', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.constantFrom('', '\ud800', 'Zoë', '東京', 'a\udc00b'),
    )
    fc.assert(
      fc.property(fc.array(text, { maxLength: 40 }), (texts) => {
        const table = createTextTable()
        const numbers = texts.map((one) => table.add(one))
        expect(numbers.map((number) => table.text(number))).toEqual(texts)
        expect(texts.map((one) => table.find(one))).toEqual(numbers)
        expect(table.size).toBe(new Set(texts).size)
      }),
    )
  })

  it('finds texts again beyond its first pages and slots', () => {
    const table = createTextTable()
    const texts = Array.from({ length: 9000 }, (_, at) => `${at} ${'x'.repeat(at % 400)}`)
    for (const text of texts) table.add(text)
    table.add('y'.repeat(3_000_000))
    expect(texts.every((text, at) => table.find(text) === at && table.text(at) === text)).toBe(true)
    expect(table.text(9000)).toHaveLength(3_000_000)
    expect(table.find('absent')).toBeUndefined()
    expect(() => table.text(9001)).toThrow(RangeError)
  })
})

describe('grouped', () => {
  it('keeps the order of rows within a group', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 40 }), (groupOf) => {
        const numbers = createNumbers()
        for (const group of groupOf) numbers.push(group)
        const { from, rows } = grouped(numbers.done(), 6)
        for (let group = 0; group < 6; group += 1) {
          const expected = [...groupOf.keys()].filter((row) => groupOf[row] === group)
          expect([...rows.subarray(from[group], from[group + 1])]).toEqual(expected)
        }
      }),
    )
  })
})
