import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { decodeAudio } from './decode-audio.ts'
import { decodeInWorker } from './decode-in-worker.ts'
import { encodeAudio } from './encode-audio.ts'
import { resample } from './resample.ts'
import { durationSeconds, mixToMono, type Sound } from './sound.ts'
import { suiteFolder } from '../../../tests/helpers/temporary-folder.ts'

const FIXTURES = join(import.meta.dirname, '../../../tests/fixtures/audio')
const fixture = (name: string) => readFile(join(FIXTURES, name))

/** Every fixture is 0.6 s of 440 Hz at half of full scale. */
function measure(sound: Sound): { seconds: number; hertz: number; level: number } {
  const { samples, sampleRate } = sound
  const middle = samples.subarray(Math.floor(samples.length * 0.25), Math.floor(samples.length * 0.75))
  let crossings = 0
  for (let i = 1; i < middle.length; i += 1) if (middle[i - 1]! < 0 && middle[i]! >= 0) crossings += 1
  const level = Math.sqrt(2 * (middle.reduce((sum, value) => sum + value * value, 0) / middle.length))
  return { seconds: durationSeconds(sound), hertz: (crossings * sampleRate) / middle.length, level }
}

function tone(sampleRate: number, seconds = 0.6, hertz = 440): Sound {
  const samples = Float32Array.from({ length: sampleRate * seconds }, (_, i) => {
    return 0.5 * Math.sin((2 * Math.PI * hertz * i) / sampleRate)
  })
  return { samples, sampleRate }
}

const hasFfmpeg = (() => {
  try {
    execFileSync('ffmpeg', ['-version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

describe('decodeAudio', () => {
  it.each([
    ['tone-8bit.wav', 'wav', 1],
    ['tone-24bit.wav', 'wav', 2],
    ['tone-float.wav', 'wav', 2],
    ['tone-mulaw.wav', 'wav', 1],
    ['tone-alaw.wav', 'wav', 1],
    ['tone-24bit.flac', 'flac', 2],
    ['tone-44k-stereo.mp3', 'mp3', 2],
    ['tone-44k-mono.mp3', 'mp3', 1],
    ['tone.opus', 'ogg-opus', 2],
    ['tone.webm', 'webm-opus', 1],
  ])('reads %s', async (name, format, channels) => {
    const decoded = await decodeAudio(await fixture(name), 10)
    expect([decoded.format, decoded.channels]).toEqual([format, channels])
    const { seconds, hertz, level } = measure(decoded.sound)
    // MP3 pads its frames; the others keep the length.
    expect(Math.abs(seconds - 0.6)).toBeLessThan(format === 'mp3' ? 0.09 : 0.02)
    expect(Math.abs(hertz - 440)).toBeLessThan(6)
    expect(Math.abs(level - 0.5)).toBeLessThan(0.03)
  })

  it.skipIf(!hasFfmpeg).each(['tone.m4a', 'tone-16k.mp3', 'tone-adpcm.wav'])('reads %s with ffmpeg', async (name) => {
    const { hertz, level } = measure((await decodeAudio(await fixture(name), 10)).sound)
    expect(Math.abs(hertz - 440)).toBeLessThan(6)
    expect(Math.abs(level - 0.5)).toBeLessThan(0.03)
  })

  describe.skipIf(!hasFfmpeg)('by an ffmpeg that can seek', () => {
    const folder = suiteFolder('audio')

    /** Twenty seconds of 440 Hz as ffmpeg itself writes them. */
    const record = async (name: string) => {
      const file = join(folder, name)
      execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'sine=frequency=440:duration=20', file])
      return { file, bytes: await readFile(file) }
    }

    it('reads what has its table of contents at the end', async () => {
      const { bytes } = await record('note.m4a')
      expect(bytes.indexOf('moov')).toBeGreaterThan(bytes.indexOf('mdat') + 100_000)
      const { seconds, hertz } = measure((await decodeAudio(bytes, 30)).sound)
      expect(Math.abs(seconds - 20)).toBeLessThan(0.1)
      expect(Math.abs(hertz - 440)).toBeLessThan(1)
      await expect(decodeAudio(bytes, 10)).rejects.toMatchObject({ code: 'audio_too_long' })
    })

    it('keeps the sound of two channels that are turned against each other', async () => {
      const file = join(folder, 'inverted.m4a')
      const inverted = 'sine=frequency=440:duration=2,pan=stereo|c0=c0|c1=-1*c0'
      execFileSync('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', inverted, file])
      const { hertz, level } = measure((await decodeAudio(await readFile(file), 30)).sound)
      expect(Math.abs(hertz - 440)).toBeLessThan(6)
      expect(level).toBeGreaterThan(0.05)
    })

    it('opens no file that a playlist names', async () => {
      const { file } = await record('note.ts')
      const playlist = (name: string) =>
        Buffer.from(`#EXTM3U\n#EXT-X-TARGETDURATION:20\n#EXTINF:20,\n${name}\n#EXT-X-ENDLIST\n`)
      for (const name of [`file:${file}`, `cache:file:${file}`, file]) {
        await expect(decodeAudio(playlist(name), 30)).rejects.toMatchObject({
          code: 'audio_undecodable',
          message: expect.stringMatching(/^no sound could be read: ffmpeg reports: Invalid data/),
        })
      }
    })

    it('does not report how it looked for the end where nothing else is reported', async () => {
      const header = (await fixture('tone-adpcm.wav')).subarray(0, 94)
      await expect(decodeAudio(header, 10)).rejects.toThrow('no sound could be read: the format is unknown')
    })
  })

  it('names the missing program for what only it reads', async () => {
    const path = process.env['PATH']
    process.env['PATH'] = '/nowhere'
    try {
      await expect(decodeAudio(await fixture('tone.m4a'), 10)).rejects.toThrow(
        /expected WAV, FLAC.*need the program ffmpeg/,
      )
    } finally {
      process.env['PATH'] = path
    }
  })

  it('refuses with a reason what is empty, cut, no sound or too long', async () => {
    const flac = await fixture('tone-24bit.flac')
    const damaged = Buffer.from(flac)
    damaged.fill(0x55, flac.length >> 1)
    const wav = (await encodeAudio(tone(8000), 'wav'))!.bytes
    const codes = [Buffer.alloc(0), damaged, Buffer.from('RIFF1234WAVEfmt '), wav.subarray(0, 44), wav].map(
      (bytes, i) =>
        decodeAudio(bytes, i === 4 ? 0.1 : 10).then(
          () => 'read',
          (error: unknown) => (error as { code: string }).code,
        ),
    )
    expect(await Promise.all(codes)).toEqual([
      'audio_empty',
      'audio_undecodable',
      'audio_undecodable',
      'audio_empty',
      'audio_too_long',
    ])
  })

  it.each([NaN, Infinity, -Infinity])('refuses a float recording with %d in it and names the place', async (value) => {
    const wav = Buffer.from(await fixture('tone-float.wav'))
    const [channels, rate] = [wav.readUInt16LE(22), wav.readUInt32LE(24)]
    const data = wav.indexOf('data') + 8
    wav.writeFloatLE(value, data + (Math.round(0.25 * rate) * channels + 1) * 4)
    await expect(decodeAudio(wav, 10)).rejects.toMatchObject({
      code: 'audio_undecodable',
      message: 'the audio file is damaged: at 0.250 s it has a sample that is not a finite number',
    })
  })

  it('reads a recording whose lengths were never filled in', async () => {
    const wav = (await encodeAudio(tone(8000), 'wav'))!.bytes
    wav.writeUInt32LE(0xffffffff, 4)
    wav.writeUInt32LE(0xffffffff, 40)
    expect(durationSeconds((await decodeAudio(wav, 10)).sound)).toBeCloseTo(0.6, 3)
  })

  it('works beside the event loop and gives the rate that was asked for', async () => {
    const bytes = await fixture('tone.opus')
    const { sound, sourceRate } = await decodeInWorker(
      { bytes, maxSeconds: 10, sampleRate: 16_000 },
      new AbortController().signal,
    )
    expect([sound.sampleRate, sourceRate]).toEqual([16_000, 48_000])
    expect(Math.abs(measure(sound).hertz - 440)).toBeLessThan(6)
  })
})

it.each(['wav', 'flac'] as const)('encodeAudio writes %s that reads back to the sample', async (format) => {
  const sound = tone(16_000)
  const { bytes } = (await encodeAudio(sound, format))!
  const back = (await decodeAudio(bytes, 10)).sound
  expect([back.sampleRate, back.samples.length]).toEqual([sound.sampleRate, sound.samples.length])
  const worst = sound.samples.reduce((most, value, i) => Math.max(most, Math.abs(value - back.samples[i]!)), 0)
  expect(worst).toBeLessThanOrEqual(0.5 / 32_768)
})

it('resample keeps what the new rate can carry and takes out what would fold', () => {
  const kept = measure(resample(tone(48_000), 16_000))
  expect(Math.abs(kept.level - 0.5)).toBeLessThan(0.002)
  const folded = resample(tone(48_000, 0.6, 11_000), 16_000).samples.subarray(1000, 8000)
  expect(Math.max(...folded)).toBeLessThan(0.001)
  expect(Math.abs(measure(resample(tone(16_000), 48_000)).level - 0.5)).toBeLessThan(0.002)
})

it('the mix of two channels is their mean, and the louder one where they cancel each other out', () => {
  const tone = Float32Array.from({ length: 4800 }, (_, at) => 0.4 * Math.sin(at / 17))
  const half = tone.map((sample) => sample / 2)
  expect(mixToMono([tone, tone])[100]).toBeCloseTo(tone[100]!, 5)
  expect(mixToMono([tone, half])[100]).toBeCloseTo(tone[100]! * 0.75, 5)
  expect(mixToMono([tone, tone.map((sample) => -0.95 * sample)]) === tone).toBe(true)
  expect(mixToMono([half.map((sample) => -1.9 * sample), tone]) === tone).toBe(true)
  expect(mixToMono([new Float32Array(4800), tone])[100]).toBeCloseTo(tone[100]! / 2, 5)
})
