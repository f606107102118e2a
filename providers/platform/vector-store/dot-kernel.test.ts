import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDotKernel } from './dot-kernel.ts'

describe('createDotKernel', () => {
  it('multiplies each row with the query, whatever the dimensions', () => {
    const component = fc.float({ min: -1, max: 1, noNaN: true })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 70 }),
        fc.integer({ min: 0, max: 9 }),
        fc.infiniteStream(component),
        (d, n, stream) => {
          const vector = (): number[] => Array.from({ length: d }, () => stream.next().value as number)
          const [query, rows] = [vector(), Array.from({ length: n }, vector)]
          const kernel = createDotKernel(n, d)
          kernel.query.set(query)
          rows.forEach((row, index) => kernel.rows.set(row, index * kernel.stride))
          const dots = [...kernel.dots()]
          expect(dots).toHaveLength(n)
          dots.forEach((dot, index) => {
            const exact = rows[index]!.reduce((sum, value, at) => sum + value * query[at]!, 0)
            expect(Math.abs(dot - exact)).toBeLessThan(1e-5)
          })
        },
      ),
      { numRuns: 60 },
    )
  })

  it('gives equal rows equal products, also with the query before', () => {
    const kernel = createDotKernel(1000, 768)
    const row = Float32Array.from({ length: 768 }, (_, at) => Math.sin(at))
    for (let index = 0; index < 1000; index += 1) kernel.rows.set(row, index * kernel.stride)
    kernel.query.set(row)
    expect(new Set(kernel.dots()).size).toBe(1)
    kernel.query.fill(0)
    expect([...new Set(kernel.dots())]).toEqual([0])
  })
})
