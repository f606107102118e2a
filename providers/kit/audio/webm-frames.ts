/** Frames of the first audio track of a WebM or Matroska file. */
export interface WebmFrames {
  /** As in `A_OPUS`; null when the file has no audio track. */
  codec: string | null
  codecPrivate: Uint8Array | null
  frames: Uint8Array[]
}

interface Track {
  number: number
  type: number
  codec: string
  codecPrivate: Uint8Array | null
}

const ID = {
  segment: 0x18538067,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codecId: 0x86,
  codecPrivate: 0x63a2,
  cluster: 0x1f43b675,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
}
const MASTERS = new Set([ID.segment, ID.tracks, ID.trackEntry, ID.cluster, ID.blockGroup])
const AUDIO = 2

/** Reads the file as recorders write it, also with segments and clusters of unknown length; what is cut off at the end is left out. */
export function webmFrames(bytes: Buffer): WebmFrames {
  const tracks: Track[] = []
  const frames: Uint8Array[] = []
  const chosen = () => tracks.find((track) => track.type === AUDIO)
  for (let at = 0; at < bytes.length;) {
    const id = readVint(bytes, at, true)
    const size = id === null ? null : readVint(bytes, at + id.length, false)
    if (id === null || size === null) break
    const from = at + id.length + size.length
    // Masters are entered, not skipped: their children follow one another in the file whatever length was written.
    if (MASTERS.has(id.value)) {
      if (id.value === ID.trackEntry) tracks.push({ number: 0, type: 0, codec: '', codecPrivate: null })
      at = from
      continue
    }
    const data = bytes.subarray(from, from + size.value)
    if (data.length < size.value) break
    const track = tracks.at(-1)
    if (track !== undefined) readTrackField(track, id.value, data)
    if (id.value === ID.simpleBlock || id.value === ID.block) frames.push(...blockFrames(data, chosen()?.number ?? 1))
    at = from + size.value
  }
  return { codec: chosen()?.codec ?? null, codecPrivate: chosen()?.codecPrivate ?? null, frames }
}

function readTrackField(track: Track, id: number, data: Buffer): void {
  if (id === ID.trackNumber) track.number = data.readUIntBE(0, data.length)
  else if (id === ID.trackType) track.type = data.readUIntBE(0, data.length)
  else if (id === ID.codecId) track.codec = data.toString('latin1')
  else if (id === ID.codecPrivate) track.codecPrivate = data
}

function blockFrames(block: Buffer, trackNumber: number): Uint8Array[] {
  const track = readVint(block, 0, false)
  if (track === null || track.value !== trackNumber) return []
  const flags = block[track.length + 2] ?? 0
  // Laced blocks hold several frames; no recorder writes them for Opus.
  return (flags & 0b110) === 0 ? [block.subarray(track.length + 3)] : []
}

/** An EBML number; identifiers keep their length marker. */
function readVint(bytes: Buffer, at: number, isId: boolean): { value: number; length: number } | null {
  const first = bytes[at]
  if (first === undefined || first === 0) return null
  const length = Math.clz32(first) - 23
  if (at + length > bytes.length) return null
  let value = isId ? first : first & (0xff >> length)
  let isUnknown = !isId && value === 0xff >> length
  for (let i = 1; i < length; i += 1) {
    value = value * 256 + bytes[at + i]!
    isUnknown &&= bytes[at + i] === 0xff
  }
  return { value: isUnknown ? Number.MAX_SAFE_INTEGER : value, length }
}
