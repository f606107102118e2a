import { readFile, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { startFileServer, type FileServer } from '../../tests/helpers/file-server.ts'
import { declareFolder, writeTinyChatterbox, writeTinyKokoro } from '../../tests/helpers/tiny-speech-models.ts'
import { SpeechModel } from '../../contract/http/speech.ts'
import type { DeclaredModel } from '../kit/models/declared-model.ts'
import { ModelStore } from '../kit/models/model-store.ts'
import type { RunningService } from '../kit/run-service.ts'
import { encodeWav } from '../kit/audio/wav-file.ts'
import { loadTtsConfig } from './config.ts'
import { CHATTERBOX_WEIGHTS } from './engines/chatterbox/chatterbox-engine.ts'
import { KOKORO_WEIGHTS } from './engines/kokoro/kokoro-engine.ts'
import { startTts } from './tts-service.ts'

let folder: string
let files: FileServer
let service: RunningService
let kokoro: DeclaredModel
beforeEach(async () => {
  folder = await temporaryFolder('tts-models')
  files = await startFileServer()
  const source = join(folder, 'source')
  await Promise.all([writeTinyKokoro(join(source, 'kokoro')), writeTinyChatterbox(join(source, 'chatterbox'))])
  kokoro = await serve('kokoro')
  const chatterbox = await serve('chatterbox')
  const store = new ModelStore({ cacheFolder: join(folder, 'cache'), hub: files.url, isOffline: false, retryMs: 1 })
  const env = { RAG_LADDER_STATE_DIR: join(folder, 'state'), PORT: '0', TTS_LOG_LEVEL: 'silent' }
  service = await startTts(loadTtsConfig(env), { models: { store, kokoro, chatterbox } })
})
afterEach(async () => {
  await service.close()
  await files.close()
})

/** Puts a folder's files on the server and declares them under a name with a slash. */
async function serve(name: string): Promise<DeclaredModel> {
  const source = join(folder, 'source', name)
  const model = await declareFolder(source, `tiny/${name}`, files.url)
  const moved = model.files.map((file) => ({ ...file, url: `${files.url}/${name}/${file.path}` }))
  for (const { path } of moved) files.files.set(`/${name}/${path}`, await readFile(join(source, path)))
  return { ...model, files: moved }
}

async function ask(method: string, path: string) {
  const answer = await fetch(`${service.url}${path}`, { method })
  const text = await answer.text()
  return [answer.status, text.startsWith('{') ? (JSON.parse(text) as unknown) : text]
}
const speak = async (body: object | FormData) => {
  const isForm = body instanceof FormData
  const answer = await fetch(`${service.url}/v1/audio/speech`, {
    method: 'POST',
    body: isForm ? body : JSON.stringify(body),
    ...(isForm ? {} : { headers: { 'content-type': 'application/json' } }),
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return { status: answer.status, bytes, text: bytes.toString() }
}
const described = async (id: string) => SpeechModel.parse((await ask('GET', `/v1/models/${id}`))[1])
const HUB_NAME = 'onnx-community/Kokoro-82M-v1.0-ONNX'
const missing = (id: string) => ({
  detail: `Model '${id}' is not installed locally. Download it with POST /v1/models/${id}`,
})

describe('a model with weights', () => {
  it('is fetched by name or by id with a slash, speaks, and is taken off the disk', async () => {
    const asked = { input: 'Hello there.', voice: 'af_heart' }
    const before = await speak(asked)
    expect([before.status, JSON.parse(before.text)]).toEqual([404, missing('kokoro')])
    expect(await described('kokoro')).toMatchObject({ installed: false, progress: null, license: 'Apache-2.0' })

    expect(await ask('POST', `/v1/models/${HUB_NAME}`)).toEqual([200, "Model 'kokoro' downloaded"])
    expect(await ask('POST', '/v1/models/kokoro')).toEqual([201, "Model 'kokoro' already exists"])
    expect(await described(HUB_NAME)).toMatchObject({ id: 'kokoro', installed: true })
    const spoken = await speak(asked)
    expect([spoken.status, spoken.bytes.subarray(0, 4).toString(), spoken.bytes.readUInt32LE(24)]).toEqual([
      200,
      'RIFF',
      24_000,
    ])
    expect((await speak({ ...asked, model: 'tts-1' })).bytes).toEqual(spoken.bytes)

    expect(await ask('DELETE', `/v1/models/${encodeURIComponent(HUB_NAME)}`)).toEqual([
      200,
      { detail: "Model 'kokoro' deleted" },
    ])
    await expect(stat(join(folder, 'cache', kokoro.id))).rejects.toMatchObject({ code: 'ENOENT' })
    expect((await speak(asked)).status).toBe(404)
    expect(await ask('DELETE', '/v1/models/kokoro')).toEqual([
      404,
      { detail: "Model 'kokoro' is not installed locally" },
    ])
  })

  it('clones a clip that came with the text, and explains how to get what is missing', async () => {
    const form = () => {
      const data = new FormData()
      const tone = Float32Array.from({ length: 72_000 }, (_, i) => 0.5 * Math.sin(i * 0.05))
      data.append('voice_file', new Blob([Uint8Array.from(encodeWav({ samples: tone, sampleRate: 24_000 }))]), 'a.wav')
      data.append('input', 'Hello.')
      data.append('model', 'chatterbox-turbo')
      return data
    }
    const before = await speak(form())
    expect([before.status, JSON.parse(before.text)]).toEqual([404, missing('chatterbox-turbo')])
    expect((await ask('POST', '/v1/models/chatterbox-tts-1'))[0]).toBe(200)
    const spoken = await speak(form())
    expect([spoken.status, spoken.bytes.readUInt32LE(24)]).toEqual([200, 24_000])
  })

  it('shows the bytes of a download that callers share, and goes on where a broken one stopped', async () => {
    const weights = kokoro.files.find(({ path }) => path.endsWith('.onnx'))!
    files.faults = [{ hangAfter: 100 }]
    const first = ask('POST', '/v1/models/kokoro')
    await expect.poll(async () => (await described('kokoro')).progress?.received_bytes ?? 0).toBeGreaterThan(0)
    const total = kokoro.files.reduce((sum, { sizeBytes }) => sum + sizeBytes!, 0)
    const { progress, download_bytes } = await described('kokoro')
    expect([progress?.total_bytes, download_bytes]).toEqual([total, total])
    const second = ask('POST', '/v1/models/kokoro')
    files.cut()
    expect([(await first)[0], (await second)[0]]).toEqual([200, 200])
    expect(files.requests.filter((line) => line.startsWith(`/kokoro/${weights.path}`))).toHaveLength(2)
    expect((await described('kokoro')).progress).toBeNull()
  })

  it('reports whose fault a failed download is', async () => {
    files.faults = [{ status: 403 }]
    const refused = await ask('POST', '/v1/models/kokoro')
    expect(refused).toEqual([502, { detail: expect.stringContaining('tiny/kokoro') }])
    const voice = kokoro.files.find(({ path }) => path.endsWith('af_heart.bin'))!
    const bytes = files.files.get(`/kokoro/${voice.path}`)!
    files.files.set(`/kokoro/${voice.path}`, Buffer.alloc(bytes.length, 1))
    const wrong = await ask('POST', '/v1/models/kokoro')
    expect(wrong).toEqual([502, { detail: expect.stringContaining(voice.path) }])
    expect((await described('kokoro')).installed).toBe(false)
  })

  it('names a file that was damaged on the disk; the next download brings that file alone', async () => {
    await ask('POST', '/v1/models/kokoro')
    await truncate(join(folder, 'cache', kokoro.id, 'onnx/model_quantized.onnx'), 100)
    const spoken = await speak({ input: 'Hello.', model: 'kokoro' })
    expect([spoken.status, JSON.parse(spoken.text)]).toEqual([
      500,
      {
        detail:
          "A file of model 'kokoro' is damaged: onnx/model_quantized.onnx. Download it again with POST /v1/models/kokoro",
      },
    ])
    files.requests.length = 0
    expect((await ask('POST', '/v1/models/kokoro'))[0]).toBe(200)
    expect(files.requests).toEqual(['/kokoro/onnx/model_quantized.onnx whole'])
    expect((await speak({ input: 'Hello.', model: 'kokoro' })).status).toBe(200)
  })
})

it('declares every file with its size and its checksum, at a revision that cannot move', () => {
  for (const { files: declared, sourcePage } of [KOKORO_WEIGHTS, CHATTERBOX_WEIGHTS]) {
    expect(sourcePage).toMatch(/^https:\/\/huggingface\.co\//)
    for (const { path, url, sizeBytes, sha256 } of declared) {
      expect(url).toMatch(new RegExp(`/resolve/[0-9a-f]{40}/${path.replaceAll('.', '\\.')}$`))
      expect(sha256).toMatch(/^[0-9a-f]{64}$/)
      expect(sizeBytes).toBeGreaterThan(100)
    }
  }
})
