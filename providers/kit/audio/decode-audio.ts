import { decodeWithFfmpeg } from './ffmpeg.ts'
import { decodeFlac } from './flac-file.ts'
import { decodeMp3 } from './mp3-file.ts'
import { decodeOggOpus, decodeWebmOpus } from './opus-file.ts'
import { AudioError, durationSeconds } from './sound.ts'
import type { DecodedAudio, Sound } from './sound.ts'
import { decodeWav } from './wav-file.ts'

/** Reads without help from the system. */
export const BUILTIN_FORMATS = 'WAV, FLAC, MP3 (MPEG-1), Ogg Opus and WebM Opus'

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
      `this file is none of ${BUILTIN_FORMATS}; to read what else it may be takes the program ffmpeg, which is not installed`,
    )
  }
  const seconds = durationSeconds(decoded.sound)
  if (seconds === 0) throw new AudioError('audio_empty', 'the audio file holds no sound')
  if (seconds > maxSeconds) {
    throw new AudioError('audio_too_long', `the audio lasts ${Math.round(seconds)} s; at most ${maxSeconds} s are read`)
  }
  requireFinite(decoded.sound)
  return decoded
}

/** Codings with floats can hold what is no finite number: one such sample would spoil every figure of the sound. */
function requireFinite({ samples, sampleRate }: Sound): void {
  const at = samples.findIndex((sample) => !Number.isFinite(sample))
  if (at < 0) return
  const place = `${(at / sampleRate).toFixed(3)} s`
  throw new AudioError(
    'audio_undecodable',
    `the audio file is damaged: at ${place} it has a sample that is no finite number`,
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
