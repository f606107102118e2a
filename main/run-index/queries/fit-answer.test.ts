import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitValue, jsonBytes, valueAt } from './fit-answer.ts'

describe('fitValue', () => {
  it('a value that fits is not changed', () => {
    expect(fitValue({ a: 'x' }, 100)).toEqual({ value: { a: 'x' }, cuts: [] })
  })

  it('only long parts are cut, and the cuts are listed', () => {
    const value = { short: 'x', evidence: { answer: 'é'.repeat(500_000), contexts: ['c', 'd'.repeat(200_000)] } }
    const fitted = fitValue(value, 300_000)!
    expect(jsonBytes(fitted.value)).toBeLessThanOrEqual(300_000)
    expect(fitted.cuts).toEqual([
      { path: ['evidence', 'answer'], kind: 'text', kept: 32_768, total: 500_000 },
      { path: ['evidence', 'contexts', 1], kind: 'text', kept: 32_768, total: 200_000 },
    ])
    expect(fitted.value).toMatchObject({ short: 'x', evidence: { contexts: ['c', 'd'.repeat(32_768)] } })
  })

  it('any value is cut to the budget, and every cut has a valid path', () => {
    const text = fc.oneof(fc.string(), fc.constantFrom('\0'.repeat(5000), '😀'.repeat(3000), 'a'.repeat(9000)))
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        text,
        fc.array(tie('node'), { maxLength: 150 }),
        fc.dictionary(fc.string(), tie('node')),
      ),
    })).node
    fc.assert(
      fc.property(tree, (value) => {
        const fitted = fitValue(value, 50_000)
        if (fitted === null) return
        expect(jsonBytes(fitted.value) + jsonBytes(fitted.cuts)).toBeLessThanOrEqual(50_002)
        for (const { path, kind, kept, total } of fitted.cuts) {
          const [cut, whole] = [valueAt(fitted.value, path), valueAt(value, path)]
          if (kind === 'text') expect([(cut as string).length, (whole as string).length]).toEqual([kept, total])
          else expect([Object.keys(cut as object).length, Object.keys(whole as object).length]).toEqual([kept, total])
        }
      }),
      { numRuns: 60 },
    )
  })
})

it('a path is followed only through own members', () => {
  expect(valueAt({ a: [{ b: 1 }] }, ['a', 0, 'b'])).toBe(1)
  expect(valueAt({ a: 'text' }, ['a', 'length'])).toBeUndefined()
  expect(valueAt({}, ['constructor', 'name'])).toBeUndefined()
})
