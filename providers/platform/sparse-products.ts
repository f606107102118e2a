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
  ask(components: Int8Array): void
  /** For each row of a block the sum of its products with the query. Valid until the next call. */
  sumsOf(block: BlockOffsets): Int32Array
}

type AddProducts = (asked: number, end: number, starts: number, bitmaps: number, values: number) => void

// The beginning of the memory.
const SPREAD = 0
const SUMS = SPREAD + 256 * 8
const ASKED = SUMS + BLOCK_ROWS * 4
/** Column and component. */
const ASKED_BYTES = 8

let compiled: CompiledLoop | null = null

/** The loop on a memory of at least one page, whose beginning they take. */
export function createSparseProducts(memory: WasmMemory, dimensions: number): SparseProducts {
  compiled ??= compile({ parameters: 5, i32: 4, v128: 2 }, BODY)
  const addProducts: AddProducts = instantiate(compiled, memory)
  const bytes = Math.ceil((ASKED + dimensions * ASKED_BYTES) / 16) * 16
  memory.grow(Math.ceil(bytes / PAGE_BYTES) - 1)
  new Uint8Array(memory.buffer).set(spreads(), SPREAD)
  let sums = sumsIn(memory)
  let end = ASKED
  return {
    bytes,
    ask(components) {
      const asked = new DataView(memory.buffer, ASKED)
      let at = 0
      for (let column = 0; column < dimensions; column += 1) {
        if (components[column] === 0) continue
        asked.setInt32(at, column, true)
        asked.setInt32(at + 4, components[column]!, true)
        at += ASKED_BYTES
      }
      end = ASKED + at
    },
    sumsOf({ starts, bitmaps, values }) {
      // Memory that grew has another buffer.
      if (sums.buffer !== memory.buffer) sums = sumsIn(memory)
      sums.fill(0)
      if (end > ASKED) addProducts(ASKED, end, starts, bitmaps, values)
      return sums
    },
  }
}

const sumsIn = ({ buffer }: WasmMemory): Int32Array => new Int32Array(buffer, SUMS, BLOCK_ROWS)

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

/**
 * For each column of the query and each eight rows: the values that the bitmap has are spread over eight lanes, zeros between them, and their
 * products with the query's component are added to the sums. No branch depends on a bit: a processor cannot predict them.
 */
const BODY: number[] = loop(
  [...get(QUERY), ...loadI32(4), ...splatI16x8, ...set(FACTOR)],
  [...get(BITMAPS), ...ofColumn(PARTS * BITMAP_BYTES), ...set(BITMAP)],
  [...get(STARTS), ...ofColumn(PARTS * 4), ...loadI32(0), ...get(VALUES), ...addI32, ...set(AT)],
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
