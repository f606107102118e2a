/**
 * Loops of WebAssembly, written out as instructions with their names: its SIMD is what JavaScript has no other access to, and a compiler for two or
 * three loops would be a heavier dependency than the loops (docs/decisions/008).
 */

// Node's types leave WebAssembly to the browser's library, which has no place in a server.
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object
  Memory: new (size: { initial: number; maximum: number }) => WasmMemory
  Instance: new (
    module: object,
    imports: Record<string, object>,
  ) => { exports: { run: (...numbers: number[]) => void } }
}

/** The bytes that a loop reads and writes. `grow` adds pages and detaches the buffer. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

export const PAGE_BYTES = 65_536
/** As many pages as 32 bits can address. */
const MOST_PAGES = 65_536

export const createMemory = (initial: number, maximum: number): WasmMemory =>
  new WebAssembly.Memory({ initial, maximum })

/** A function without a result, its parameters 32-bit numbers. */
export type CompiledLoop = object

const TYPES = { i32: 0x7f, v128: 0x7b } as const

/** Describes how many locals it has: its parameters are the first ones, then come those of each type in this order. */
type Locals = { parameters: number } & Partial<Record<keyof typeof TYPES, number>>

const EMPTY_BLOCK = 0x40
/** Lists what every module begins with: its mark and version. */
const HEADER = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]

export function compile({ parameters, ...others }: Locals, body: readonly number[]): CompiledLoop {
  const types = (['i32', 'v128'] as const).filter((type) => others[type] !== undefined)
  const locals = types.flatMap((type) => [...unsigned(others[type]!), TYPES[type]])
  return new WebAssembly.Module(
    Uint8Array.from([
      ...HEADER,
      ...section(1, [1, 0x60, parameters, ...Array<number>(parameters).fill(TYPES.i32), 0]),
      ...section(2, [1, ...name('env'), ...name('memory'), 0x02, 0x01, 0x00, ...unsigned(MOST_PAGES)]),
      ...section(3, [1, 0]),
      ...section(7, [1, ...name('run'), 0x00, 0]),
      ...section(10, [1, ...sized([types.length, ...locals, ...body, 0x0b])]),
    ]),
  )
}

/** The loop on one memory. */
export function instantiate(compiled: CompiledLoop, memory: WasmMemory): (...numbers: number[]) => void {
  return new WebAssembly.Instance(compiled, { env: { memory } }).exports.run
}

export const get = (local: number): number[] => [0x20, local]
export const set = (local: number): number[] => [0x21, local]
export const i32 = (value: number): number[] => [0x41, ...signed(value)]
export const loop = (...body: number[][]): number[] => [0x03, EMPTY_BLOCK, ...body.flat(), 0x0b]
export const branchIf = (depth: number): number[] => [0x0d, depth]
export const [addI32, subI32, lessI32] = [[0x6a], [0x6b], [0x49]]
export const storeI32 = [0x36, 2, 0]
export const simd = (opcode: number, ...immediates: number[]): number[] => [0xfd, ...unsigned(opcode), ...immediates]
export const loadV128 = (offset: number): number[] => simd(0x00, 2, offset)
export const zeroV128 = simd(0x0c, ...Array<number>(16).fill(0))
export const addI32x4 = simd(0xae)
export const step = (local: number, ...by: number[][]): number[] => [
  ...get(local),
  ...by.flat(),
  ...addI32,
  ...set(local),
]

/** LEB128, as all numbers of a module are written. */
function unsigned(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)]
}

/** LEB128 with a sign: the second highest bit of the last byte. */
function signed(value: number): number[] {
  return value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, ...signed(value >> 7)]
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
