/** Bits that a number needs; none for 0. */
export function bitsFor(max: number): number {
  return 32 - Math.clz32(max)
}

/** Unsigned fields of up to 25 bits at any bit of a byte array, the lowest bit first; four spare bytes must follow the last field. */
export class BitFields {
  readonly #view: DataView

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  read(bit: number, width: number): number {
    return (this.#view.getUint32(Math.floor(bit / 8), true) >>> (bit % 8)) & ((1 << width) - 1)
  }

  /** Where nothing but zeros was written before. */
  write(bit: number, value: number): void {
    const byte = Math.floor(bit / 8)
    this.#view.setUint32(byte, (this.#view.getUint32(byte, true) | (value << (bit % 8))) >>> 0, true)
  }
}
