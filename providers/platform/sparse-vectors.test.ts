import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createByteVectorTable, highest, toByteVector } from './dense-vectors.ts'
import { BITMAP_BYTES, createSparseProducts, PARTS } from './sparse-products.ts'
import { createSparseVectorTable, createTableFor } from './sparse-vectors.ts'
import { createMemory } from './wasm-loop.ts'
import { randomFrom } from '../../tests/helpers/random.ts'

const DIMENSIONS = 40

describe('a sparse table of vectors', () => {
  it('gives the same cosines as a dense one, to the last bit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2200 }),
        fc.nat(),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (count, seed, share) => {
          const random = randomFrom(seed)
          const vector = () =>
            Float32Array.from({ length: DIMENSIONS }, () => (random() < share ? random() * 2 - 1 : 0))
          const dense = createByteVectorTable(count, DIMENSIONS)
          const sparse = createSparseVectorTable(count, DIMENSIONS)
          // Few different ones, so that rows tie.
          const kinds = Array.from({ length: 1 + Math.floor(random() * count) }, () => toByteVector(vector()))
          for (let row = 0; row < count; row += 1) {
            const bytes = kinds[Math.floor(random() * kinds.length)]!
            dense.set(row, bytes)
            sparse.set(row, bytes)
          }
          for (const query of [vector(), vector(), new Float32Array(DIMENSIONS)]) {
            const cosines = sparse.similarities(query)
            expect(cosines).toEqual(dense.similarities(query))
            expect(highest(cosines, 20)).toEqual(highest(dense.similarities(query), 20))
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  it('adds up exactly in a table of many pages, with the largest components and after its memory grew', () => {
    const [count, dimensions] = [3000, 768]
    const random = randomFrom(7)
    const largest = () =>
      Float32Array.from({ length: dimensions }, () => (random() < 0.4 ? (random() < 0.5 ? -1 : 1) : 0))
    const dense = createByteVectorTable(count, dimensions)
    const sparse = createSparseVectorTable(count, dimensions)
    for (let row = 0; row < count; row += 1) {
      const bytes = toByteVector(largest())
      dense.set(row, bytes)
      sparse.set(row, bytes)
    }
    const queries = [new Float32Array(dimensions).fill(-1), largest(), largest()]
    for (const query of queries) {
      expect(sparse.similarities(query)).toEqual(dense.similarities(query))
    }
  })

  it('reads the columns of the query and no others, whatever the number of rows', () => {
    const memory = createMemory(1, 1)
    const products = createSparseProducts(memory, 3)
    // Two rows. The first column is [5, 7], the last one [0, 2]; the column between lies outside the memory.
    const outside = 2 ** 30
    const bitmaps = products.bytes + 3 * PARTS * 4
    const column = PARTS * BITMAP_BYTES
    const place = { starts: products.bytes, bitmaps, values: bitmaps + 3 * column }
    const starts = [0, outside, 2].flatMap((start) => Array<number>(PARTS).fill(start))
    new Int32Array(memory.buffer, place.starts, starts.length).set(starts)
    const bytes = new Uint8Array(memory.buffer)
    bytes[bitmaps] = 0b11
    bytes[bitmaps + column] = 0b11
    bytes[bitmaps + 2 * column] = 0b10
    bytes.set([5, 7, 2], place.values)
    products.ask(Int8Array.of(10, 0, -20))
    expect([...products.sumsOf(place).subarray(0, 3)]).toEqual([50, 30, 0])
    products.ask(Int8Array.of(0, 1, 0))
    expect(() => products.sumsOf(place)).toThrow('memory access out of bounds')
  })

  it('takes less memory where most components are zero, and refuses rows out of order', () => {
    const vector = toByteVector(Float32Array.from({ length: 768 }, (_, at) => (at % 3 === 0 ? 1 : 0)))
    const table = createTableFor([vector], 1000)
    expect(() => table.set(1, vector)).toThrow('row 1 is set where row 0 is next')
    for (let row = 0; row < 1000; row += 1) table.set(row, vector)
    expect(table.bytes).toBeLessThan(0.55 * createByteVectorTable(1000, 768).bytes)
  })

  it('is also for a table whose first vectors have fewer zeros than most', () => {
    const vectorWith = (filled: number) =>
      toByteVector(Float32Array.from({ length: 768 }, (_, at) => (at < filled ? 1 : 0)))
    const table = createTableFor([vectorWith(532)], 1024)
    for (let row = 0; row < 1024; row += 1) table.set(row, vectorWith(row < 32 ? 532 : 344))
    expect(table.bytes).toBeLessThan(0.65 * createByteVectorTable(1024, 768).bytes)
  })

  it('is for sparse vectors only', () => {
    const table = createTableFor([toByteVector(new Float32Array(768).fill(1))], 10)
    expect(table.bytes).toBe(createByteVectorTable(10, 768).bytes)
  })
})
