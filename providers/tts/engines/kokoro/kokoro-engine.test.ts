import { truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'
import { declareFolder, KOKORO_TOKEN_SAMPLES, writeTinyKokoro } from '../../../../tests/helpers/tiny-speech-models.ts'
import { ModelStore } from '../../../kit/models/model-store.ts'
import { FliteEngine } from '../flite/flite-engine.ts'
import { ModelWeights } from '../../../kit/models/model-weights.ts'
import { cutSymbols, KokoroEngine } from './kokoro-engine.ts'

let cache: string
let folder: string
let flite: FliteEngine
let engine: KokoroEngine
beforeEach(async () => {
  cache = await temporaryFolder('tiny-kokoro')
  folder = join(cache, 'tiny')
  await writeTinyKokoro(folder)
  flite = new FliteEngine()
  const store = new ModelStore({ cacheFolder: cache, hub: 'http://127.0.0.1:9', isOffline: true })
  const model = await declareFolder(folder, 'tiny', 'http://127.0.0.1:9')
  engine = new KokoroEngine(new ModelWeights(store, model), flite.reader)
})
afterEach(() => Promise.all([engine.close(), flite.close()]))

const { signal } = new AbortController()
/** One level for each token that was sounded, the silences at the ends left out. */
async function levels(text: string, voice: string, speed = 1): Promise<number[]> {
  const { samples, sampleRate } = await engine.speak({ text, voice, speed }, signal)
  expect([sampleRate, samples.length % KOKORO_TOKEN_SAMPLES]).toEqual([24_000, 0])
  const tokens = [...samples].filter((_, i) => i % KOKORO_TOKEN_SAMPLES === 0)
  return tokens.slice(1, -1).map((level) => Number(level.toFixed(4)))
}
const ALPHABET = '$;:,.!? ˈˌɑæəʌɔWIbʧdðɛɜɹAfɡhɪiʤklmnŋOYpsʃtθʊuvwjzʒ'
const idsOf = (symbols: string) => Array.from(symbols, (symbol) => ALPHABET.indexOf(symbol))

it('gives the network ids, style and speed, and the sound back', async () => {
  const ids = idsOf('həlˈO.')
  expect(await levels('Hello.', 'af_heart')).toEqual(ids.map((id) => Number((id * 0.0005).toFixed(4))))
  // The style is the one of an utterance of this length.
  expect(await levels('Hello.', 'am_puck', 2)).toEqual(
    ids.map((id) => Number(((id / 1000) * (6 / 512) * 0.5).toFixed(4))),
  )
})

it('refuses a speed that the network was not made for, by name', async () => {
  await expect(levels('Hello.', 'af_heart', 3)).rejects.toThrow(/speaks at a speed of 0.5 to 2, not 3/)
})

it('runs an export whose first input is called tokens', async () => {
  await writeTinyKokoro(folder, { symbols: 'tokens' })
  expect(await levels('Hello.', 'af_heart')).toHaveLength(6)
})

it('cuts what is longer than the network takes, between words', async () => {
  expect(cutSymbols('aaa bbb ccc', 7)).toEqual(['aaa bbb', 'ccc'])
  expect(cutSymbols('aaaaaaa', 3)).toEqual(['aaa', 'aaa', 'a'])
  const text = '9999999 '.repeat(40)
  const { samples } = await engine.speak({ text, voice: 'af_heart', speed: 1 }, signal)
  expect(samples.length / KOKORO_TOKEN_SAMPLES).toBeGreaterThan(2 * 510)
})

it.each([
  ['the network is cut off', (file: string) => truncate(file, 100), 'onnx/model_quantized.onnx'],
  ['the alphabet is no JSON', (file: string) => writeFile(file, '{'), 'tokenizer.json'],
  ['the voice is cut off', (file: string) => truncate(file, 1000), 'voices/af_heart.bin'],
])('names the file when %s, sets it aside, and speaks again with whole files', async (_name, harm, file) => {
  await harm(join(folder, file))
  await expect(engine.speak({ text: 'Hello.', voice: 'af_heart', speed: 1 }, signal)).rejects.toMatchObject({
    status: 500,
    type: 'model_error',
    message: `A file of model 'kokoro' is damaged: ${file}. Download it again with POST /v1/models/kokoro`,
  })
  expect(await engine.weights.folder()).toBeNull()
  await expect(engine.speak({ text: 'Hello.', voice: 'af_heart', speed: 1 }, signal)).rejects.toMatchObject({
    status: 404,
  })
  await writeTinyKokoro(folder)
  expect(await levels('Hello.', 'af_heart')).toHaveLength(6)
})
