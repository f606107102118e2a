import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'
import {
  CHATTERBOX_PROMPT,
  CHATTERBOX_SAID,
  CHATTERBOX_TOKEN_SAMPLES,
  declareFolder,
  writeTinyChatterbox,
} from '../../../../tests/helpers/tiny-speech-models.ts'
import { ModelStore } from '../../../kit/models/model-store.ts'
import { ModelWeights } from '../../../kit/models/model-weights.ts'
import { ChatterboxEngine } from './chatterbox-engine.ts'

let cache: string
let folder: string
let engine: ChatterboxEngine
beforeEach(async () => {
  cache = await temporaryFolder('tiny-chatterbox')
  folder = join(cache, 'tiny')
  await writeTinyChatterbox(folder)
  const store = new ModelStore({ cacheFolder: cache, hub: 'http://127.0.0.1:9', isOffline: true })
  engine = new ChatterboxEngine(new ModelWeights(store, await declareFolder(folder, 'tiny', 'http://127.0.0.1:9')))
})
afterEach(() => engine.close())

const { signal } = new AbortController()
const clip = (peak: number) => ({
  key: `peak ${peak}`,
  sound: { samples: Float32Array.from({ length: 24_000 }, (_, i) => (i === 500 ? peak : 0)), sampleRate: 24_000 },
})
const tokens = (samples: Float32Array) => [...samples].filter((_, i) => i % CHATTERBOX_TOKEN_SAMPLES === 0)
const SAID = [...CHATTERBOX_PROMPT, ...CHATTERBOX_SAID, 4299, 4299, 4299]

it('reads the clip, produces its tokens one by one with penalty and cache, and sounds them in that voice', async () => {
  const sounds = await engine.speakLike(clip(0.5), ['Hello.', 'Hello'], 1, signal)
  expect(sounds).toHaveLength(2)
  for (const { samples, sampleRate } of sounds) {
    expect([sampleRate, samples.length]).toEqual([24_000, SAID.length * CHATTERBOX_TOKEN_SAMPLES])
    expect(tokens(samples).map((level) => Math.round(level * 20_000))).toEqual(SAID)
  }
  const [louder] = await engine.speakLike(clip(0.8), ['Hello.'], 1, signal)
  expect(tokens(louder!.samples).map((level) => Math.round(level * 12_500))).toEqual(SAID)
})

it('keeps the features of a clip until it is asked to forget them', async () => {
  const level = async (peak: number) => {
    const [sound] = await engine.speakLike({ ...clip(peak), key: 'one clip' }, ['Hello.'], 1, signal)
    return Number(sound!.samples.at(-1)!.toFixed(3))
  }
  expect([await level(0.5), await level(0.8)]).toEqual([0.215, 0.215])
  await engine.forget()
  expect(await level(0.8)).toBe(0.344)
})

it('refuses a tempo, which the network does not have', async () => {
  await expect(engine.speakLike(clip(0.5), ['Hello.'], 1.5, signal)).rejects.toMatchObject({ status: 400 })
})

it('names what to do when a file is damaged, and stops at once when it is aborted', async () => {
  await truncate(join(folder, 'onnx/conditional_decoder_q4.onnx'), 50)
  await expect(engine.speakLike(clip(0.5), ['Hello.'], 1, signal)).rejects.toMatchObject({
    status: 500,
    message:
      "A file of model 'chatterbox-turbo' is damaged: onnx/conditional_decoder_q4.onnx. " +
      'Download it again with POST /v1/models/chatterbox-turbo',
  })
  await writeTinyChatterbox(folder)
  const stop = new AbortController()
  const spoken = engine.speakLike(clip(0.5), ['Hello.'], 1, stop.signal)
  stop.abort(new Error('enough'))
  await expect(spoken).rejects.toThrow('enough')
  expect(await engine.speakLike(clip(0.5), ['Hello.'], 1, signal)).toHaveLength(1)
})
