import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createByteVectorTable, toByteVector } from './dense-vectors.ts'
import { createSparseVectorTable, createTableFor } from './sparse-vectors.ts'
import { randomFrom } from '../../tests/helpers/random.ts'

const DIMENSIONS = 40

describe('a sparse table of vectors', () => {
  it('gives the same cosines as a dense one, to the last bit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 600 }),
        fc.nat(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (count, seed, share) => {
          const random = randomFrom(seed)
          const vector = () =>
            Float32Array.from({ length: DIMENSIONS }, () => (random() < share ? random() * 2 - 1 : 0))
          const dense = createByteVectorTable(count, DIMENSIONS)
          const sparse = createSparseVectorTable(count, DIMENSIONS)
          for (let row = 0; row < count; row += 1) {
            const bytes = toByteVector(vector())
            dense.set(row, bytes)
            sparse.set(row, bytes)
          }
          for (const query of [vector(), vector()]) {
            expect(sparse.similarities(query)).toEqual(dense.similarities(query))
            for (let row = 0; row < count; row += 37)
              expect(sparse.similarity(query, row)).toBe(dense.similarity(query, row))
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  it('takes less memory where most components are zero, and refuses rows out of order', () => {
    const vector = toByteVector(Float32Array.from({ length: 768 }, (_, at) => (at % 3 === 0 ? 1 : 0)))
    const table = createTableFor([vector], 1000)
    expect(() => table.set(1, vector)).toThrow('row 1 is set where row 0 is next')
    for (let row = 0; row < 1000; row += 1) table.set(row, vector)
    expect(table.bytes).toBeLessThan(0.55 * createByteVectorTable(1000, 768).bytes)
  })

  it('is for sparse vectors only', () => {
    const table = createTableFor([toByteVector(new Float32Array(768).fill(1))], 10)
    expect(table.bytes).toBe(createByteVectorTable(10, 768).bytes)
  })
})
