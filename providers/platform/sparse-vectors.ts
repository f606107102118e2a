import { createByteVectorTable, toByteVector } from './dense-vectors.ts'
import type { ByteVector, ByteVectorTable } from './dense-vectors.ts'

/** Rows of a block, and the words of a bitmap of them. */
const BLOCK_ROWS = 256
const WORDS = BLOCK_ROWS / 32

/** Some rows, column by column: which of them have a component that is not zero, and these components. */
interface Block {
  bitmaps: Int32Array
  /** Where the values of each column begin; one more for the end. */
  starts: Int32Array
  values: Int8Array
}

/**
 * An empty table for vectors such as these, the first ones of it. Those of short texts by rules have many zeros, which a sparse table does not
 * keep; it gives the same cosines to the last bit. Its rows must be set in their order, all of them before it is read.
 */
export function createTableFor(first: readonly ByteVector[], count: number): ByteVectorTable {
  const dimensions = first[0]!.components.length
  let filled = 0
  for (const { components } of first) for (const component of components) if (component !== 0) filled += 1
  // A row also has a bit for each component. A table that is hardly smaller is not worth the slower search.
  const isSparse = filled / first.length + dimensions / 8 < (2 / 3) * dimensions
  return isSparse ? createSparseVectorTable(count, dimensions) : createByteVectorTable(count, dimensions)
}

/** An empty sparse table of `count` rows. */
export function createSparseVectorTable(count: number, dimensions: number): ByteVectorTable {
  const blocks: Block[] = []
  const blockOf = createPacker(dimensions)
  const scales = new Float32Array(count)
  let open = new Int8Array(BLOCK_ROWS * dimensions)
  let filled = 0
  let asked: { vector: Float32Array; columns: Int32Array } | null = null

  /** Columns in which a query is not zero: the others add nothing. */
  const columnsOf = (vector: Float32Array): Int32Array => {
    if (asked?.vector !== vector)
      asked = { vector, columns: Int32Array.from(vector.keys().filter((at) => vector[at] !== 0)) }
    return asked.columns
  }

  return {
    count,
    dimensions,
    get bytes() {
      return blocks.reduce(
        (sum, { bitmaps, starts, values }) => sum + bitmaps.byteLength + starts.byteLength + values.byteLength,
        scales.byteLength + open.byteLength,
      )
    },
    set(row, { scale, components }) {
      if (row !== filled) throw new RangeError(`row ${row} is set where row ${filled} is next`)
      scales[row] = scale
      open.set(components, (row % BLOCK_ROWS) * dimensions)
      filled += 1
      if (filled % BLOCK_ROWS !== 0 && filled !== count) return
      blocks.push(blockOf(open))
      open = filled === count ? new Int8Array(0) : open.fill(0)
    },
    similarities(vector) {
      const { scale, components } = toByteVector(vector)
      const columns = columnsOf(vector)
      const sums = new Int32Array(Math.max(count, blocks.length * BLOCK_ROWS))
      for (let block = 0; block < blocks.length; block += 1)
        addProducts(blocks[block]!, components, columns, sums, block * BLOCK_ROWS)
      const cosines = new Float32Array(count)
      for (let row = 0; row < count; row += 1) cosines[row] = sums[row]! * scale * scales[row]!
      return cosines
    },
    similarity(vector, row) {
      const { bitmaps, starts, values } = blocks[Math.floor(row / BLOCK_ROWS)]!
      const inBlock = row % BLOCK_ROWS
      const word = inBlock >> 5
      const bit = 1 << (inBlock & 31)
      let sum = 0
      for (const column of columnsOf(vector)) {
        const first = column * WORDS
        const bits = bitmaps[first + word]!
        if ((bits & bit) === 0) continue
        let at = starts[column]! + bitsIn(bits & (bit - 1))
        for (let before = 0; before < word; before += 1) at += bitsIn(bitmaps[first + before]!)
        sum += values[at]! * vector[column]!
      }
      return sum * scales[row]!
    },
  }
}

/** Bytes of blocks that are allocated together. */
const PAGE_BYTES = 1024 * 1024

/**
 * Makes blocks of rows whose bytes lie one after the other in pages. Each block with buffers of its own, among those that are used only while it is
 * made, would leave gaps of a quarter of the table that the process keeps.
 */
function createPacker(dimensions: number): (rows: Int8Array) => Block {
  const bitmaps = new Int32Array(dimensions * WORDS)
  const starts = new Int32Array(dimensions + 1)
  const values = new Int8Array(BLOCK_ROWS * dimensions)
  let page = new ArrayBuffer(0)
  let used = 0

  const place = (bytes: number): number => {
    if (used + bytes > page.byteLength) {
      page = new ArrayBuffer(Math.max(PAGE_BYTES, bytes))
      used = 0
    }
    const from = used
    used += Math.ceil(bytes / Int32Array.BYTES_PER_ELEMENT) * Int32Array.BYTES_PER_ELEMENT
    return from
  }
  const placed = (numbers: Int32Array): Int32Array => {
    const from = place(numbers.byteLength)
    const copy = new Int32Array(page, from, numbers.length)
    copy.set(numbers)
    return copy
  }

  return (rows) => {
    bitmaps.fill(0)
    let count = 0
    for (let column = 0; column < dimensions; column += 1) {
      starts[column] = count
      for (let row = 0; row < BLOCK_ROWS; row += 1) {
        const value = rows[row * dimensions + column]!
        if (value === 0) continue
        bitmaps[column * WORDS + (row >> 5)]! |= 1 << (row & 31)
        values[count] = value
        count += 1
      }
    }
    starts[dimensions] = count
    const from = place(count)
    const packed = new Int8Array(page, from, count)
    packed.set(values.subarray(0, count))
    return { bitmaps: placed(bitmaps), starts: placed(starts), values: packed }
  }
}

/** Adds to the sum of each row its products with the query. */
function addProducts(
  { bitmaps, starts, values }: Block,
  query: Int8Array,
  columns: Int32Array,
  sums: Int32Array,
  firstRow: number,
): void {
  for (const column of columns) {
    const factor = query[column]!
    let at = starts[column]!
    for (let word = 0; word < WORDS; word += 1) {
      let bits = bitmaps[column * WORDS + word]!
      const from = firstRow + word * 32 + 31
      while (bits !== 0) {
        const lowest = bits & -bits
        sums[from - Math.clz32(lowest)]! += factor * values[at]!
        at += 1
        bits ^= lowest
      }
    }
  }
}

function bitsIn(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}
