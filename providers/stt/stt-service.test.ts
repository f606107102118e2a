import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ServiceModel } from '../../contract/http/service-model.ts'
import { MAX_PROMPT_CHARACTERS } from '../../contract/http/speech-prompt.ts'
import { AdvancedTranscription, TranscriptionHealth, VerboseTranscription } from '../../contract/http/speech.ts'
import { scriptedRecognizer } from '../../tests/helpers/scripted-recognizer.ts'
import { encodeWav } from '../kit/audio/wav-file.ts'
import { ModelStore } from '../kit/models/model-store.ts'
import type { Hints, Recognizer, TimedWord } from './backends/recognizer.ts'
import { openPocketsphinx } from './backends/pocketsphinx.ts'
import { loadSttConfig } from './config.ts'
import { startStt } from './stt-service.ts'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'

const HEARD: TimedWord[] = [
  { text: 'Hello', start: 0.1, end: 0.4 },
  { text: 'there.', start: 0.45, end: 0.8 },
  { text: 'Good', start: 0.9, end: 1.2 },
  { text: 'morning', start: 1.2, end: 1.7 },
]
const TOKEN = { authorization: 'Bearer t' }

const recognizer = (recognize: Recognizer['recognize']): Recognizer => scriptedRecognizer({ recognize })

async function start(open: () => Promise<Recognizer>, env: Record<string, string> = {}) {
  const config = loadSttConfig({ STT_PORT: '0', STT_API_TOKEN: 't', STT_LOG_LEVEL: 'silent', ...env })
  const service = await startStt(config, { open: async () => ({ recognizer: await open(), note: null }) })
  onTestFinished(() => service.close())
  const send = async (path: string, fields: Record<string, string>, file: Blob | null = silence(1)) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    if (file !== null) form.append('file', file, 'a.wav')
    const answer = await fetch(`${service.url}/v1/audio/transcriptions${path}`, {
      method: 'POST',
      body: form,
      headers: TOKEN,
    })
    const text = await answer.text()
    const type = answer.headers.get('content-type')!
    const retryAfter = answer.headers.get('retry-after')
    const json = type.includes('json') ? (JSON.parse(text) as unknown) : null
    return { status: answer.status, type, text, json, retryAfter }
  }
  const ready = () =>
    expect.poll(async () => (await fetch(`${service.url}/health`)).status, { timeout: 15_000 }).toBe(200)
  return { send, url: service.url, ready }
}

const silence = (seconds: number) =>
  new Blob([Uint8Array.from(encodeWav({ samples: new Float32Array(16_000 * seconds), sampleRate: 16_000 }))])
const scripted = async () => recognizer(async () => HEARD)

describe('the list of models', () => {
  const listed = async (url: string) => {
    const answer = (await (await fetch(`${url}/v1/models`, { headers: TOKEN })).json()) as { data: unknown[] }
    return answer.data.map((model) => ServiceModel.parse(model))
  }

  it('holds what the installation brings', async () => {
    const { url, ready } = await start(scripted)
    await ready()
    expect(await listed(url)).toEqual([
      {
        id: 'scripted',
        task: 'automatic-speech-recognition',
        license: 'none',
        installed: true,
        download_bytes: null,
        source_page: null,
        progress: null,
        pinned: null,
        experimental: false,
        failure: null,
      },
    ])
  })

  it('reports of weights that they are unpinned, and why they could not be fetched', async () => {
    const cacheFolder = await temporaryFolder('stt-models')
    const store = new ModelStore({ cacheFolder, hub: 'http://127.0.0.1:9', isOffline: true })
    const env = { STT_PORT: '0', STT_API_TOKEN: 't', STT_LOG_LEVEL: 'silent', STT_BACKEND: 'onnx' }
    const service = await startStt(loadSttConfig({ ...env, STT_MODEL: 'whisper-tiny' }), { store })
    onTestFinished(() => service.close())
    await expect.poll(async () => (await listed(service.url))[0]?.failure).toContain('the network is not to be used')
    const { failure: _, ...facts } = (await listed(service.url))[0]!
    const id = 'onnx-community/whisper-tiny_timestamped'
    expect(facts).toEqual({
      id,
      task: 'automatic-speech-recognition',
      license: 'Apache-2.0',
      installed: false,
      download_bytes: null,
      source_page: `https://huggingface.co/${id}`,
      progress: null,
      pinned: false,
      experimental: false,
    })
  })
})

describe('transcriptions', () => {
  it('come as json, as verbose json and as plain text', async () => {
    const { send } = await start(scripted)
    const text = 'Hello there. Good morning'
    expect(await send('', { model: 'whisper-1', temperature: '0', prompt: 'x' })).toMatchObject({
      status: 200,
      json: { text },
    })
    const unmeasured = { tokens: [], temperature: 0, avg_logprob: 0, no_speech_prob: 0, compression_ratio: 0.6 }
    expect((await send('', { response_format: 'verbose_json', language: 'en' }, silence(2))).json).toEqual({
      text,
      duration: 2,
      segments: [
        { id: 0, text: 'Hello there.', start: 0.1, end: 0.8, duration: 0.7, seek: 10, ...unmeasured },
        { id: 1, text: 'Good morning', start: 0.9, end: 1.7, duration: 0.8, seek: 90, ...unmeasured },
      ],
      task: 'transcribe',
      language: 'en',
    })
    expect(await send('', { response_format: 'text' })).toMatchObject({ type: 'text/plain; charset=utf-8', text })
  })

  it('carry word times in verbose json where timestamp_granularities asks for them', async () => {
    const { send } = await start(scripted)
    const asked = { response_format: 'verbose_json', 'timestamp_granularities[]': 'word' }
    const answer = VerboseTranscription.parse((await send('', asked)).json)
    expect(answer.segments).toBeUndefined()
    expect(answer.words).toEqual([
      { word: 'Hello', start: 0.1, end: 0.4 },
      { word: 'there.', start: 0.45, end: 0.8 },
      { word: 'Good', start: 0.9, end: 1.2 },
      { word: 'morning', start: 1.2, end: 1.7 },
    ])
    expect(await send('', { ...asked, 'timestamp_granularities[]': 'letter' })).toMatchObject({ status: 422 })
  })

  it('come as server-sent events where stream=true asks for them', async () => {
    const { send } = await start(scripted)
    const { type, text } = await send('', { stream: 'true' })
    expect(type).toBe('text/event-stream; charset=utf-8')
    const events = text
      .split('\n\n')
      .filter((event) => event !== '')
      .map((event) => JSON.parse(/^data: (.*)$/m.exec(event)![1]!) as unknown)
    expect(events).toEqual([
      { type: 'transcript.text.delta', delta: 'Hello there.' },
      { type: 'transcript.text.delta', delta: ' Good morning' },
      { type: 'transcript.text.done', text: 'Hello there. Good morning' },
    ])
  })

  it('pass the language to a model of several', async () => {
    const languages: (string | undefined)[] = []
    const withHints = async (_sound: unknown, _signal: AbortSignal, hints?: Hints) => (
      languages.push(hints?.language),
      HEARD
    )
    const { send } = await start(async () => scriptedRecognizer({ recognize: withHints, languages: ['en', 'de'] }))
    expect((await send('', { language: 'de' })).status).toBe(200)
    expect((await send('', { language: 'fr' })).status).toBe(400)
    expect(languages).toEqual(['de'])
  })

  it('accept the prompt of OpenAI clients, and report to callers that sent one that it was not used', async () => {
    const { send, url } = await start(async () => recognizer(async () => HEARD))
    expect((await send('/advanced', { prompt: 'Brackenjaw ' })).json).toMatchObject({ prompt_used: false })
    expect((await send('', { response_format: 'verbose_json', prompt: 'Oldmere' })).json).toMatchObject({
      prompt_used: false,
    })
    expect((await send('/advanced', { prompt: ' ' })).json).not.toHaveProperty('prompt_used')
    expect((await send('', { prompt: 'x'.repeat(MAX_PROMPT_CHARACTERS + 1) })).status).toBe(422)
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ uses_prompt: false })
  })

  it('have aligned data only when it was asked for and exists', async () => {
    const { send } = await start(scripted)
    const ask = async (fields: Record<string, string>) =>
      AdvancedTranscription.parse((await send('/advanced', fields)).json)
    expect(await ask({})).toEqual({ text: 'Hello there. Good morning', has_timestamps: false })
    expect((await send('/advanced', { word_timestamps: 'perhaps' })).status).toBe(422)
    // As Python writes it.
    const both = await ask({ return_timestamps: 'True', word_timestamps: 'true' })
    expect(both.has_timestamps).toBe(true)
    expect(both.segments!.map(({ words }) => words.map(({ text }) => text))).toEqual([
      ['Hello', 'there.'],
      ['Good', 'morning'],
    ])
    expect(both.words).toHaveLength(4)
    const deaf = await start(async () => recognizer(async () => []))
    expect((await deaf.send('/advanced', { return_timestamps: 'true' })).json).toEqual({
      text: '',
      has_timestamps: false,
      segments: [],
    })
  })

  it.each([
    ['an unknown format', { response_format: 'srt' }, silence(1), 422],
    ['a missing file', {}, null, 422],
    ['an empty file', {}, new Blob([]), 400],
    ['a file without sound', {}, silence(0), 400],
    ['what is no audio', {}, new Blob(['RIFF????WAVEgarbage garbage']), 415],
    ['a language that the backend has not', { language: 'de' }, silence(1), 400],
  ])('refuse %s', async (_name, fields, file, status) => {
    const { send } = await start(scripted)
    const answer = await send('', fields, file)
    expect(answer.status).toBe(status)
    expect(answer.json).toHaveProperty('detail')
  })

  it('refuse a body of a hundred megabytes too much without holding it', async () => {
    const { url } = await start(scripted, { STT_MAX_UPLOAD_BYTES: '1000000' })
    let sent = 0
    const body = new ReadableStream({
      pull(controller) {
        sent += 1_000_000
        if (sent > 200_000_000) controller.close()
        else controller.enqueue(new Uint8Array(1_000_000))
      },
    })
    const answer = await fetch(`${url}/v1/audio/transcriptions`, {
      method: 'POST',
      body,
      duplex: 'half',
      headers: { ...TOKEN, 'content-type': 'multipart/form-data; boundary=b' },
    })
    expect([answer.status, await answer.json()]).toEqual([413, { detail: 'Upload is too large' }])
    expect(sent).toBeLessThan(100_000_000)
  })
})

it('health reports what is loading, what is loaded and what failed to load', async () => {
  const loaded = Promise.withResolvers<Recognizer>()
  const { url, send } = await start(() => loaded.promise)
  const health = async () => {
    const answer = await fetch(`${url}/health`)
    return [answer.status, TranscriptionHealth.parse(await answer.json()).status]
  }
  expect(await health()).toEqual([503, 'loading'])
  const early = await send('', {})
  expect([early.status, early.json, early.retryAfter]).toEqual([503, { detail: 'Service is loading' }, '5'])
  loaded.resolve(await scripted())
  await expect.poll(health).toEqual([200, 'healthy'])
  const broken = await start(async () => Promise.reject(new Error('the model file is damaged')))
  const answer = await fetch(`${broken.url}/health`)
  expect(await answer.json()).toMatchObject({ status: 'unhealthy', detail: 'the model file is damaged' })
  for (const path of ['', '/advanced']) {
    const refused = await broken.send(path, {})
    const detail = 'Service is unhealthy: the model file is damaged'
    expect([refused.status, refused.json, refused.retryAfter]).toEqual([503, { detail }, null])
  }
})

const hasPocketsphinx = spawnSync('pocketsphinx_continuous', ['-help']).error === undefined
const SPOKEN = join(import.meta.dirname, '../../tests/fixtures/audio/spoken.flac')

describe.skipIf(!hasPocketsphinx)('PocketSphinx', () => {
  it('fails one request when its process is killed, and transcribes the next with its times', async () => {
    const { send, ready } = await start(openPocketsphinx)
    await ready()
    const samples = Float32Array.from({ length: 16_000 * 50 }, () => Math.random() - 0.5)
    const doomed = send('', {}, new Blob([Uint8Array.from(encodeWav({ samples, sampleRate: 16_000 }))]))
    await expect.poll(() => childOf(process.pid), { timeout: 10_000 }).toBeGreaterThan(0)
    process.kill(childOf(process.pid), 'SIGKILL')
    expect(await doomed).toMatchObject({ status: 500, json: { detail: 'Transcription failed' } })

    const { json } = await send('/advanced', { word_timestamps: 'true' }, new Blob([await readFile(SPOKEN)]))
    const { text, words } = AdvancedTranscription.parse(json)
    expect(text).toContain('quick brown fox jumped over the lazy dog')
    for (let i = 1; i < words!.length; i += 1)
      expect(words![i]!.start).toBeGreaterThanOrEqual(words![i - 1]!.end - 0.02)
  }, 60_000)
})

/** Process id of a running PocketSphinx below `parent`; 0 when there is none. */
function childOf(parent: number): number {
  const { stdout } = spawnSync('ps', ['-o', 'pid=,comm=', '--ppid', String(parent)], { encoding: 'utf8' })
  return Number(/(\d+) pocketsphinx/.exec(stdout)?.[1] ?? 0)
}
