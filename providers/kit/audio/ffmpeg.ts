import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { programEnvironment } from '../../../core/program-environment.ts'
import { AudioError, hasLost, loudness, toPcm16 } from './sound.ts'
import type { DecodedAudio, Sound } from './sound.ts'

const RATE = 48_000

/**
 * A recording of a telephone has its table of contents at the end, and a pipe cannot be sought in. The cache keeps what came in a file that has no
 * name once it is open: an abort leaves no file, and the protocol of files stays off the list, so that a playlist opens nothing.
 */
const SEEKABLE_INPUT = ['-protocol_whitelist', 'cache,pipe', '-read_ahead_limit', '-1', '-i', 'cache:pipe:0']

/** Sound of anything that the system's `ffmpeg` reads; null where that program is not installed. Throws `AudioError`. */
export async function decodeWithFfmpeg(bytes: Buffer, maxSeconds: number): Promise<DecodedAudio | null> {
  // Channels are averaged, as elsewhere here; its own rule would raise the level.
  const mix = await decodedBy(bytes, maxSeconds, `aresample=${RATE}:ochl=mono:rematrix_maxval=1.0`)
  if (mix === null || loudness(mix) > FAINT) return decoded(mix)
  const first = await decodedBy(bytes, maxSeconds, `pan=mono|c0=c0,aresample=${RATE}`)
  return decoded(first !== null && hasLost(mix, first) ? first : mix)
}

/** A mix below this may be of channels that cancel each other out. */
const FAINT = 0.01

const decoded = (samples: Float32Array | null): DecodedAudio | null =>
  samples === null ? null : { sound: { samples, sampleRate: RATE }, format: 'ffmpeg', channels: 1 }

async function decodedBy(bytes: Buffer, maxSeconds: number, filter: string): Promise<Float32Array | null> {
  const reading = ['-v', 'repeat+error', '-nostdin', ...SEEKABLE_INPUT, '-vn']
  const writing = ['-t', String(maxSeconds + 1), '-af', filter, '-f', 'f32le', 'pipe:1']
  const run = await runFfmpeg([...reading, ...writing], bytes)
  if (run === null) return null
  if (run.output.length < 4) {
    throw new AudioError('audio_undecodable', `no sound could be read: ${run.lastLine || 'the format is unknown'}`)
  }
  return new Float32Array(new Uint8Array(run.output).buffer, 0, Math.floor(run.output.length / 4))
}

const ENCODERS = {
  mp3: ['-c:a', 'libmp3lame', '-b:a', '96k', '-f', 'mp3'],
  opus: ['-c:a', 'libopus', '-b:a', '32k', '-f', 'ogg'],
  aac: ['-c:a', 'aac', '-b:a', '96k', '-f', 'adts'],
} as const

/** A format that only the system's `ffmpeg` writes. */
export type FfmpegFormat = keyof typeof ENCODERS

/** The sound as that format; null where `ffmpeg` is not installed or lacks the encoder. */
export async function encodeWithFfmpeg(sound: Sound, format: FfmpegFormat): Promise<Buffer | null> {
  const pcm = toPcm16(sound.samples)
  const reading = ['-v', 'error', '-f', 's16le', '-ar', String(sound.sampleRate), '-ac', '1', '-i', 'pipe:0']
  const run = await runFfmpeg([...reading, ...ENCODERS[format], 'pipe:1'], Buffer.from(pcm.buffer))
  return run === null || run.output.length === 0 ? null : run.output
}

async function runFfmpeg(args: string[], input: Buffer): Promise<{ output: Buffer; lastLine: string } | null> {
  // Its cache goes to the working folder where there is no /tmp.
  const child = spawn('ffmpeg', args, {
    cwd: tmpdir(),
    stdio: ['pipe', 'pipe', 'pipe'],
    env: programEnvironment(process.env),
  })
  const parts: Buffer[] = []
  let errors = ''
  child.stdout.on('data', (part: Buffer) => parts.push(part))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-2000)))
  // It may stop reading once it has seen enough.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const isThere = await new Promise<boolean>((resolve, reject) => {
    child.once('close', () => resolve(true))
    child.once('error', (error: NodeJS.ErrnoException) => (error.code === 'ENOENT' ? resolve(false) : reject(error)))
  })
  // The cache complains each time it asks a pipe for its length.
  const lines = errors.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('[cache @'))
  // The sender has no use for the way in which ffmpeg was given the file.
  const lastLine = (lines.at(-1) ?? '').replace('cache:pipe:0: ', 'ffmpeg reports: ')
  return isThere ? { output: Buffer.concat(parts), lastLine } : null
}
