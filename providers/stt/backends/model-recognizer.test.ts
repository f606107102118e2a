import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, truncate, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  TINY_PIECES,
  tinySpeech,
  writeTinyCtc,
  writeTinyTransducer,
} from '../../../tests/helpers/tiny-recognition-models.ts'
import { isAlive } from '../../../tests/helpers/processes.ts'
import { writeTinyMoonshine } from '../../../tests/helpers/tiny-moonshine.ts'
import { writeTinyWhisper } from '../../../tests/helpers/tiny-whisper.ts'
import type { DeclaredModel } from '../../kit/models/declared-model.ts'
import { ModelStore } from '../../kit/models/model-store.ts'
import { loadSttConfig } from '../config.ts'
import { sha256Of } from '../../kit/models/file-digest.ts'
import { openModelRecognizer, type ModelRecognizerOptions } from './model-recognizer.ts'
import { BackendUnavailableError, type Recognizer } from './recognizer.ts'
import { ONNX_MODELS, type RecognitionModel } from './recognition-models.ts'
import { suiteFolder } from '../../../tests/helpers/temporary-folder.ts'

const PARAKEET = ONNX_MODELS['parakeet-tdt-0.6b-v3']
const [SALT, SEA, FOOD, RED] = TINY_PIECES as [string, string, string, string]
/** A time that every file system keeps exactly, so that a damage leaves no trace in it. */
const LONG_AGO = new Date(1_000_000_000_000)
const signal = new AbortController().signal

const folder = suiteFolder('tiny-speech')
beforeAll(() => writeTinyTransducer(join(folder, 'transducer')))

async function load(
  more: Partial<ModelRecognizerOptions> = {},
): Promise<{ recognizer: Recognizer; note: string | null }> {
  const loaded = await openModelRecognizer({
    backend: 'onnx',
    model: PARAKEET,
    store: new ModelStore({ cacheFolder: join(folder, 'cache'), hub: 'http://127.0.0.1:9', isOffline: true }),
    localFolder: join(folder, 'transducer'),
    device: 'cpu',
    sherpaFolder: null,
    signal,
    onProgress: () => undefined,
    meanwhile: 'What would work here now: STT_BACKEND=pocketsphinx',
    ...more,
  })
  onTestFinished(() => loaded.recognizer.close())
  return loaded
}

const sound = (...parts: Parameters<typeof tinySpeech>[0]) => ({ samples: tinySpeech(parts), sampleRate: 16_000 })

describe('a transducer', () => {
  it('recognizes pieces as words with their times, once each, and falls silent when its state reports it', async () => {
    const { recognizer, note } = await load()
    expect([recognizer.device, recognizer.isAligned, note]).toEqual(['cpu', true, null])
    const speech = sound([null, 2], [SEA, 3], [FOOD, 1], [null, 2], [SALT, 2])
    const times = (frames: [number, number]) => frames.map((frame) => expect.closeTo(frame * 0.08, 6) as number)
    expect((await recognizer.recognize(speech, signal)).map(({ text, start, end }) => [text, start, end])).toEqual([
      ['seafood', ...times([2, 6])],
      ['salt', ...times([8, 9])],
    ])
    const many = sound([SALT, 1], [SEA, 1], [RED, 1], [SEA, 1], [SALT, 1], [RED, 1])
    expect((await recognizer.recognize(many, signal)).map(({ text }) => text)).toEqual(['salt', 'sea', 'red', 'sea'])
    expect(await recognizer.recognize(sound([null, 5]), signal)).toEqual([])
  })

  it('is replaced when its process is killed in the middle; an abort ends the process too', async () => {
    const { recognizer } = await load()
    const long = sound([SALT, 500])
    const first = childOf(process.pid)
    const doomed = recognizer.recognize(long, signal)
    // The request is on its way once the turn has begun.
    await new Promise(setImmediate)
    process.kill(first, 'SIGKILL')
    await expect(doomed).rejects.toThrow('the recognition process ended with SIGKILL')
    await recognizer.recognize(sound([RED, 1]), signal)
    const second = childOf(process.pid)
    const stop = new AbortController()
    const given = recognizer.recognize(long, stop.signal)
    await new Promise(setImmediate)
    stop.abort(new Error('enough'))
    await expect(given).rejects.toThrow('enough')
    await expect.poll(() => isAlive(second)).toBe(false)
    expect(second).not.toBe(first)
    expect((await recognizer.recognize(sound([RED, 1]), signal)).map(({ text }) => text)).toEqual(['red'])
  })

  it('that is missing or damaged is reported by its files; whole files of the wrong kind by the error of the runtime', async () => {
    await expect(load({ localFolder: null })).rejects.toMatchObject({
      code: 'offline',
      message: expect.stringMatching(/STT_BACKEND=pocketsphinx$/) as string,
    })
    const cached = await cachedModel()
    expect((await load({ localFolder: null, ...cached })).recognizer.device).toBe('cpu')
    const path = join(cached.store.folderOf(cached.model.declared), 'encoder-model.int8.onnx')
    await writeFile(path, (await readFile(path)).fill(0xff, 0, 40))
    await utimes(path, LONG_AGO, LONG_AGO)
    await expect(load({ localFolder: null, ...cached })).rejects.toMatchObject({
      code: 'damaged',
      file: 'encoder-model.int8.onnx',
    })
    const wrong = join(folder, 'wrong')
    await writeTinyTransducer(wrong)
    await writeFile(join(wrong, 'vocab.txt'), 'no vocabulary')
    await expect(load({ localFolder: wrong })).rejects.toThrow('invalid vocabulary')
    await writeTinyTransducer(wrong)
    await truncate(join(wrong, 'encoder-model.int8.onnx'), 20)
    await expect(load({ localFolder: wrong })).rejects.toThrow(/encoder-model\.int8\.onnx/)
  })

  it('reports that it runs on the processor when the device that was asked for is not there', async () => {
    const { recognizer, note } = await load({ device: process.platform === 'darwin' ? 'cuda' : 'mps' })
    expect([recognizer.device, note]).toEqual(['cpu', expect.stringContaining('so the processor is')])
  })
})

it('Whisper recognizes words with the times of its attention, and nothing in silence', async () => {
  const place = join(folder, 'whisper')
  await writeTinyWhisper(place)
  const { recognizer } = await load({ model: ONNX_MODELS['whisper-tiny'], localFolder: place })
  expect([recognizer.isAligned, recognizer.windowSeconds]).toEqual([true, 28])
  expect(recognizer.languages).toEqual(expect.arrayContaining(['en', 'de', 'ja']))
  expect(await recognizer.recognize(sound([SALT, 40]), signal)).toEqual([
    { text: 'salt', start: 0.5, end: 1 },
    { text: 'seafood', start: 1, end: 1.5 },
  ])
  expect(await recognizer.recognize(sound([null, 40]), signal)).toEqual([])
  await truncate(join(place, 'onnx', 'encoder_model_quantized.onnx'), 20)
  await expect(load({ model: ONNX_MODELS['whisper-tiny'], localFolder: place })).rejects.toThrow(/protobuf/i)
})

describe('Moonshine', () => {
  const asked = async () => {
    const place = join(folder, 'moonshine')
    await writeTinyMoonshine(place)
    return { model: ONNX_MODELS['moonshine-base'], localFolder: place }
  }

  it('recognizes words in the waveform, also in less than a second of it, spreads them over it, and recognizes nothing in silence', async () => {
    const { recognizer } = await load(await asked())
    expect([recognizer.isAligned, recognizer.windowSeconds, recognizer.languages]).toEqual([false, 28, ['en']])
    const wordsOf = async (frames: number) =>
      (await recognizer.recognize(sound([SALT, frames]), signal)).map(({ text, end }) => [text, end.toFixed(2)])
    expect(await wordsOf(5)).toEqual([
      ['salt', '0.15'],
      ['seafood', '0.40'],
    ])
    expect(await wordsOf(40)).toEqual([
      ['salt', '1.23'],
      ['seafood', '3.20'],
    ])
    expect(await recognizer.recognize(sound([null, 40]), signal)).toEqual([])
  })

  it('is refused when a file of it is damaged', async () => {
    const order = await asked()
    await truncate(join(order.localFolder, 'onnx', 'decoder_model_merged_quantized.onnx'), 20)
    await expect(load(order)).rejects.toThrow(/protobuf/i)
    await writeTinyMoonshine(order.localFolder)
    await writeFile(join(order.localFolder, 'tokenizer.json'), 'no tokenizer')
    await expect(load(order)).rejects.toThrow(/JSON/)
  })
})

const SHERPA_FOLDER = loadSttConfig(process.env).sherpaFolder
const hasSherpa = existsSync(join(SHERPA_FOLDER, 'node_modules', 'sherpa-onnx-node'))

describe('sherpa', () => {
  const tiny: RecognitionModel = {
    kind: 'sherpa-ctc',
    languages: ['en'],
    windowSeconds: 60,
    declared: { id: 'tiny/ctc', license: 'none', sourcePage: '', files: [] },
  }

  it('explains how to install what this installation may not bring', async () => {
    const missing = load({ backend: 'sherpa', model: tiny, sherpaFolder: folder })
    await expect(missing).rejects.toThrow(`npm install --prefix ${folder} sherpa-onnx-node@1.13.8`)
    await expect(missing).rejects.toBeInstanceOf(BackendUnavailableError)
  })

  it('reports that it runs on the processor when another device was asked for', async () => {
    const place = join(folder, 'silent-library')
    await writeSilentSherpa(place)
    const noteOn = async (device: ModelRecognizerOptions['device']) =>
      (await load({ backend: 'sherpa', model: tiny, sherpaFolder: place, device })).note
    expect(await noteOn('mps')).toMatch(/^mps could not be used, so the processor is: /)
    expect([await noteOn('auto'), await noteOn('cpu')]).toEqual([null, null])
  })

  it.skipIf(!hasSherpa)(
    'recognizes with the real library, and survives that it ends its process over a bad model',
    async () => {
      const place = join(folder, 'ctc')
      await writeTinyCtc(place)
      const asked = { backend: 'sherpa' as const, model: tiny, sherpaFolder: SHERPA_FOLDER, localFolder: place }
      const { recognizer } = await load(asked)
      const words = await recognizer.recognize(sound([null, 5], [RED, 5], [null, 5]), signal)
      expect(words.map(({ text }) => text)).toEqual(['salt'])
      expect(words[0]!.start).toBeCloseTo(0.4, 1)
      await writeFile(join(place, 'model.onnx'), 'no model')
      await expect(load(asked)).rejects.toThrow(/./)
    },
  )
})

/** A package in that folder that opens like the library and recognizes nothing. */
async function writeSilentSherpa(place: string): Promise<void> {
  const path = join(place, 'node_modules', 'sherpa-onnx-node')
  await mkdir(path, { recursive: true })
  await writeFile(join(path, 'index.js'), 'exports.OfflineRecognizer = { createAsync: async () => ({}) }')
}

/** The tiny transducer as a fetched and verified model of a cache. */
async function cachedModel() {
  const store = new ModelStore({ cacheFolder: join(folder, 'cache'), hub: 'http://127.0.0.1:9', isOffline: true })
  const files = PARAKEET.declared.files.map(({ path }) => path)
  const declared: DeclaredModel = {
    ...PARAKEET.declared,
    id: 'tiny/transducer',
    files: await Promise.all(
      files.map(async (path) => ({
        path,
        url: 'http://127.0.0.1:9',
        sizeBytes: null,
        sha256: await sha256Of(join(folder, 'transducer', path)),
      })),
    ),
  }
  const place = store.folderOf(declared)
  await writeTinyTransducer(place)
  for (const path of files) await utimes(join(place, path), LONG_AGO, LONG_AGO)
  await store.ensure(declared)
  return { store, model: { ...PARAKEET, declared } }
}

/** Process id of the running engine below `parent`; 0 when there is none. */
function childOf(parent: number): number {
  const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '--ppid', String(parent)], { encoding: 'utf8' })
  return Number(/(\d+) .*engine-child/.exec(stdout)?.[1] ?? 0)
}
