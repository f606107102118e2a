/** Packets of the first logical stream of an Ogg file, and the sample position after the last. */
export interface OggPackets {
  packets: Uint8Array[]
  /** Null when no page states one. */
  lastGranule: number | null
}

const HEADER_BYTES = 27

/** Splits the pages of an Ogg file into packets; a page that is cut off ends the file. */
export function oggPackets(bytes: Buffer): OggPackets {
  const packets: Uint8Array[] = []
  let parts: Buffer[] = []
  let lastGranule: number | null = null
  let serial: number | null = null
  for (let at = 0; at + HEADER_BYTES <= bytes.length && bytes.toString('latin1', at, at + 4) === 'OggS';) {
    const segments = bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + bytes[at + 26]!)
    const size = segments.reduce((sum, length) => sum + length, 0)
    let from = at + HEADER_BYTES + bytes[at + 26]!
    if (from + size > bytes.length) break
    serial ??= bytes.readUInt32LE(at + 14)
    const isOurs = bytes.readUInt32LE(at + 14) === serial
    const granule = bytes.readBigInt64LE(at + 6)
    if (isOurs && granule >= 0n) lastGranule = Number(granule)
    for (const length of segments) {
      if (isOurs) parts.push(bytes.subarray(from, from + length))
      from += length
      // A segment of 255 bytes goes on in the next one.
      if (length < 255 && isOurs) {
        packets.push(parts.length === 1 ? parts[0]! : Buffer.concat(parts))
        parts = []
      }
    }
    at = from
  }
  return { packets, lastGranule }
}
