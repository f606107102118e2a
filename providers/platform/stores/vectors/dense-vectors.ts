/**
 * Dense vectors in memory and the search for the nearest ones: the one path of the vector store and of the graph engine. Vectors are of
 * unit length, so that their dot product is their cosine. Scores are exact in 32-bit arithmetic; equal vectors get equal scores.
 * docs/decisions/008 explains why the loop over all rows is WebAssembly.
 */

import {
  addI32,
  addI32x4,
  branchIf,
  compile,
  createMemory,
  get,
  i32,
  instantiate,
  lessI32,
  loadV128,
  loop,
  PAGE_BYTES,
  set,
  simd,
  step,
  storeI32,
  subI32,
  zeroV128,
} from './wasm-loop.ts'
import type { CompiledLoop } from './wasm-loop.ts'

/** Unit vectors of one dimension, row after row. */
export interface VectorTable {
  readonly count: number
  readonly dimensions: number
  readonly bytes: number
  /** Cosine of each row with a unit vector. */
  similarities(query: Float32Array): Float32Array
}

/** A table that is filled row by row. Rows that were not set are zero. */
export interface FloatVectorTable extends VectorTable {
  set(row: number, vector: Float32Array): void
  /** Sets a row from the bytes of its components. */
  setBytes(row: number, bytes: Uint8Array): void
}

/** An empty table of `count` rows. */
export function createFloatVectorTable(count: number, dimensions: number): FloatVectorTable {
  const kernel = createDotKernel(count, dimensions)
  const { rows, stride } = kernel
  const bytesOfRows = new Uint8Array(rows.buffer, rows.byteOffset, rows.byteLength)
  return {
    count,
    dimensions,
    bytes: vectorTableBytes(count, dimensions),
    set(row, vector) {
      rows.set(vector, row * stride)
    },
    setBytes(row, bytes) {
      bytesOfRows.set(bytes, row * stride * rows.BYTES_PER_ELEMENT)
    },
    similarities(query) {
      if (count === 0) return new Float32Array(0)
      kernel.query.set(query)
      // The kernel writes the next products over these.
      return kernel.dots().slice()
    },
  }
}

/** A unit vector in one byte a component: each is the nearest of 255 steps of `scale`, which bounds the error of a cosine to about 0.005. */
export interface ByteVector {
  scale: number
  components: Int8Array
}

const STEPS = 127

/** The vector in bytes; one without direction has scale 0. */
export function toByteVector(vector: Float32Array): ByteVector {
  let largest = 0
  for (const component of vector) largest = Math.max(largest, Math.abs(component))
  const scale = Math.fround(largest / STEPS)
  const components = new Int8Array(vector.length)
  if (scale > 0) for (let at = 0; at < vector.length; at += 1) components[at] = Math.round(vector[at]! / scale)
  return { scale, components }
}

/** A table of byte vectors that is filled row by row: a quarter of the memory of full ones. Rows that were not set are zero. */
export interface ByteVectorTable extends VectorTable {
  set(row: number, vector: ByteVector): void
}

/** An empty table of `count` rows. */
export function createByteVectorTable(count: number, dimensions: number): ByteVectorTable {
  const stride = strideOf(dimensions)
  const bytes = (count + 2) * stride + count * 4
  const pages = Math.max(1, Math.ceil(bytes / PAGE_BYTES))
  const memory = createMemory(pages, pages)
  compiledForBytes ??= compile({ parameters: 5, i32: 1, v128: 1 }, BYTE_BODY)
  const dots: DotsFunction = instantiate(compiledForBytes, memory)
  const query = new Int16Array(memory.buffer, 0, stride)
  const rows = new Int8Array(memory.buffer, query.byteLength, count * stride)
  const out = new Int32Array(memory.buffer, query.byteLength + rows.byteLength, count)
  const scales = new Float32Array(count)
  return {
    count,
    dimensions,
    bytes: bytes + scales.byteLength,
    set(row, { scale, components }) {
      scales[row] = scale
      rows.set(components, row * stride)
    },
    similarities(vector) {
      if (count === 0) return new Float32Array(0)
      const { scale, components } = toByteVector(vector)
      query.set(components)
      dots(0, rows.byteOffset, out.byteOffset, count, stride)
      // `Float32Array.from` with a function takes forty times as long, which large graphs would pay in each question.
      const cosines = new Float32Array(count)
      for (let row = 0; row < count; row += 1) cosines[row] = out[row]! * scale * scales[row]!
      return cosines
    },
  }
}

/** Positions of the `limit` highest scores above a floor, best first, equal ones by position. */
export function highest(scores: ArrayLike<number>, limit: number, floor = 0): number[] {
  const best: number[] = []
  let excluded = floor
  for (let index = 0; index < scores.length; index += 1) {
    const score = scores[index]!
    if (score <= excluded) continue
    let position = best.length
    while (position > 0 && scores[best[position - 1]!]! < score) position -= 1
    best.splice(position, 0, index)
    if (best.length > limit) best.pop()
    if (best.length === limit) excluded = scores[best.at(-1)!]!
  }
  return best
}

/** Of rows in ascending order the `limit` ones with the highest scores, best first, equal ones in their order. */
export function highestAmong(rows: Int32Array, scores: Float32Array, limit: number): number[] {
  const own = new Float32Array(rows.length)
  for (let at = 0; at < rows.length; at += 1) own[at] = scores[rows[at]!]!
  return highest(own, limit, -Infinity).map((at) => rows[at]!)
}

/** A vector scaled to unit length in 32-bit numbers differs from 1 by less than this, in its square: one that was read from a store. */
const UNIT_ROUNDING = 2 ** -22

/** The vector at unit length, or null for one without direction (all zeros). */
export function toUnitLength(vector: Float32Array): Float32Array | null {
  let squares = 0
  for (const component of vector) squares += component * component
  if (squares === 0) return null
  if (Math.abs(squares - 1) <= UNIT_ROUNDING) return vector
  const length = Math.sqrt(squares)
  return vector.map((component) => component / length)
}

/**
 * Dot products of one vector with many, four components per instruction: WebAssembly's SIMD, which JavaScript has no other access to.
 */
interface DotKernel {
  /** One after the other, `stride` components each; those beyond a vector's dimensions stay zero. */
  rows: Float32Array
  /** The vector that all are multiplied with; `stride` components. */
  query: Float32Array
  stride: number
  /** The dot product of `query` with each row, in 32-bit arithmetic. Valid until the next call. */
  dots(): Float32Array
}

/** Components per turn of the inner loop: four vector registers of four. */
const STEP = 16

const strideOf = (dimensions: number): number => Math.ceil(dimensions / STEP) * STEP

/** Bytes that a table of so many vectors takes. */
export const vectorTableBytes = (count: number, dimensions: number): number =>
  ((count + 1) * strideOf(dimensions) + count) * 4

/** A kernel with room for `count` vectors, all zero. */
function createDotKernel(count: number, dimensions: number): DotKernel {
  const stride = strideOf(dimensions)
  const pages = Math.max(1, Math.ceil(vectorTableBytes(count, dimensions) / PAGE_BYTES))
  const memory = createMemory(pages, pages)
  compiled ??= compile({ parameters: 5, i32: 1, v128: SUMS.length }, BODY)
  const dots: DotsFunction = instantiate(compiled, memory)
  const query = new Float32Array(memory.buffer, 0, stride)
  const rows = new Float32Array(memory.buffer, query.byteLength, count * stride)
  const out = new Float32Array(memory.buffer, query.byteLength + rows.byteLength, count)
  return {
    rows,
    query,
    stride,
    dots() {
      if (count > 0) dots(query.byteOffset, rows.byteOffset, out.byteOffset, count, stride * 4)
      return out
    },
  }
}

type DotsFunction = (query: number, row: number, out: number, count: number, strideBytes: number) => void
let compiled: CompiledLoop | null = null
let compiledForBytes: CompiledLoop | null = null

const [QUERY, ROW, OUT, COUNT, BYTES, AT, SUM] = [0, 1, 2, 3, 4, 5, 6] as const
const SUMS = [SUM, SUM + 1, SUM + 2, SUM + 3]

const [addF32x4, mulF32x4] = [simd(0xe4), simd(0xe6)]
const laneF32 = (lane: number): number[] => simd(0x1f, lane)
const addF32 = [0x92]
const storeF32 = [0x38, 2, 0]

/** For each row: four running sums over the components, then their sixteen lanes added up and stored. */
const BODY: number[] = loop(
  ...SUMS.map((sum) => [...zeroV128, ...set(sum)]),
  [...i32(0), ...set(AT)],
  loop(
    ...SUMS.map((sum, lane) => [
      ...get(sum),
      ...get(ROW),
      ...get(AT),
      ...addI32,
      ...loadV128(lane * 16),
      ...get(QUERY),
      ...get(AT),
      ...addI32,
      ...loadV128(lane * 16),
      ...mulF32x4,
      ...addF32x4,
      ...set(sum),
    ]),
    step(AT, i32(STEP * 4)),
    [...get(AT), ...get(BYTES), ...lessI32, ...branchIf(0)],
  ),
  [...get(SUM), ...get(SUM + 1), ...addF32x4, ...get(SUM + 2), ...get(SUM + 3), ...addF32x4, ...addF32x4, ...set(SUM)],
  [...get(OUT), ...get(SUM), ...laneF32(0)],
  ...[1, 2, 3].map((lane) => [...get(SUM), ...laneF32(lane), ...addF32]),
  storeF32,
  step(ROW, get(BYTES)),
  step(OUT, i32(4)),
  [...get(COUNT), ...i32(1), ...subI32, 0x22, COUNT, ...branchIf(0)],
)

const loadI8AsI16 = (offset: number): number[] => simd(0x01, 0, offset)
const multiplyAndAddPairs = simd(0xba)
const laneI32 = (lane: number): number[] => simd(0x1b, lane)

/** For each row: the products of sixteen bytes at a time with the query in 16 bits, added up in four lanes of 32 bits. */
const BYTE_BODY: number[] = loop(
  [...zeroV128, ...set(SUM)],
  [...i32(0), ...set(AT)],
  loop(
    ...[0, 8].flatMap((first) => [
      [...get(ROW), ...get(AT), ...addI32, ...loadI8AsI16(first)],
      [...get(QUERY), ...get(AT), ...addI32, ...get(AT), ...addI32, ...loadV128(2 * first)],
      [...multiplyAndAddPairs, ...get(SUM), ...addI32x4, ...set(SUM)],
    ]),
    step(AT, i32(STEP)),
    [...get(AT), ...get(BYTES), ...lessI32, ...branchIf(0)],
  ),
  [...get(OUT), ...get(SUM), ...laneI32(0)],
  ...[1, 2, 3].map((lane) => [...get(SUM), ...laneI32(lane), ...addI32]),
  storeI32,
  step(ROW, get(BYTES)),
  step(OUT, i32(4)),
  [...get(COUNT), ...i32(1), ...subI32, 0x22, COUNT, ...branchIf(0)],
)
