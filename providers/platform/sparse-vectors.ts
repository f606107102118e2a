import { createByteVectorTable, toByteVector } from './dense-vectors.ts'
import type { ByteVector, ByteVectorTable } from './dense-vectors.ts'
import { BITMAP_BYTES, BLOCK_ROWS, createSparseProducts, PART_ROWS, PARTS } from './sparse-products.ts'
import type { BlockOffsets } from './sparse-products.ts'
import { createMemory, MOST_PAGES, PAGE_BYTES } from './wasm-loop.ts'

/** The first vectors of a table have fewer zeros than most: what is mentioned first is often what is mentioned most. */
const SMALLER = 0.9

/**
 * An empty table for vectors such as these, the first ones of it. Those of short texts by rules have many zeros, which a sparse table does not
 * keep; it gives the same cosines to the last bit. Its rows must be set in their order, all of them before it is read.
 */
export function createTableFor(first: readonly ByteVector[], count: number): ByteVectorTable {
  const dimensions = first[0]!.components.length
  let filled = 0
  for (const { components } of first) for (const component of components) if (component !== 0) filled += 1
  // A row also has a bit for each component. A table that is hardly smaller is not worth the slower search of many columns.
  const isSparse = filled / first.length + dimensions / 8 < SMALLER * dimensions
  return isSparse ? createSparseVectorTable(count, dimensions) : createByteVectorTable(count, dimensions)
}

/** Pages of memory that are added together. */
const GROWTH = 16
const WORDS = (PARTS * BITMAP_BYTES) / 4

/** An empty sparse table of `count` rows. */
export function createSparseVectorTable(count: number, dimensions: number): ByteVectorTable {
  const memory = createMemory(1, MOST_PAGES)
  const products = createSparseProducts(memory, dimensions)
  /** The memory as numbers and as bytes; growing it replaces them. */
  let words = new Int32Array(0)
  let bytes = new Int8Array(0)
  let used = products.bytes
  const blocks: BlockOffsets[] = []
  const scales = new Float32Array(count)
  let open = new Int8Array(BLOCK_ROWS * dimensions)
  let filled = 0

  const makeRoom = (size: number): void => {
    const missing = Math.ceil((used + size - memory.buffer.byteLength) / PAGE_BYTES)
    if (missing > 0) memory.grow(Math.max(missing, GROWTH))
    words = new Int32Array(memory.buffer)
    bytes = new Int8Array(memory.buffer)
  }

  /** Appends the open rows. Memory that was not used is zero, as bitmaps must be before. */
  const appendBlock = (): void => {
    const bitmaps = used + 4 * PARTS * dimensions
    const place = { starts: used, bitmaps, values: bitmaps + PARTS * BITMAP_BYTES * dimensions }
    // The loop reads eight values at a time, so up to seven beyond the last one.
    makeRoom(place.values - used + open.length + 8)
    let values = 0
    for (let column = 0; column < dimensions; column += 1) {
      for (let row = 0; row < BLOCK_ROWS; row += 1) {
        if (row % PART_ROWS === 0) words[place.starts / 4 + column * PARTS + row / PART_ROWS] = values
        const value = open[row * dimensions + column]!
        if (value === 0) continue
        words[bitmaps / 4 + column * WORDS + (row >> 5)]! |= 1 << (row & 31)
        bytes[place.values + values] = value
        values += 1
      }
    }
    used = place.values + Math.ceil(values / 4) * 4
    blocks.push(place)
  }

  return {
    count,
    dimensions,
    get bytes() {
      return used + scales.byteLength + open.byteLength
    },
    set(row, { scale, components }) {
      if (row !== filled) throw new RangeError(`row ${row} is set where row ${filled} is next`)
      scales[row] = scale
      open.set(components, (row % BLOCK_ROWS) * dimensions)
      filled += 1
      if (filled % BLOCK_ROWS !== 0 && filled !== count) return
      appendBlock()
      open = filled === count ? new Int8Array(0) : open.fill(0)
    },
    similarities(vector) {
      const { scale, components } = toByteVector(vector)
      products.ask(components)
      const cosines = new Float32Array(count)
      for (const [block, place] of blocks.entries()) {
        const sums = products.sumsOf(place)
        const first = block * BLOCK_ROWS
        const end = Math.min(BLOCK_ROWS, count - first)
        for (let row = 0; row < end; row += 1) cosines[first + row] = sums[row]! * scale * scales[first + row]!
      }
      return cosines
    },
  }
}
