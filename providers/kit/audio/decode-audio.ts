import { createRequire } from 'node:module'
import { decodeWithFfmpeg } from './ffmpeg.ts'
import { decodeFlac } from './flac-file.ts'
import { decodeOggOpus, decodeWebmOpus } from './opus-file.ts'
import { AudioError, durationSeconds, fromPcm16, mixToMono } from './sound.ts'
import type { DecodedAudio, Sound } from './sound.ts'
import { decodeWav } from './wav-file.ts'

/** Reads without help from the system. */
const BUILTIN_FORMATS = 'WAV, FLAC, MP3 (MPEG-1), Ogg Opus and WebM Opus'

/**
 * Sound of a file, known by its bytes and not by its name. What is not built in goes to the system's `ffmpeg` where there is one. Throws
 * `AudioError` for what is empty, damaged, no sound, longer than `maxSeconds` or needs a missing program.
 */
export async function decodeAudio(bytes: Buffer, maxSeconds: number): Promise<DecodedAudio> {
  if (bytes.length === 0) throw new AudioError('audio_empty', 'the audio file is empty')
  const decoded = (await decodeBuiltin(bytes)) ?? (await decodeWithFfmpeg(bytes, maxSeconds))
  if (decoded === null) {
    throw new AudioError(
      'audio_unsupported',
      `unsupported audio format: expected ${BUILTIN_FORMATS}; other formats need the program ffmpeg, which is not installed`,
    )
  }
  const seconds = durationSeconds(decoded.sound)
  if (seconds === 0) throw new AudioError('audio_empty', 'the audio file contains no sound')
  if (seconds > maxSeconds) {
    throw new AudioError('audio_too_long', `the audio lasts ${Math.round(seconds)} s; at most ${maxSeconds} s are read`)
  }
  requireFinite(decoded.sound)
  return decoded
}

/** Codings with floats can hold what is not a finite number: one such sample would spoil every figure of the sound. */
function requireFinite({ samples, sampleRate }: Sound): void {
  const at = samples.findIndex((sample) => !Number.isFinite(sample))
  if (at < 0) return
  const place = `${(at / sampleRate).toFixed(3)} s`
  throw new AudioError(
    'audio_undecodable',
    `the audio file is damaged: at ${place} it has a sample that is not a finite number`,
  )
}

async function decodeBuiltin(bytes: Buffer): Promise<DecodedAudio | null> {
  try {
    const magic = bytes.toString('latin1', 0, 4)
    if (magic === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WAVE') return decodeWav(bytes)
    if (magic === 'fLaC') return await decodeFlac(bytes)
    if (magic === 'OggS') return await decodeOggOpus(bytes)
    if (bytes.readUInt32BE(0) === 0x1a45dfa3) return await decodeWebmOpus(bytes)
    if (magic.startsWith('ID3') || isMp3Frame(bytes)) return decodeMp3(bytes)
    return null
  } catch (cause) {
    if (cause instanceof AudioError) throw cause
    throw new AudioError('audio_undecodable', 'the audio file is damaged', { cause })
  }
}

/** A frame header of layer III; AAC in ADTS looks alike but has layer 0. */
function isMp3Frame(bytes: Buffer): boolean {
  return bytes[0] === 0xff && (bytes[1]! & 0xe6) === 0xe2
}

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
function decodeMp3(bytes: Buffer): DecodedAudio | null {
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

/** Offset and kind of the first frame after any ID3v2 tag. */
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
