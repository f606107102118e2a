/**
 * Speech services on real weights, end to end over HTTP: Kokoro speaks, Whisper transcribes what Flite and Kokoro spoke. What is measured here
 * is a few sentences; `npm run bench real-speech` measures the 200 sentences of the sample.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { VerboseTranscription } from '../../contract/http/speech.ts'
import { decodeWav, encodeWav } from '../../providers/kit/audio/wav-file.ts'
import type { DeclaredModel } from '../../providers/kit/models/declared-model.ts'
import { ModelStore } from '../../providers/kit/models/model-store.ts'
import type { RunningService } from '../../providers/kit/run-service.ts'
import { loadSttConfig } from '../../providers/stt/config.ts'
import { startStt } from '../../providers/stt/stt-service.ts'
import { loadTtsConfig } from '../../providers/tts/config.ts'
import { FliteEngine } from '../../providers/tts/engines/flite/flite-engine.ts'
import { startTts } from '../../providers/tts/tts-service.ts'
import { normalizedWords } from '../helpers/normalize-english.ts'
import { declareFolder } from '../helpers/tiny-speech-models.ts'
import { wordErrors } from '../helpers/word-errors.ts'
import { writeKokoro } from './kokoro-folder.ts'
import { skipWithout } from './skip-without.ts'
import { realWeights } from './weights.ts'
import { writeWhisper } from './whisper-graphs.ts'

const whisper = await realWeights('whisper-tiny-en')
const kokoro = await realWeights('kokoro')
skipWithout(whisper)
skipWithout(kokoro)

const TEXT = 'The harbour authority records every ship that enters, and sends the list to the museum in the old town.'
const TOKEN = 't'
const signal = new AbortController().signal
let folder = ''
const services: RunningService[] = []
let speech: string
let recognition: string
const flite = new FliteEngine()

beforeAll(async () => {
  if (whisper.folder === null || kokoro.folder === null) return
  folder = await mkdtemp(join(tmpdir(), 'rag-ladder-real-speech-'))
  await writeWhisper(whisper.folder, join(folder, 'whisper'))
  const store = new ModelStore({ cacheFolder: join(folder, 'cache'), hub: 'http://127.0.0.1:9', isOffline: true })
  await writeKokoro(kokoro.folder, join(folder, 'cache', 'kokoro'))
  const declared = await declareFolder(join(folder, 'cache', 'kokoro'), 'kokoro', 'http://127.0.0.1:9')
  const none: DeclaredModel = { id: 'none', license: 'none', sourcePage: '', files: [] }
  const state = { RAG_LADDER_STATE_DIR: join(folder, 'state') }
  const tts = loadTtsConfig({ ...state, PORT: '0', TTS_LOG_LEVEL: 'silent' })
  services.push(await startTts(tts, { models: { store, kokoro: declared, chatterbox: none } }))
  speech = services[0]!.url
  const stt = loadSttConfig({
    ...state,
    STT_PORT: '0',
    STT_API_TOKEN: TOKEN,
    STT_LOG_LEVEL: 'silent',
    STT_BACKEND: 'onnx',
    STT_MODEL: 'whisper-tiny',
    STT_MODEL_DIR: join(folder, 'whisper'),
    STT_DEVICE: 'cpu',
  })
  services.push(await startStt(stt))
  recognition = services[1]!.url
  const ready = async (): Promise<void> => expect((await fetch(`${recognition}/health`)).status).toBe(200)
  await vi.waitFor(ready, { timeout: 60_000, interval: 200 })
}, 120_000)
afterAll(async () => {
  await Promise.all([...services.map((service) => service.close()), flite.close()])
  if (folder !== '') await rm(folder, { recursive: true })
})

it('Whisper transcribes a sentence of Flite with at most two wrong words of 19, and gives the times of its words in order', async () => {
  const sound = await flite.speak({ text: TEXT, voice: 'slt', speed: 1 }, signal)
  const seconds = sound.samples.length / sound.sampleRate
  const transcript = await transcribe(encodeWav(sound))
  expect(errorsOf(transcript.text)).toBeLessThanOrEqual(2)
  const starts = transcript.words!.map(({ start }) => start)
  expect(starts).toEqual(starts.toSorted((a, b) => a - b))
  expect(transcript.words!.at(-1)!.end).toBeGreaterThan(seconds - 1)
  expect(transcript.words!.at(-1)!.end).toBeLessThanOrEqual(seconds)
}, 60_000)

it('Kokoro speaks at 24 kHz with the loudness and length of speech, and Whisper transcribes it with at most one wrong word of 19', async () => {
  const reply = await fetch(`${speech}/v1/audio/speech`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'kokoro', voice: 'af_heart', input: TEXT, response_format: 'wav' }),
  })
  const wav = Buffer.from(await reply.arrayBuffer())
  expect(reply.status, wav.toString('utf8', 0, 300)).toBe(200)
  const { sampleRate, samples } = decodeWav(wav)!.sound
  expect(sampleRate).toBe(24_000)
  const seconds = samples.length / sampleRate
  const loudness = Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length)
  // 19 words: fewer than two and more than five a second would be no speech.
  expect(seconds).toBeGreaterThan(3.8)
  expect(seconds).toBeLessThan(9.5)
  expect(loudness).toBeGreaterThan(0.02)
  expect(loudness).toBeLessThan(0.3)
  const { text } = await transcribe(wav)
  expect(errorsOf(text)).toBeLessThanOrEqual(1)
}, 60_000)

const errorsOf = (text: string): number => wordErrors(normalizedWords(TEXT), normalizedWords(text))

async function transcribe(wav: Buffer): Promise<VerboseTranscription> {
  const form = new FormData()
  form.append('file', new Blob([Uint8Array.from(wav)]), 'speech.wav')
  form.append('response_format', 'verbose_json')
  form.append('timestamp_granularities[]', 'word')
  const headers = { authorization: `Bearer ${TOKEN}` }
  const reply = await fetch(`${recognition}/v1/audio/transcriptions`, { method: 'POST', body: form, headers })
  const body = await reply.text()
  expect(reply.status, body).toBe(200)
  return VerboseTranscription.parse(JSON.parse(body))
}
