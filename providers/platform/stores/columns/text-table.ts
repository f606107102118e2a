import { hash32 } from '../../models/builtin/language/hash.ts'
import { release, resized } from './numbers.ts'

/** Different texts by number, kept as bytes outside the heap of JavaScript: a graph has hundreds of thousands, and a question reads a few. */
export interface TextTable {
  readonly size: number
  /** The number of a text, which is added when it is new. */
  add(text: string): number
  /** The number of a text; undefined for one that is not in the table. */
  find(text: string): number | undefined
  /** Throws `RangeError` for a number that `add` did not return. */
  text(number: number): string
  /** Code units of a text. */
  lengthOf(number: number): number
  /** Frees its memory at once, where V8 would collect it much later. The table is empty after it. */
  clear(): void
}

type Ints = Int32Array<ArrayBuffer>

const PAGE_BYTES = 1024 * 1024
const FIRST_SLOTS = 4096
/** Share of slots in use above which there are twice as many. */
const FULL = 0.6
const BEYOND_LATIN_1 = /[^\u0000-\u00ff]/

/** An empty table. Texts are kept to the last code unit, one byte for each where they are Latin-1 and two where they are not. */
export function createTextTable(): TextTable {
  let pages: Buffer<ArrayBuffer>[] = []
  let used = PAGE_BYTES
  let page = new Int32Array(1024)
  let start = new Int32Array(1024)
  /** Bytes of the text; negative for two bytes a code unit. */
  let length = new Int32Array(1024)
  let hash = new Int32Array(1024)
  /** Number of a text plus one, by hash; 0 is free. */
  let slots = new Int32Array(FIRST_SLOTS)
  let size = 0

  const encodingOf = (bytes: number): 'latin1' | 'utf16le' => (bytes < 0 ? 'utf16le' : 'latin1')
  const read = (number: number): string => {
    const bytes = length[number]!
    const from = start[number]!
    return pages[page[number]!]!.toString(encodingOf(bytes), from, from + Math.abs(bytes))
  }

  /** The slot of a text, or the free one where it belongs. */
  function slotOf(text: string, hashed: number): number {
    const mask = slots.length - 1
    for (let slot = hashed & mask; ; slot = (slot + 1) & mask) {
      const number = slots[slot]! - 1
      if (number < 0 || (hash[number] === hashed && read(number) === text)) return slot
    }
  }

  function widen(): void {
    page = resized(page, 2 * size)
    start = resized(start, 2 * size)
    length = resized(length, 2 * size)
    hash = resized(hash, 2 * size)
  }

  function spread(): void {
    slots = resized(slots, 2 * slots.length).fill(0)
    const mask = slots.length - 1
    for (let number = 0; number < size; number += 1) {
      let slot = hash[number]! & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = number + 1
    }
  }

  function write(text: string): void {
    const bytes = BEYOND_LATIN_1.test(text) ? -2 * text.length : text.length
    const needed = Math.abs(bytes)
    if (used + needed > (pages.at(-1)?.length ?? 0)) {
      // Not from the pool of small buffers, which would keep its own pages.
      pages.push(Buffer.allocUnsafeSlow(Math.max(PAGE_BYTES, needed)))
      used = 0
    }
    pages.at(-1)!.write(text, used, encodingOf(bytes))
    page[size] = pages.length - 1
    start[size] = used
    length[size] = bytes
    used += needed
  }

  return {
    get size() {
      return size
    },
    add(text) {
      const hashed = hash32(text, 0) | 0
      const slot = slotOf(text, hashed)
      if (slots[slot] !== 0) return slots[slot]! - 1
      if (size === page.length) widen()
      write(text)
      hash[size] = hashed
      slots[slot] = size + 1
      size += 1
      if (size > slots.length * FULL) spread()
      return size - 1
    },
    find(text) {
      const number = slots[slotOf(text, hash32(text, 0) | 0)]! - 1
      return number < 0 ? undefined : number
    },
    text(number) {
      if (!(number >= 0 && number < size)) throw new RangeError(`no text has the number ${number}`)
      return read(number)
    },
    lengthOf(number) {
      const bytes = length[number]!
      return bytes < 0 ? -bytes / 2 : bytes
    },
    clear() {
      release(page, start, length, hash, slots)
      for (const { buffer } of pages) buffer.transfer(0)
      pages = []
      ;[page, start, length, hash] = [0, 0, 0, 0].map(() => new Int32Array(1024)) as [Ints, Ints, Ints, Ints]
      slots = new Int32Array(FIRST_SLOTS)
      size = 0
      used = PAGE_BYTES
    },
  }
}
