import { OpusDecoder } from 'opus-decoder'
import { oggPackets } from './ogg-packets.ts'
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
