import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { declareFolder, writeTinyChatterbox, writeTinyKokoro } from '../../tests/helpers/tiny-speech-models.ts'
import { ModelStore } from '../kit/models/model-store.ts'
import type { RunningService } from '../kit/run-service.ts'
import { loadTtsConfig, type TtsConfig } from './config.ts'
import { startTts } from './tts-service.ts'

let folder: string
let service: RunningService | null = null
beforeEach(async () => {
  folder = await temporaryFolder('tts-faults')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await service?.close()
  service = null
})

const HUNDRED_MEGABYTES = 100 * 1024 * 1024

async function start(
  env: Record<string, string> = {},
  changes: Partial<TtsConfig['boundary']> = {},
  restart?: () => void,
) {
  const config = loadTtsConfig({ RAG_LADDER_STATE_DIR: folder, PORT: '0', TTS_LOG_LEVEL: 'silent', ...env })
  await Promise.all([
    writeTinyKokoro(join(folder, 'cache', 'kokoro'), { slow: true }),
    writeTinyChatterbox(join(folder, 'cache', 'chatterbox')),
  ])
  const models = {
    store: new ModelStore({ cacheFolder: join(folder, 'cache'), hub: 'http://127.0.0.1:9', isOffline: true }),
    kokoro: await declareFolder(join(folder, 'cache', 'kokoro'), 'kokoro', 'http://127.0.0.1:9'),
    chatterbox: await declareFolder(join(folder, 'cache', 'chatterbox'), 'chatterbox', 'http://127.0.0.1:9'),
  }
  service = await startTts(
    { ...config, boundary: { ...config.boundary, ...changes } },
    { models, ...(restart === undefined ? {} : { restart }) },
  )
  return service.url
}

const post = async (url: string, body: string | ReadableStream<Uint8Array>, type: string) => {
  const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': type }, duplex: 'half' })
  const text = await answer.text()
  return [answer.status, text.startsWith('{') ? (JSON.parse(text) as unknown) : text.length]
}
const speak = (url: string, body: object) => post(`${url}/v1/audio/speech`, JSON.stringify(body), 'application/json')

it('speech that fails is seen in the health of the service, and so is its return', async () => {
  const url = await start()
  const health = async () => {
    const answer = await fetch(`${url}/health`)
    const { status } = (await answer.json()) as { status: string }
    return [answer.status, status]
  }
  vi.stubEnv('TMPDIR', join(folder, 'missing'))
  expect((await speak(url, { input: 'One.' }))[0]).toBe(500)
  await expect.poll(health, { timeout: 10_000 }).toEqual([503, 'unhealthy'])
  vi.unstubAllEnvs()
  await expect.poll(health, { timeout: 10_000 }).toEqual([200, 'healthy'])
})

describe('what is too much', () => {
  it.each(['/v1/audio/speech', '/v1/audio/speech/upload', '/voices', '/voices/check'])(
    'a body that declares 100 MB to %s is refused before it is read',
    async (path) => {
      const url = await start()
      const { port } = new URL(url)
      const socket = connect(Number(port), '127.0.0.1')
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: multipart/form-data; boundary=b\r\n` +
          `content-length: ${HUNDRED_MEGABYTES}\r\n\r\n`,
      )
      const [answer] = (await once(socket, 'data')) as [Buffer]
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /)
      socket.destroy()
    },
  )

  it('a clip over the limit and a text over the limit give different errors', async () => {
    const url = await start({ TTS_MAX_UPLOAD_BYTES: '1000' })
    const form = new FormData()
    form.append('input', 'Hello')
    form.append('voice_file', new Blob([Buffer.alloc(1001)]), 'a.wav')
    const answer = await fetch(`${url}/v1/audio/speech`, { method: 'POST', body: form })
    expect([answer.status, await answer.json()]).toEqual([413, { detail: 'upload exceeds 1000 byte limit' }])
    expect((await speak(url, { input: 'a '.repeat(20_000) }))[0]).toBe(422)
  })
})

it('is not held up by a network: health answers during its run, 504 comes before its end, the restart is asked for', async () => {
  const restarted = Promise.withResolvers<boolean>()
  const url = await start({}, { inferenceTimeoutMs: 1000 }, () => restarted.resolve(true))
  const spoken = speak(url, { input: 'Hello.', voice: 'af_heart' })
  const over = spoken.then(() => true)
  const healthFails = () => fetch(`${url}/health`).then(({ status }) => status !== 200)
  let answers = 0
  while (!(await Promise.race([over, healthFails()]))) answers += 1
  expect(await spoken).toEqual([504, { detail: 'Provider operation timed out' }])
  expect(answers).toBeGreaterThan(1)
  await restarted.promise
})

describe('what cannot be', () => {
  it('a format without its encoder is 422 and names it, before anything is spoken', async () => {
    // The network is too slow for this: one that is asked to speak gets no further than 504.
    const url = await start({}, { inferenceTimeoutMs: 1000 }, () => undefined)
    vi.stubEnv('PATH', folder)
    for (const format of ['mp3', 'opus', 'aac']) {
      const msg = `${format} needs the program ffmpeg, which is not installed; wav, flac and pcm are always there`
      expect(await speak(url, { input: 'Hello.', voice: 'af_heart', response_format: format })).toEqual([
        422,
        { detail: [{ loc: ['body', 'response_format'], msg, type: 'unsupported' }] },
      ])
    }
  })

  it('a text in letters that English voices do not have is 400', async () => {
    const url = await start()
    for (const voice of ['rms', 'af_heart'])
      expect(await speak(url, { input: 'Привет, 世界', voice })).toEqual([
        400,
        { detail: 'The text holds nothing that can be spoken' },
      ])
  })

  it('a switched-off service answers, and reports why nothing speaks', async () => {
    const url = await start({ TTS_PROVIDER_SOURCE: 'disabled' })
    expect(await speak(url, { input: 'Hello.' })).toEqual([
      503,
      { detail: 'Text to speech is disabled: TTS_PROVIDER_SOURCE' },
    ])
  })

  it('a graphics card that nothing here uses: every call is refused with the source that works', async () => {
    const healthOf = async (source: string) => {
      const url = await start({ TTS_PROVIDER_SOURCE: source })
      const health: unknown = await (await fetch(`${url}/health`)).json()
      await service!.close()
      return health
    }
    const plain = { status: 'healthy', message: 'OK', device: 'cpu', model_loaded: true }
    for (const source of ['ttsbasic-container-cpu', 'ttsvoice-localhost'])
      expect(await healthOf(source)).toEqual({ ...plain, source, detail: null })
    for (const source of ['ttsbasic-container-gpu', 'ttsvoice-container-gpu']) {
      const instead = source.startsWith('ttsvoice') ? 'ttsvoice-localhost' : 'ttsbasic-container-cpu'
      const detail = `TTS_PROVIDER_SOURCE=${source} asks for a graphics card, which this service does not use. Set ${instead} to speak with the processor, or TTS_ENDPOINT to a service that has one.`
      expect(await healthOf(source)).toEqual({ detail })
      const url = await start({ TTS_PROVIDER_SOURCE: source })
      expect(await speak(url, { input: 'Hello.' })).toEqual([503, { detail }])
      await service!.close()
    }
  })

  it('each of its two backends words refusals in its own way', async () => {
    const basic = await start({ TTS_PROVIDER_SOURCE: 'ttsbasic-container-cpu' })
    expect(await speak(basic, { input: 'Hello.', model: 'unlisted/none' })).toEqual([
      404,
      { detail: "Model 'unlisted/none' is unknown. GET /v1/models lists the models." },
    ])
    await service!.close()
    const cloning = await start({ TTS_PROVIDER_SOURCE: 'ttsvoice-localhost' })
    expect(await speak(cloning, { input: 'Hello.', model: 'unlisted/none' })).toEqual([
      404,
      {
        error: {
          message: "Model 'unlisted/none' is unknown. GET /v1/models lists the models.",
          type: 'invalid_request_error',
        },
      },
    ])
    expect(await speak(cloning, { input: 'Hello.' })).toEqual([
      400,
      {
        error: {
          message: "Model 'voice-fit' needs a registered voice or a voice_file",
          type: 'invalid_request_error',
        },
      },
    ])
  })
})
