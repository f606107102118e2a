import {
  addI32,
  addI32x4,
  branchIf,
  compile,
  get,
  i32,
  instantiate,
  lessI32,
  loadV128,
  loop,
  multiplyI32,
  PAGE_BYTES,
  set,
  simd,
  step,
} from './wasm-loop.ts'
import type { CompiledLoop, WasmMemory } from './wasm-loop.ts'

/** Rows of a block of sparse vectors, in parts. What is read of a column lies together: short pieces far from each other leave a processor waiting. */
export const BLOCK_ROWS = 1024
export const PART_ROWS = 256
export const PARTS = BLOCK_ROWS / PART_ROWS
/** The bitmap of a part's rows in a column. */
export const BITMAP_BYTES = PART_ROWS / 8

/** Where a block lies in memory: for each column and part where its values start, then its bitmap; then the values column by column. */
export interface BlockOffsets {
  starts: number
  bitmaps: number
  values: number
}

/** The products of rows with a query, added up. */
export interface SparseProducts {
  /** Bytes at the beginning of the memory that are its own. */
  readonly bytes: number
  /** Sets the query: only its columns that are not zero are read. */
  ask(vector: Float32Array, components: Int8Array): void
  /** For each row of a block the sum of its products with the query's `components`. Valid until the next call. */
  sumsOf(block: BlockOffsets): Int32Array
  /** The sum of a row's products with the query's `vector`, added up in the order of the columns. */
  sumOf(block: BlockOffsets, row: number): number
}

type AddProducts = (asked: number, end: number, starts: number, bitmaps: number, values: number) => void
type AddProductsOfRow = (...numbers: [...Parameters<AddProducts>, byteOfRow: number, bitOfRow: number]) => void

// The beginning of the memory. `BEFORE` has a bit for each row before the one that is asked for, `SUM` the sum of its products.
const SPREAD = 0
const SUMS = SPREAD + 256 * 8
const BEFORE = SUMS + BLOCK_ROWS * 4
const SUM = BEFORE + BITMAP_BYTES
const ASKED = SUM + 8
/** Column, component in 8 bits, component of the vector. */
const ASKED_BYTES = 12

let compiled: CompiledLoop | null = null
let compiledForRow: CompiledLoop | null = null

/** The loops on a memory of at least one page, whose beginning they take. */
export function createSparseProducts(memory: WasmMemory, dimensions: number): SparseProducts {
  compiled ??= compile({ parameters: 5, i32: 4, v128: 2 }, BODY)
  compiledForRow ??= compile({ parameters: 7, i32: 3, i64: WORDS_BEFORE, f64: 1 }, ROW_BODY)
  const addProducts: AddProducts = instantiate(compiled, memory)
  const addProductsOfRow: AddProductsOfRow = instantiate(compiledForRow, memory)
  const bytes = Math.ceil((ASKED + dimensions * ASKED_BYTES) / 16) * 16
  memory.grow(Math.ceil(bytes / PAGE_BYTES) - 1)
  new Uint8Array(memory.buffer).set(spreads(), SPREAD)
  let views = viewsOf(memory)
  let end = ASKED
  /** Memory that grew has another buffer. */
  const current = (): Views => (views.sums.buffer === memory.buffer ? views : (views = viewsOf(memory)))
  return {
    bytes,
    ask(vector, components) {
      const asked = new DataView(memory.buffer, ASKED)
      let at = 0
      for (let column = 0; column < dimensions; column += 1) {
        if (vector[column] === 0) continue
        asked.setInt32(at, column, true)
        asked.setInt32(at + 4, components[column]!, true)
        asked.setFloat32(at + 8, vector[column]!, true)
        at += ASKED_BYTES
      }
      end = ASKED + at
    },
    sumsOf({ starts, bitmaps, values }) {
      const { sums } = current()
      sums.fill(0)
      if (end > ASKED) addProducts(ASKED, end, starts, bitmaps, values)
      return sums
    },
    sumOf({ starts, bitmaps, values }, rowOfBlock) {
      if (end === ASKED) return 0
      const { before, sum } = current()
      const part = Math.floor(rowOfBlock / PART_ROWS)
      const row = rowOfBlock % PART_ROWS
      for (let word = 0; word < before.length; word += 1) before[word] = word < row >> 5 ? -1 : 0
      before[row >> 5] = (1 << (row & 31)) - 1
      addProductsOfRow(ASKED, end, starts + part * 4, bitmaps + part * BITMAP_BYTES, values, row >> 3, row & 7)
      return sum[0]!
    },
  }
}

interface Views {
  sums: Int32Array
  before: Int32Array
  sum: Float64Array
}

const viewsOf = ({ buffer }: WasmMemory): Views => ({
  sums: new Int32Array(buffer, SUMS, BLOCK_ROWS),
  before: new Int32Array(buffer, BEFORE, BITMAP_BYTES / 4),
  sum: new Float64Array(buffer, SUM, 1),
})

/** Selects no value: each lane that it is in becomes zero. */
const NO_LANE = 0x80

/** For each byte of a bitmap, by bit: which of the next values belongs to it. */
function spreads(): Uint8Array {
  const lanes = new Uint8Array(256 * 8)
  for (let byte = 0; byte < 256; byte += 1)
    for (let bit = 0, value = 0; bit < 8; bit += 1) {
      const isSet = ((byte >> bit) & 1) === 1
      lanes[byte * 8 + bit] = isSet ? value : NO_LANE
      if (isSet) value += 1
    }
  return lanes
}

const [QUERY, END, STARTS, BITMAPS, VALUES] = [0, 1, 2, 3, 4] as const
const [BITMAP, AT, BYTE, OUT, FACTOR, PRODUCTS] = [5, 6, 7, 8, 9, 10] as const
const loadI32 = (offset: number): number[] => [0x28, 2, offset]
const loadByte = [0x2d, 0, 0]
const countBits = [0x69]
const loadHalfV128 = (offset: number): number[] => simd(0x5d, 0, offset)
const splatI16x8 = simd(0x10)
const swizzle = simd(0x0e)
const widenI8 = simd(0x87)
const multiplyI16 = simd(0x95)
const widenI16 = [simd(0xa7), simd(0xa8)]
const storeV128 = (offset: number): number[] => simd(0x0b, 2, offset)
const [fourSums, eightSums] = [16, 32]

const ofColumn = (size: number): number[] => [...get(QUERY), ...loadI32(0), ...i32(size), ...multiplyI32, ...addI32]
const bitmapOfColumn = (local: number): number[] => [...get(BITMAPS), ...ofColumn(PARTS * BITMAP_BYTES), ...set(local)]
const valuesOfColumn = (local: number): number[] => [
  ...get(STARTS),
  ...ofColumn(PARTS * 4),
  ...loadI32(0),
  ...get(VALUES),
  ...addI32,
  ...set(local),
]

/**
 * For each column of the query and each eight rows: the values that the bitmap has are spread over eight lanes, zeros between them, and their
 * products with the query's component are added to the sums. No branch depends on a bit: a processor cannot predict them.
 */
const BODY: number[] = loop(
  [...get(QUERY), ...loadI32(4), ...splatI16x8, ...set(FACTOR)],
  bitmapOfColumn(BITMAP),
  valuesOfColumn(AT),
  [...i32(SUMS), ...set(OUT)],
  loop(
    [...get(BITMAP), ...loadByte, ...set(BYTE)],
    [...get(AT), ...loadHalfV128(0), ...get(BYTE), ...i32(8), ...multiplyI32, ...loadHalfV128(SPREAD)],
    // A product of two components, each at most 127, fits into 16 bits.
    [...swizzle, ...widenI8, ...get(FACTOR), ...multiplyI16, ...set(PRODUCTS)],
    ...widenI16.flatMap((widen, half) => [
      [...get(OUT), ...get(OUT), ...loadV128(half * fourSums)],
      [...get(PRODUCTS), ...widen, ...addI32x4, ...storeV128(half * fourSums)],
    ]),
    step(AT, get(BYTE), countBits),
    step(BITMAP, i32(1)),
    step(OUT, i32(eightSums)),
    [...get(OUT), ...i32(SUMS + BLOCK_ROWS * 4), ...lessI32, ...branchIf(0)],
  ),
  step(QUERY, i32(ASKED_BYTES)),
  [...get(QUERY), ...get(END), ...lessI32, ...branchIf(0)],
)

const [BYTE_OF_ROW, BIT_OF_ROW, ROW_BITMAP, ROW_AT, VALUE, ROWS_BEFORE] = [5, 6, 7, 8, 9, 10] as const
const WORDS_BEFORE = BITMAP_BYTES / 8
const TOTAL = ROWS_BEFORE + WORDS_BEFORE
const WORD_OF_EACH = Array.from({ length: WORDS_BEFORE }, (_, word) => word)
const loadI64 = (offset: number): number[] => [0x29, 3, offset]
const loadF32 = (offset: number): number[] => [0x2a, 2, offset]
const loadSignedByte = [0x2c, 0, 0]
const [andI32, shiftRightI32, andI64, countBitsI64, wrapI64] = [[0x71], [0x76], [0x83], [0x7b], [0xa7]]
const [toF64, floatToF64, addF64, multiplyF64] = [[0xb7], [0xbb], [0xa0], [0xa2]]
const storeF64 = [0x39, 3, 0]

/** For each column of the query in one part: the row's value, which is zero when the bitmap has no bit for it; otherwise the bits before it count to its position. */
const ROW_BODY: number[] = [
  ...WORD_OF_EACH.flatMap((word) => [...i32(BEFORE), ...loadI64(word * 8), ...set(ROWS_BEFORE + word)]),
  ...loop(
    bitmapOfColumn(ROW_BITMAP),
    valuesOfColumn(ROW_AT),
    ...WORD_OF_EACH.map((word) =>
      step(
        ROW_AT,
        [...get(ROW_BITMAP), ...loadI64(word * 8), ...get(ROWS_BEFORE + word)],
        [...andI64, ...countBitsI64, ...wrapI64],
      ),
    ),
    [...get(ROW_AT), ...loadSignedByte],
    [...get(ROW_BITMAP), ...get(BYTE_OF_ROW), ...addI32, ...loadByte, ...get(BIT_OF_ROW), ...shiftRightI32],
    [...i32(1), ...andI32, ...multiplyI32, ...set(VALUE)],
    [...get(TOTAL), ...get(VALUE), ...toF64, ...get(QUERY), ...loadF32(8), ...floatToF64, ...multiplyF64],
    [...addF64, ...set(TOTAL)],
    step(QUERY, i32(ASKED_BYTES)),
    [...get(QUERY), ...get(END), ...lessI32, ...branchIf(0)],
  ),
  ...i32(SUM),
  ...get(TOTAL),
  ...storeF64,
]
