import { createRequire } from 'node:module'
import { AudioError, fromPcm16, mixToMono } from './sound.ts'
import type { DecodedAudio } from './sound.ts'

interface Mp3Library {
  newDecoder: (bytes: ArrayBuffer) => { sampleRate: number; decode(): ArrayBuffer } | null
}

const require = createRequire(import.meta.url)
const MPEG_1_LAYER_3 = 0b11_01
const MONO = 3

/**
 * Sound of an MP3 file; null for the low-rate kinds (MPEG-2 and 2.5) and the other layers, which the bundled decoder does not know.
 * Throws `AudioError` when nothing in the file is a frame.
 */
export function decodeMp3(bytes: Buffer): DecodedAudio | null {
  const header = firstFrame(bytes)
  if (header === null) throw new AudioError('audio_undecodable', 'the MP3 file has no frame')
  if (header.kind !== MPEG_1_LAYER_3) return null
  const { newDecoder } = require('js-mp3') as Mp3Library
  // The library wants a buffer of its own.
  const decoder = newDecoder(new Uint8Array(bytes.subarray(header.at)).buffer)
  if (decoder === null) return null
  const pcm = fromPcm16(new Int16Array(decoder.decode()))
  const channels = header.mode === MONO ? 1 : 2
  return {
    sound: {
      samples: channels === 1 ? pcm : mixToMono([everyOther(pcm, 0), everyOther(pcm, 1)]),
      sampleRate: decoder.sampleRate,
    },
    format: 'mp3',
    channels,
  }
}

function everyOther(interleaved: Float32Array, offset: number): Float32Array {
  return Float32Array.from({ length: Math.floor(interleaved.length / 2) }, (_, i) => interleaved[2 * i + offset]!)
}

/** Place and kind of the first frame behind any ID3v2 tag. */
function firstFrame(bytes: Buffer): { at: number; kind: number; mode: number } | null {
  let at = 0
  if (bytes.toString('latin1', 0, 3) === 'ID3' && bytes.length > 10) {
    at = 10 + ((bytes[6]! << 21) | (bytes[7]! << 14) | (bytes[8]! << 7) | bytes[9]!)
  }
  for (const end = Math.min(bytes.length - 4, at + 65_536); at < end; at += 1) {
    if (bytes[at] !== 0xff || (bytes[at + 1]! & 0xe0) !== 0xe0) continue
    const kind = (bytes[at + 1]! >> 1) & 0b11_11
    const isFrame =
      (kind & 0b11) !== 0 && kind >> 2 !== 1 && bytes[at + 2]! >> 4 !== 15 && ((bytes[at + 2]! >> 2) & 3) !== 3
    if (isFrame) return { at, kind, mode: bytes[at + 3]! >> 6 }
  }
  return null
}
