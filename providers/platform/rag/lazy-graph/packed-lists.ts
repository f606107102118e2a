import { createNumbers, release } from '../../stores/columns/numbers.ts'

/** Lists of whole numbers from 0 on. Nearly all numbers fit into a byte, which is what they take. */
export interface PackedLists {
  readonly length: number
  add(numbers: Iterable<number>): void
  /** The list at a position. */
  at(position: number): number[]
  /** States where each list ends in `bytes`. */
  ends(): Int32Array
  bytes(): Uint8Array
  /** Frees the memory; nothing may be added or read after it. */
  clear(): void
}

/** Bits of a number in each of its bytes; the highest bit means that more follow. */
const BITS = 7
const MORE = 1 << BITS

/** No lists yet, or those that were stored. */
export function createPackedLists(stored?: { ends: Int32Array; bytes: Uint8Array<ArrayBuffer> }): PackedLists {
  const ends = createNumbers()
  for (const end of stored?.ends ?? []) ends.push(end)
  let bytes = stored?.bytes ?? new Uint8Array(1024)
  let length = stored?.bytes.length ?? 0

  const write = (number: number): void => {
    if (length + 5 > bytes.length) bytes = new Uint8Array(bytes.buffer.transfer(2 * (length + 5)))
    for (let rest = number; ; rest >>>= BITS) {
      bytes[length] = rest < MORE ? rest : (rest & (MORE - 1)) | MORE
      length += 1
      if (rest < MORE) return
    }
  }

  return {
    get length() {
      return ends.length
    },
    add(numbers) {
      for (const number of numbers) write(number)
      ends.push(length)
    },
    at(position) {
      const numbers: number[] = []
      const end = ends.at(position)
      for (let at = position === 0 ? 0 : ends.at(position - 1); at < end;) {
        let number = 0
        for (let shift = 0; ; shift += BITS) {
          const byte = bytes[at]!
          at += 1
          number |= (byte & (MORE - 1)) << shift
          if (byte < MORE) break
        }
        numbers.push(number)
      }
      return numbers
    },
    ends: () => Int32Array.from({ length: ends.length }, (_, position) => ends.at(position)),
    bytes: () => bytes.subarray(0, length),
    clear() {
      release(ends.done())
      bytes.buffer.transfer(0)
    },
  }
}
