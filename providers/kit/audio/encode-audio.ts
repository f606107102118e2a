import type { SpeechFormat } from '../../../contract/http/speech.ts'
import { encodeWithFfmpeg } from './ffmpeg.ts'
import { encodeFlac } from './flac-file.ts'
import type { Sound } from './sound.ts'
import { toPcm16 } from './sound.ts'
import { encodeWav } from './wav-file.ts'

/** The sound in that format, with its media type; null when the encoder, the system's `ffmpeg`, is not there. */
export async function encodeAudio(sound: Sound, format: SpeechFormat): Promise<{ bytes: Buffer; type: string } | null> {
  if (format === 'wav') return { bytes: encodeWav(sound), type: 'audio/wav' }
  if (format === 'flac') return { bytes: await encodeFlac(sound), type: 'audio/flac' }
  if (format === 'pcm') return { bytes: Buffer.from(toPcm16(sound.samples).buffer), type: 'audio/pcm' }
  const bytes = await encodeWithFfmpeg(sound, format)
  return bytes === null ? null : { bytes, type: format === 'mp3' ? 'audio/mpeg' : `audio/${format}` }
}
