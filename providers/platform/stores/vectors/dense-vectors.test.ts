import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createVectorTable } from '../../../../tests/helpers/vector-table.ts'
import { createByteVectorTable, highest, toByteVector } from './dense-vectors.ts'

describe('createFloatVectorTable', () => {
  it('compares a vector with each row, whatever the dimensions', () => {
    const component = fc.float({ min: -1, max: 1, noNaN: true })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 70 }),
        fc.integer({ min: 0, max: 9 }),
        fc.infiniteStream(component),
        (d, n, stream) => {
          const vector = (): Float32Array => Float32Array.from({ length: d }, () => stream.next().value as number)
          const [query, rows] = [vector(), Array.from({ length: n }, vector)]
          const table = createVectorTable(rows)
          const scores = table.similarities(query)
          expect(scores).toHaveLength(n)
          rows.forEach((row, index) => {
            const exact = row.reduce((sum, value, at) => sum + value * query[at]!, 0)
            expect(Math.abs(scores[index]! - exact)).toBeLessThan(1e-5)
          })
        },
      ),
      { numRuns: 60 },
    )
  })

  it('gives equal rows equal scores, and leaves scores returned before as they were', () => {
    const row = Float32Array.from({ length: 768 }, (_, at) => Math.sin(at))
    const table = createVectorTable(Array.from({ length: 1000 }, () => row))
    const scores = table.similarities(row)
    const [first] = scores
    expect(first).toBeGreaterThan(1)
    expect(new Set(scores).size).toBe(1)
    expect([...new Set(table.similarities(new Float32Array(768)))]).toEqual([0])
    expect(scores[0]).toBe(first)
  })

  it('compares nothing when it is empty, whatever the vector', () => {
    expect(createVectorTable([]).similarities(new Float32Array(5))).toHaveLength(0)
  })
})

it('highest lists positions of scores above the floor, best first, equal ones by position', () => {
  const scores = [0.2, 0.9, -0.5, 0.9, 0, 0.4]
  expect(highest(scores, 3)).toEqual([1, 3, 5])
  expect(highest(scores, 9)).toEqual([1, 3, 5, 0])
  expect(highest(scores, 9, -Infinity)).toEqual([1, 3, 5, 0, 4, 2])
})

it('createByteVectorTable gives the cosines of unit vectors to 0.01, whatever the dimensions, in a quarter of the memory', () => {
  const component = fc.float({ min: -1, max: 1, noNaN: true })
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 70 }),
      fc.integer({ min: 0, max: 9 }),
      fc.infiniteStream(component),
      (dimensions, count, stream) => {
        const unit = (): Float32Array => {
          const vector = Float32Array.from({ length: dimensions }, () => stream.next().value as number)
          const length = Math.hypot(...vector)
          return length === 0 ? vector : vector.map((value) => value / length)
        }
        const [query, rows] = [unit(), Array.from({ length: count }, unit)]
        const table = createByteVectorTable(count, dimensions)
        rows.forEach((row, index) => {
          table.set(index, toByteVector(row))
        })
        const scores = table.similarities(query)
        expect(scores).toHaveLength(count)
        rows.forEach((row, index) => {
          const exact = row.reduce((sum, value, at) => sum + value * query[at]!, 0)
          expect(Math.abs(scores[index]! - exact)).toBeLessThan(0.01)
        })
      },
    ),
    { numRuns: 60 },
  )
  expect(createByteVectorTable(1000, 768).bytes).toBeLessThan(
    createVectorTable(Array<Float32Array>(1000).fill(new Float32Array(768))).bytes / 3.9,
  )
})
