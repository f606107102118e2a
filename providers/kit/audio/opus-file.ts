import { OpusDecoder } from 'opus-decoder'
import { AudioError, mixToMono } from './sound.ts'
import type { DecodedAudio } from './sound.ts'
import { webmFrames } from './webm-frames.ts'

const OPUS_RATE = 48_000

/** Sound of an Ogg file with Opus inside; null when it holds another coding. Throws `AudioError`. */
export async function decodeOggOpus(bytes: Buffer): Promise<DecodedAudio | null> {
  const { packets, lastGranule } = oggPackets(bytes)
  const head = packets[0]
  if (head === undefined || !isOpusHead(head)) return null
  return decodePackets('ogg-opus', head, packets.slice(2), lastGranule)
}

/** Sound of a WebM file with Opus inside, as browsers record it; null when it holds another coding. Throws `AudioError`. */
export async function decodeWebmOpus(bytes: Buffer): Promise<DecodedAudio | null> {
  const { codec, codecPrivate, frames } = webmFrames(bytes)
  if (codec !== 'A_OPUS' || codecPrivate === null) return null
  return decodePackets('webm-opus', codecPrivate, frames, null)
}

async function decodePackets(
  format: string,
  head: Uint8Array,
  packets: Uint8Array[],
  lastGranule: number | null,
): Promise<DecodedAudio> {
  const view = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  const channels = view[9]!
  const preSkip = view.readUInt16LE(10)
  const gain = 10 ** (view.readInt16LE(16) / 256 / 20)
  const hasTable = view[18] !== 0
  const decoder = new OpusDecoder({
    channels,
    preSkip: 0,
    ...(hasTable
      ? {
          streamCount: view[19]!,
          coupledStreamCount: view[20]!,
          channelMappingTable: [...view.subarray(21, 21 + channels)],
        }
      : {}),
  })
  await decoder.ready
  try {
    const { channelData, samplesDecoded, errors } = decoder.decodeFrames(packets)
    if (errors.length > 0 && errors.length >= packets.length / 2) {
      throw new AudioError(
        'audio_undecodable',
        `the Opus stream is damaged: ${errors.length} of ${packets.length} packets`,
      )
    }
    const end = lastGranule === null ? samplesDecoded : Math.min(samplesDecoded, lastGranule)
    const samples = mixToMono(channelData).slice(Math.min(preSkip, end), end)
    if (gain !== 1) samples.forEach((value, i) => (samples[i] = value * gain))
    return { sound: { samples, sampleRate: OPUS_RATE }, format, channels }
  } finally {
    decoder.free()
  }
}

function isOpusHead(packet: Uint8Array): boolean {
  return packet.length >= 19 && Buffer.from(packet.subarray(0, 8)).toString('latin1') === 'OpusHead'
}

/** Packets of the first logical stream of an Ogg file, and the sample position after the last. */
interface OggPackets {
  packets: Uint8Array[]
  /** Null when no page states one. */
  lastGranule: number | null
}

const HEADER_BYTES = 27

/** Splits the pages of an Ogg file into packets; a page that is cut off ends the file. */
function oggPackets(bytes: Buffer): OggPackets {
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
