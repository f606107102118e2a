import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ClipVerdict, ClonedVoice, ClonedVoices, SpeechModel } from '../../contract/http/speech.ts'
import { decodeAudio } from '../kit/audio/decode-audio.ts'
import { durationSeconds, type Sound } from '../kit/audio/sound.ts'
import { encodeWav } from '../kit/audio/wav-file.ts'
import type { RunningService } from '../kit/run-service.ts'
import { loadTtsConfig } from './config.ts'
import { medianPitch, trackPitch } from './signal/pitch.ts'
import { startTts } from './tts-service.ts'
import { suiteFolder } from '../../tests/helpers/temporary-folder.ts'

const folder = suiteFolder('tts')
let service: RunningService
let voiceService: RunningService
beforeAll(async () => {
  const env = { RAG_LADDER_STATE_DIR: folder, PORT: '0', TTS_LOG_LEVEL: 'silent' }
  service = await startTts(loadTtsConfig(env))
  voiceService = await startTts(loadTtsConfig({ ...env, TTS_PROVIDER_SOURCE: 'ttsvoice-localhost' }))
})
afterAll(() => Promise.all([service.close(), voiceService.close()]))

async function speak(body: object | FormData, base = service.url, path = '/v1/audio/speech') {
  const isForm = body instanceof FormData
  const answer = await fetch(`${base}${path}`, {
    method: 'POST',
    body: isForm ? body : JSON.stringify(body),
    ...(isForm ? {} : { headers: { 'content-type': 'application/json' } }),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  const type = answer.headers.get('content-type')!
  return {
    status: answer.status,
    type,
    bytes,
    json: type.includes('json') ? (JSON.parse(bytes.toString()) as unknown) : null,
  }
}

const sound = async (bytes: Buffer): Promise<Sound> => (await decodeAudio(bytes, 600)).sound
const level = ({ samples }: Sound) => Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length)
const form = (fields: Record<string, string | Blob>) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  return data
}
const clipOf = async (voice: string) => {
  const input = 'When the sunlight strikes raindrops in the air, they act as a prism and form a rainbow.'
  return new Blob([Uint8Array.from((await speak({ input, voice })).bytes)], { type: 'audio/wav' })
}

describe('speech', () => {
  it('is WAV by default, spoken by the voice that was named', async () => {
    const male = await speak({ model: 'flite', input: 'Good morning to everybody in this house.', voice: 'kal16' })
    const female = await speak({ input: 'Good morning to everybody in this house.', voice: 'slt' })
    expect([male.status, male.type, female.status]).toEqual([200, 'audio/wav', 200])
    const sounds = [await sound(male.bytes), await sound(female.bytes)]
    for (const each of sounds) {
      expect(durationSeconds(each)).toBeGreaterThan(1.2)
      expect(durationSeconds(each)).toBeLessThan(4)
      expect(level(each)).toBeGreaterThan(0.02)
    }
    const [low, high] = sounds.map((each) => medianPitch(trackPitch(each))!)
    expect(low).toBeLessThan(130)
    expect(high).toBeGreaterThan(150)
  })

  it('keeps to speed, rate and format; the same form is taken on both paths', async () => {
    const input = 'Nine of the twelve reports describe the same campaign.'
    const plain = await sound((await speak({ input })).bytes)
    const fast = await sound((await speak({ input, speed: 1.5, response_format: 'flac' })).bytes)
    expect(durationSeconds(plain) / durationSeconds(fast)).toBeCloseTo(1.5, 0)
    const fastest = await sound((await speak({ input, speed: 4 })).bytes)
    expect(durationSeconds(plain) / durationSeconds(fastest)).toBeGreaterThan(3)
    expect((await speak({ input, speed: 4.1 })).status).toBe(422)
    const wide = await speak(form({ input, sample_rate: '24000' }), service.url, '/v1/audio/speech/upload')
    expect([wide.status, (await sound(wide.bytes)).sampleRate]).toEqual([200, 24_000])
    expect((await speak({ input, response_format: 'pcm' })).bytes.length).toBe(plain.samples.length * 2)
  })

  it('joins sentences with their pauses', async () => {
    const input = 'This is the first sentence. Dr. Smith spoke the second one! Was there a third?'
    const { samples, sampleRate } = await sound((await speak({ input })).bytes)
    const quiet = Array.from({ length: Math.floor(samples.length / 800) }, (_, i) =>
      level({ samples: samples.subarray(i * 800, (i + 1) * 800), sampleRate }) < 0.003 ? 'q' : 's',
    ).join('')
    expect(quiet.match(/sq{2,}s/g)).toHaveLength(2)
  })

  it.each([
    ['an empty text', { input: '  ' }, 422],
    ['a text of signs only', { input: '*** 🎉 ---' }, 400],
    ['an unknown format', { input: 'Hello', response_format: 'ogg' }, 422],
    ['a rate out of bounds', { input: 'Hello', sample_rate: 7999 }, 422],
    ['an unknown model', { input: 'Hello', model: 'nope/none' }, 404],
    ['an unknown voice', { input: 'Hello', voice: 'alloys' }, 404],
    ['a voice of another engine', { input: 'Hello', model: 'flite', voice: 'af_heart' }, 404],
    ['cloning without a clip', { input: 'Hello', model: 'voice-fit' }, 400],
    ['a text over the limit', { input: 'a '.repeat(20_000) }, 422],
  ])('refuses %s', async (_name, body, status) => {
    const answer = await speak(body)
    expect(answer.status).toBe(status)
    expect(answer.json).toHaveProperty('detail')
  })

  it("gives clients of OpenAI's API the first voice for the voices that they name", async () => {
    const plain = await speak({ input: 'Hello', model: 'flite' })
    for (const body of [{ voice: 'alloy' }, { voice: 'nova', model: 'flite' }]) {
      const answer = await speak({ input: 'Hello', ...body })
      expect(answer.status).toBe(200)
      expect(answer.bytes.equals(plain.bytes)).toBe(true)
    }
  })

  it('sends the same sound as server-sent events where stream_format asks for them', async () => {
    const plain = await speak({ input: 'Hello', response_format: 'pcm' })
    const answer = await speak({ input: 'Hello', response_format: 'pcm', stream_format: 'sse' })
    const events = answer.bytes
      .toString()
      .split('\n\n')
      .filter((event) => event !== '')
      .map((event) => JSON.parse(event.slice('data: '.length)) as { type: string; audio?: string })
    expect(events[0]).toEqual({
      type: 'speech.audio.info',
      response_format: 'pcm',
      sample_rate: 16_000,
      channels: 1,
    })
    expect(events.at(-1)).toMatchObject({ type: 'speech.audio.done' })
    const audio = Buffer.concat(events.slice(1, -1).map((event) => Buffer.from(event.audio!, 'base64')))
    expect(audio.equals(plain.bytes)).toBe(true)
  })

  it('reports how many letters of the text it could not speak', async () => {
    const response = await fetch(`${service.url}/v1/audio/speech`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'Tokyo is 東京.' }),
    })
    expect([response.status, response.headers.get('x-unspoken-letters')]).toEqual([200, '2'])
  })

  it('speaks thousands of dots as a pause', async () => {
    expect((await speak({ input: `a${'.'.repeat(5000)}b` })).status).toBe(200)
  })

  it('words its errors as the backend that it replaces', async () => {
    const unknown = "Voice 'unlisted' is unknown. GET /voices lists the registered ones."
    expect((await speak({ input: 'Hello', voice: 'unlisted' }, voiceService.url)).json).toEqual({
      error: {
        // Who comes with another product's voice reads which there are.
        message: `${unknown} flite has slt, rms, awb, kal16; kokoro has af_heart, af_bella, af_nicole, am_michael, am_fenrir, am_puck.`,
        type: 'voice_not_found_error',
      },
    })
    const gone = await fetch(`${voiceService.url}/voices/unlisted`, { method: 'DELETE' })
    expect(await gone.json()).toEqual({ error: { message: unknown, type: 'voice_not_found_error' } })
    expect((await speak({ input: '' }, voiceService.url)).json).toHaveProperty('detail')
  })
})

it('the list of models has what is installed with its description, and the state of a download', async () => {
  const get = async (path: string) => (await fetch(`${service.url}${path}`)).json() as Promise<{ data: unknown[] }>
  const models = (await get('/v1/models')).data.map((model) => SpeechModel.parse(model))
  expect(models.map(({ id }) => id)).toEqual(expect.arrayContaining(['flite', 'voice-fit']))
  expect(SpeechModel.parse(await get('/v1/models/flite')).voices.map(({ id }) => id)).toEqual([
    'slt',
    'rms',
    'awb',
    'kal16',
  ])
  const there = await fetch(`${service.url}/v1/models/flite`, { method: 'POST' })
  expect([there.status, await there.text()]).toEqual([201, "Model 'flite' already exists"])
  expect((await fetch(`${service.url}/v1/models/a/b`)).status).toBe(404)
  expect((await fetch(`${service.url}/v1/models/flite`, { method: 'DELETE' })).status).toBe(400)
  expect(await get('/health')).toMatchObject({ status: 'healthy', message: 'OK' })
  expect(await get('/languages')).toEqual({ languages: [{ code: 'en', name: 'English' }], count: 1 })
})

describe('voices', () => {
  it('registers a clip, speaks like it, renames it and really deletes it', async () => {
    const clip = await clipOf('slt')
    const fields = {
      name: 'Ana Müller',
      file: clip,
      consent: 'agreed on tape',
      license: 'CC-BY-4.0',
      provenance: 'own voice',
    }
    const made = await fetch(`${service.url}/voices`, { method: 'POST', body: form(fields) })
    expect(made.status).toBe(201)
    const { voice } = (await made.json()) as { voice: unknown }
    expect(ClonedVoice.parse(voice)).toMatchObject({
      name: 'Ana Müller',
      consent: 'agreed on tape',
      license: 'CC-BY-4.0',
    })
    const again = await fetch(`${service.url}/voices`, { method: 'POST', body: form(fields) })
    expect([again.status, await again.json()]).toEqual([
      409,
      { error: { message: "Voice 'Ana Müller' already exists", type: 'voice_exists_error' } },
    ])

    const named = await sound((await speak({ input: 'Nine of the twelve reports agree.', voice: 'ana müller' })).bytes)
    const wanted = ClonedVoice.parse(voice).median_f0_hz!
    expect(Math.abs(medianPitch(trackPitch(named))! / wanted - 1)).toBeLessThan(0.05)
    const inline = await speak(
      form({ input: 'Nine of the twelve reports agree.', voice: 'unlisted', voice_file: clip }),
    )
    expect(inline.status).toBe(200)

    const path = `${service.url}/voices/${encodeURIComponent('Ana Müller')}`
    const renamed = await fetch(path, {
      method: 'PUT',
      body: JSON.stringify({ new_name: 'Ana' }),
      headers: { 'content-type': 'application/json' },
    })
    expect(renamed.status).toBe(200)
    expect((await fetch(path)).status).toBe(404)
    const download = await fetch(`${service.url}/voices/Ana/download`)
    expect((await sound(Buffer.from(await download.arrayBuffer()))).samples.length).toBeGreaterThan(16_000)
    expect(ClonedVoices.parse(await (await fetch(`${service.url}/voices`)).json()).count).toBe(1)

    expect(await readdir(join(folder, 'voices'))).toHaveLength(1)
    expect((await fetch(`${service.url}/voices/Ana`, { method: 'DELETE' })).status).toBe(200)
    expect(await readdir(join(folder, 'voices'))).toEqual([])
    expect((await speak({ input: 'Hello', voice: 'Ana' })).status).toBe(404)
  })

  it.each(['.', '..', 'a/b', 'a\\b', 'a\u0007b'])(
    'refuses the voice name %j, which no address can carry',
    async (name) => {
      const body = form({ name, file: await clipOf('slt') })
      expect((await fetch(`${service.url}/voices`, { method: 'POST', body })).status).toBe(422)
    },
  )

  it('refuses the name of a built-in voice', async () => {
    const body = form({ name: 'RMS', file: await clipOf('slt') })
    const answer = await fetch(`${service.url}/voices`, { method: 'POST', body })
    expect([answer.status, await answer.json()]).toEqual([
      409,
      { error: { message: "Voice 'RMS' is built in. Choose another name.", type: 'voice_exists_error' } },
    ])
  })

  it('takes the other product’s field names and judges a clip before it is kept', async () => {
    const noise = {
      samples: Float32Array.from({ length: 64_000 }, (_, i) => 0.2 * Math.sin(i * i * 0.37)),
      sampleRate: 16_000,
    }
    const file = new Blob([Uint8Array.from(encodeWav(noise))])
    const answer = await fetch(`${service.url}/voices`, {
      method: 'POST',
      body: form({ voice_name: 'Noise', voice_file: file }),
    })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { type: 'file_processing_error' } })
    const verdict = await fetch(`${service.url}/voices/check`, {
      method: 'POST',
      body: form({ file: await clipOf('rms') }),
    })
    expect(ClipVerdict.parse(await verdict.json())).toMatchObject({ ok: true })
    const garbage = await fetch(`${service.url}/voices/check`, {
      method: 'POST',
      body: form({ file: new Blob(['RIFFxxxxWAVE']) }),
    })
    expect(garbage.status).toBe(415)
    const nameless = await fetch(`${service.url}/voices`, { method: 'POST', body: form({ file }) })
    expect(nameless.status).toBe(422)
  })
})
