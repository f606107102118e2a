/**
 * Dense vectors in memory and the search for the nearest ones: the one path of the vector store and of the graph engine. Vectors are of
 * unit length, so that their dot product is their cosine. Scores are exact in 32-bit arithmetic; equal vectors get equal scores.
 * docs/decisions/008 explains why the loop over all rows is WebAssembly.
 */

/** Unit vectors of one dimension, row after row. */
export interface VectorTable {
  readonly count: number
  readonly dimensions: number
  readonly bytes: number
  /** Cosine of each row with a unit vector. */
  similarities(query: Float32Array): Float32Array
  /** Cosine of one row with a unit vector. */
  similarity(query: Float32Array, row: number): number
}

/** A table that is filled row by row. Rows that were not set are zero. */
export interface FloatVectorTable extends VectorTable {
  set(row: number, vector: Float32Array): void
  /** Sets a row from the bytes of its components in hexadecimal. */
  setHex(row: number, bytes: string): void
}

/** An empty table of `count` rows. */
export function createFloatVectorTable(count: number, dimensions: number): FloatVectorTable {
  const kernel = createDotKernel(count, dimensions)
  const { rows, stride } = kernel
  const bytesOfRows = Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength)
  return {
    count,
    dimensions,
    bytes: vectorTableBytes(count, dimensions),
    set(row, vector) {
      rows.set(vector, row * stride)
    },
    setHex(row, bytes) {
      bytesOfRows.write(bytes, row * stride * rows.BYTES_PER_ELEMENT, 'hex')
    },
    similarities(query) {
      if (count === 0) return new Float32Array(0)
      kernel.query.set(query)
      // The kernel writes the next products over these.
      return kernel.dots().slice()
    },
    similarity(query, row) {
      let sum = 0
      for (let column = 0, offset = row * stride; column < dimensions; column += 1, offset += 1)
        sum += rows[offset]! * query[column]!
      return sum
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
  const bytes = (count + 1) * stride + count * 4
  const pages = Math.max(1, Math.ceil(bytes / PAGE_BYTES))
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
  compiledForBytes ??= new WebAssembly.Module(moduleOf(1, BYTE_BODY))
  const { dots } = new WebAssembly.Instance(compiledForBytes, { env: { memory } }).exports as { dots: DotsFunction }
  const query = new Int8Array(memory.buffer, 0, stride)
  const rows = new Int8Array(memory.buffer, stride, count * stride)
  const out = new Int32Array(memory.buffer, stride * (count + 1), count)
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
    similarity(vector, row) {
      let sum = 0
      for (let column = 0, offset = row * stride; column < dimensions; column += 1, offset += 1)
        sum += rows[offset]! * vector[column]!
      return sum * scales[row]!
    },
  }
}

/** Positions of the `limit` highest scores above a floor, best first, equal ones by position. */
export function highest(scores: ArrayLike<number>, limit: number, floor = 0): number[] {
  const best: number[] = []
  for (let index = 0; index < scores.length; index += 1) {
    const score = scores[index]!
    if (score <= floor || (best.length === limit && score <= scores[best.at(-1)!]!)) continue
    let position = best.length
    while (position > 0 && scores[best[position - 1]!]! < score) position -= 1
    best.splice(position, 0, index)
    if (best.length > limit) best.pop()
  }
  return best
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
 * Written out as instructions because a compiler for one loop would be a heavier dependency than the loop.
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
const PAGE_BYTES = 65_536

const strideOf = (dimensions: number): number => Math.ceil(dimensions / STEP) * STEP

/** Bytes that a table of so many vectors takes. */
export const vectorTableBytes = (count: number, dimensions: number): number =>
  ((count + 1) * strideOf(dimensions) + count) * 4

/** A kernel with room for `count` vectors, all zero. */
export function createDotKernel(count: number, dimensions: number): DotKernel {
  const stride = strideOf(dimensions)
  const pages = Math.max(1, Math.ceil(vectorTableBytes(count, dimensions) / PAGE_BYTES))
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
  compiled ??= new WebAssembly.Module(moduleOf(SUMS.length, BODY))
  const { dots } = new WebAssembly.Instance(compiled, { env: { memory } }).exports as { dots: DotsFunction }
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

// Node's types leave WebAssembly to the browser's library, which has no place in a server.
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Memory: new (size: { initial: number; maximum: number }) => { buffer: ArrayBuffer }
  Instance: new (module: object, imports: Record<string, object>) => { exports: object }
}

type DotsFunction = (query: number, row: number, out: number, count: number, strideBytes: number) => void
let compiled: object | null = null
let compiledForBytes: object | null = null

const I32 = 0x7f
const V128 = 0x7b
const EMPTY_BLOCK = 0x40
const [QUERY, ROW, OUT, COUNT, BYTES, AT, SUM] = [0, 1, 2, 3, 4, 5, 6] as const
const SUMS = [SUM, SUM + 1, SUM + 2, SUM + 3]

const get = (local: number): number[] => [0x20, local]
const set = (local: number): number[] => [0x21, local]
const i32 = (value: number): number[] => [0x41, value]
const loop = (...body: number[][]): number[] => [0x03, EMPTY_BLOCK, ...body.flat(), 0x0b]
const branchIf = (depth: number): number[] => [0x0d, depth]
const [addI32, subI32, lessI32] = [[0x6a], [0x6b], [0x49]]
const simd = (opcode: number, ...immediates: number[]): number[] => [0xfd, ...unsigned(opcode), ...immediates]
const loadV128 = (offset: number): number[] => simd(0x00, 2, offset)
const zeroV128 = simd(0x0c, ...Array<number>(16).fill(0))
const [addF32x4, mulF32x4] = [simd(0xe4), simd(0xe6)]
const laneF32 = (lane: number): number[] => simd(0x1f, lane)
const addF32 = [0x92]
const storeF32 = [0x38, 2, 0]
const step = (local: number, ...by: number[][]): number[] => [...get(local), ...by.flat(), ...addI32, ...set(local)]

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
    // 64 as signed LEB128 takes two bytes.
    step(AT, [0x41, 0xc0, 0x00]),
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

const multiplyLowI8 = simd(0x9c)
const multiplyHighI8 = simd(0x9d)
const addPairsI16 = simd(0x7e)
const addI32x4 = simd(0xae)
const laneI32 = (lane: number): number[] => simd(0x1b, lane)

/** For each row: the products of sixteen bytes at a time, added up in four lanes of 32 bits. */
const BYTE_BODY: number[] = loop(
  [...zeroV128, ...set(SUM)],
  [...i32(0), ...set(AT)],
  loop(
    ...[multiplyLowI8, multiplyHighI8].map((multiply) => [
      ...get(SUM),
      ...[ROW, QUERY].flatMap((from) => [...get(from), ...get(AT), ...addI32, ...loadV128(0)]),
      ...multiply,
      ...addPairsI16,
      ...addI32x4,
      ...set(SUM),
    ]),
    step(AT, i32(STEP)),
    [...get(AT), ...get(BYTES), ...lessI32, ...branchIf(0)],
  ),
  [...get(OUT), ...get(SUM), ...laneI32(0)],
  ...[1, 2, 3].map((lane) => [...get(SUM), ...laneI32(lane), ...addI32]),
  [0x36, 2, 0],
  step(ROW, get(BYTES)),
  step(OUT, i32(4)),
  [...get(COUNT), ...i32(1), ...subI32, 0x22, COUNT, ...branchIf(0)],
)

/** A module with one function `dots` of five numbers, with so many vector locals. */
function moduleOf(vectorLocals: number, body: number[]): Uint8Array {
  return Uint8Array.from([
    0x00,
    0x61,
    0x73,
    0x6d,
    0x01,
    0x00,
    0x00,
    0x00,
    ...section(1, [1, 0x60, 5, I32, I32, I32, I32, I32, 0]),
    // A memory with at most as many pages as 32 bits can address.
    ...section(2, [1, ...name('env'), ...name('memory'), 0x02, 0x01, 0x00, ...unsigned(65_536)]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...name('dots'), 0x00, 0]),
    ...section(10, [1, ...sized([2, 1, I32, vectorLocals, V128, ...body, 0x0b])]),
  ])
}

function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]
}

function sized(bytes: number[]): number[] {
  return [...unsigned(bytes.length), ...bytes]
}

function section(id: number, bytes: number[]): number[] {
  return [id, ...sized(bytes)]
}

function name(text: string): number[] {
  return sized([...Buffer.from(text)])
}
