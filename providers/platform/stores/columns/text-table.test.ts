import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createNumbers, grouped, resized } from './numbers.ts'
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

describe('createNumbers', () => {
  it('grows into new memory and gives the former back at once', () => {
    const small = Int32Array.of(1, 2, 3)
    const former = small.buffer
    expect([...resized(small, 4)]).toEqual([1, 2, 3, 0])
    expect([former.detached, small.length]).toEqual([true, 0])
  })

  it('is as long as its numbers when it is done, and ends there', () => {
    const numbers = createNumbers()
    for (let value = 0; value < 5000; value += 1) numbers.push(value)
    const done = numbers.done()
    expect(done.buffer.byteLength).toBe(5000 * Int32Array.BYTES_PER_ELEMENT)
    expect(done.every((value, at) => value === at && numbers.at(at) === at)).toBe(true)
    expect(() => numbers.push(1)).toThrow('done()')
    expect(numbers.done()).toEqual(Int32Array.from({ length: 5000 }, (_, at) => at))
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

  it('is empty after its memory was freed, and can be filled again', () => {
    const table = createTextTable()
    for (let at = 0; at < 5000; at += 1) table.add(`text ${at}`)
    table.clear()
    expect(table.size).toBe(0)
    expect(table.find('text 1')).toBeUndefined()
    expect(() => table.text(0)).toThrow(RangeError)
    expect([table.add('b'), table.add('a'), table.add('b')]).toEqual([0, 1, 0])
    expect([table.text(0), table.text(1)]).toEqual(['b', 'a'])
  })
})
