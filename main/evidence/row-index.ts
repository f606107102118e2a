import { PART_HASH_BYTES } from './row-identity.ts'

const ID_BYTES = 32
const OFFSET_AT = ID_BYTES
const LENGTH_AT = OFFSET_AT + 8
const PARTS_AT = LENGTH_AT + 4

/** Bytes of one record: row id, offset, length, fingerprints of question, approach and reproducibility. */
export const RECORD_BYTES = PARTS_AT + 3 * PART_HASH_BYTES

/** Compares a multiple of four bytes; quicker than a native call for so few. */
function sameBytes(a: Buffer, atA: number, b: Buffer, atB: number, count: number): boolean {
  for (let byte = 0; byte < count; byte += 4) if (a.readInt32LE(atA + byte) !== b.readInt32LE(atB + byte)) return false
  return true
}

export interface LineRange {
  /** Byte offset of the line in the file. */
  offset: number
  /** Bytes of the line without its newline. */
  length: number
}

/**
 * The position of each row, in file order: flat memory of about 100 bytes per row, found by row id through an open hash table on
 * the first bytes of the id (it is a SHA-256, so they are evenly spread).
 */
export class RowIndex {
  #records: Buffer = Buffer.allocUnsafe(RECORD_BYTES * 256)
  #slots = new Int32Array(1024).fill(-1)
  #count = 0
  readonly #wanted = Buffer.alloc(ID_BYTES)

  get count(): number {
    return this.#count
  }

  /** Number of the row in file order; -1 when it is not there. */
  find(rowId: string): number {
    if (rowId.length !== ID_BYTES * 2 || this.#wanted.write(rowId, 'hex') !== ID_BYTES) return -1
    const ordinal = this.#slots[this.#slotOf(this.#wanted, 0)]!
    return ordinal
  }

  /** False when the row id is there already; the index is then as it was. */
  add(rowId: string, place: LineRange, parts: readonly Buffer[]): boolean {
    if (this.find(rowId) !== -1) return false
    this.#makeRoom()
    const at = this.#count * RECORD_BYTES
    this.#records.write(rowId, at, 'hex')
    this.#records.writeDoubleLE(place.offset, at + OFFSET_AT)
    this.#records.writeUInt32LE(place.length, at + LENGTH_AT)
    for (const [index, part] of parts.entries()) part.copy(this.#records, at + PARTS_AT + index * PART_HASH_BYTES)
    this.#slots[this.#slotOf(this.#records, at)] = this.#count
    this.#count += 1
    return true
  }

  rowIdOf(ordinal: number): string {
    const at = ordinal * RECORD_BYTES
    return this.#records.toString('hex', at, at + ID_BYTES)
  }

  rangeOf(ordinal: number): LineRange {
    const at = ordinal * RECORD_BYTES
    return { offset: this.#records.readDoubleLE(at + OFFSET_AT), length: this.#records.readUInt32LE(at + LENGTH_AT) }
  }

  hasPart(ordinal: number, part: number, digest: Buffer): boolean {
    const at = ordinal * RECORD_BYTES + PARTS_AT + part * PART_HASH_BYTES
    return sameBytes(this.#records, at, digest, 0, PART_HASH_BYTES)
  }

  partOf(ordinal: number, part: number): Buffer {
    const at = ordinal * RECORD_BYTES + PARTS_AT + part * PART_HASH_BYTES
    return this.#records.subarray(at, at + PART_HASH_BYTES)
  }

  /** The records from `ordinal` on, as stored in the index file. Valid until the next `add`. */
  recordsFrom(ordinal: number): Buffer {
    return this.#records.subarray(ordinal * RECORD_BYTES, this.#count * RECORD_BYTES)
  }

  /** Takes over the records of an index file. Null when a row id occurs twice in them. */
  static fromRecords(records: Buffer): RowIndex | null {
    const index = new RowIndex()
    const count = records.length / RECORD_BYTES
    index.#records = records
    index.#slots = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(512, count) * 2))).fill(-1)
    for (; index.#count < count; index.#count += 1) {
      const slot = index.#slotOf(records, index.#count * RECORD_BYTES)
      if (index.#slots[slot] !== -1) return null
      index.#slots[slot] = index.#count
    }
    return index
  }

  /** The slot that holds the id, or the free one where it belongs. */
  #slotOf(bytes: Buffer, at: number): number {
    const mask = this.#slots.length - 1
    let slot = bytes.readUInt32LE(at) & mask
    for (;;) {
      const ordinal = this.#slots[slot]!
      if (ordinal === -1) return slot
      if (sameBytes(this.#records, ordinal * RECORD_BYTES, bytes, at, ID_BYTES)) return slot
      slot = (slot + 1) & mask
    }
  }

  #makeRoom(): void {
    if ((this.#count + 1) * RECORD_BYTES > this.#records.length) {
      const grown = Buffer.allocUnsafe(Math.ceil(this.#records.length * 1.5) + RECORD_BYTES)
      this.#records.copy(grown, 0, 0, this.#count * RECORD_BYTES)
      this.#records = grown
    }
    if ((this.#count + 1) * 2 > this.#slots.length) {
      this.#slots = new Int32Array(this.#slots.length * 2).fill(-1)
      for (let ordinal = 0; ordinal < this.#count; ordinal += 1)
        this.#slots[this.#slotOf(this.#records, ordinal * RECORD_BYTES)] = ordinal
    }
  }
}
