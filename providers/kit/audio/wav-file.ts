import { AudioError, mixToMono, toPcm16 } from './sound.ts'
import type { DecodedAudio, Sound } from './sound.ts'

const HEADER_BYTES = 44

/** A WAV file of 16-bit PCM, one channel. */
export function encodeWav(sound: Sound): Buffer {
  const pcm = toPcm16(sound.samples)
  const file = Buffer.alloc(HEADER_BYTES + pcm.byteLength)
  file.write('RIFF', 0, 'latin1')
  file.writeUInt32LE(file.length - 8, 4)
  file.write('WAVEfmt ', 8, 'latin1')
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(sound.sampleRate, 24)
  file.writeUInt32LE(sound.sampleRate * 2, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(pcm.byteLength, 40)
  Buffer.from(pcm.buffer).copy(file, HEADER_BYTES)
  return file
}

/** Sound of a WAV file: PCM of 8 to 32 bits, float, A-law, µ-law; null for the other codings. Throws `AudioError`. */
export function decodeWav(bytes: Buffer): DecodedAudio | null {
  const { format, data } = findChunks(bytes)
  const channelCount = format.readUInt16LE(2)
  const sampleRate = format.readUInt32LE(4)
  const bits = format.readUInt16LE(14)
  if (channelCount === 0 || sampleRate < 1000 || sampleRate > 768_000) {
    throw new AudioError(
      'audio_undecodable',
      `the WAV file states ${channelCount} channels of ${sampleRate} samples per second`,
    )
  }
  const read = sampleReader(codingOf(format), bits, data)
  if (read === null) return null
  const width = bits / 8
  const frames = Math.floor(data.length / (width * channelCount))
  const channels = Array.from({ length: channelCount }, (_, channel) =>
    Float32Array.from({ length: frames }, (_, frame) => read((frame * channelCount + channel) * width)),
  )
  return { sound: { samples: mixToMono(channels), sampleRate }, format: 'wav', channels: channelCount }
}

const PCM = 1
const FLOAT = 3
const A_LAW = 6
const MU_LAW = 7
const EXTENSIBLE = 0xfffe

/** The extensible kind has the coding in the first bytes of its identifier. */
function codingOf(format: Buffer): number {
  const tag = format.readUInt16LE(0)
  return tag === EXTENSIBLE && format.length >= 26 ? format.readUInt16LE(24) : tag
}

function sampleReader(coding: number, bits: number, data: Buffer): ((at: number) => number) | null {
  switch (`${coding}/${bits}`) {
    // Eight bits are unsigned in WAV, all others signed.
    case `${PCM}/8`:
      return (at) => (data[at]! - 128) / 128
    case `${PCM}/16`:
      return (at) => data.readInt16LE(at) / 2 ** 15
    case `${PCM}/24`:
      return (at) => data.readIntLE(at, 3) / 2 ** 23
    case `${PCM}/32`:
      return (at) => data.readInt32LE(at) / 2 ** 31
    case `${FLOAT}/32`:
      return (at) => data.readFloatLE(at)
    case `${FLOAT}/64`:
      return (at) => data.readDoubleLE(at)
    case `${A_LAW}/8`:
      return (at) => fromALaw(data[at]!)
    case `${MU_LAW}/8`:
      return (at) => fromMuLaw(data[at]!)
    default:
      return null
  }
}

/** ITU-T G.711. */
function fromMuLaw(code: number): number {
  const inverted = ~code & 0xff
  const magnitude = ((((inverted & 0x0f) << 3) + 0x84) << ((inverted & 0x70) >> 4)) - 0x84
  return ((inverted & 0x80) === 0 ? magnitude : -magnitude) / 2 ** 15
}

/** ITU-T G.711. */
function fromALaw(code: number): number {
  const value = code ^ 0x55
  const segment = (value & 0x70) >> 4
  const base = ((value & 0x0f) << 4) + (segment === 0 ? 8 : 0x108)
  const magnitude = segment > 1 ? base << (segment - 1) : base
  return ((value & 0x80) === 0 ? -magnitude : magnitude) / 2 ** 15
}

/** Recorders that cannot seek leave the data's length at 0 or at its largest value: the file's end is the truth then. */
function findChunks(bytes: Buffer): { format: Buffer; data: Buffer } {
  let format: Buffer | null = null
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString('latin1', at, at + 4)
    const size = bytes.readUInt32LE(at + 4)
    const content = bytes.subarray(at + 8, at + 8 + size)
    if (name === 'fmt ' && content.length >= 16) format = content
    if (name === 'data' && format !== null) return { format, data: size === 0 ? bytes.subarray(at + 8) : content }
    at += 8 + size + (size % 2)
  }
  throw new AudioError('audio_undecodable', 'the WAV file has no sound data')
}
