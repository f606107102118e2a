/**
 * The `onnx` backend on the real e5-small-v2, whose queries and passages begin with a word. The reference vectors are of the same network and
 * tokenizer in Python (onnxruntime 1.32.0 and tokenizers 0.23.3): the mean over all tokens, length 1.
 */
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ModelBackend } from '../../providers/platform/models/model-backend.ts'
import { createOnnxBackend } from '../../providers/platform/models/onnx/onnx-backend.ts'
import { createOnnxModels, type OnnxModels } from '../../providers/platform/models/onnx/onnx-models.ts'
import { skipWithout } from './skip-without.ts'
import { realWeights } from './weights.ts'

const weights = await realWeights('e5-small-v2')
skipWithout(weights)

let folder: string
let models: OnnxModels
let backend: ModelBackend
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rag-ladder-e5-'))
  await cp(weights.folder!, folder, { recursive: true })
  await writeFile(join(folder, 'config.json'), JSON.stringify({ model_type: 'bert', hidden_size: 384 }))
  await writeFile(
    join(folder, 'tokenizer_config.json'),
    JSON.stringify({ tokenizer_class: 'BertTokenizer', pad_token: '[PAD]' }),
  )
  models = createOnnxModels('/nonexistent')
  backend = createOnnxBackend(
    'embed',
    {
      backend: 'onnx',
      model: folder,
      task: 'embedding',
      dtype: 'q8',
      pooling: 'mean',
      max_tokens: 512,
      query_prefix: 'query: ',
      document_prefix: 'passage: ',
      max_new_tokens: 1,
    },
    models,
  )
})
afterAll(async () => {
  await models.close()
  await rm(folder, { recursive: true, force: true })
})

const QUESTION = 'how far is it to the harbour'
const PASSAGES = [
  'The harbour lies two kilometres south of the station.',
  'Boil the rice for twelve minutes and add salt.',
  'Ships that enter the harbour are recorded by the authority.',
]
const REFERENCE = {
  question: [-0.04164, 0.02489, 0.04411, 0.02287, -0.00123, 0.03871, 0.03007, -0.09129],
  passages: [
    [-0.04315, 0.00644, 0.01985, 0.06161, 0.0068, 0.05477, 0.0538, -0.07263],
    [-0.09363, 0.02243, 0.07485, -0.02039, -0.02177, 0.03883, 0.06981, -0.07499],
  ],
  cosines: [0.82752, 0.7262, 0.7968],
}

it('computes the reference vectors of a query and of passages, each behind its word', async () => {
  const [question] = await backend.embed!([QUESTION], 'query')
  const passages = await backend.embed!(PASSAGES, 'document')
  const off = (vector: Float32Array, values: readonly number[]): number =>
    Math.max(...values.map((value, index) => Math.abs(value - vector[index]!)))
  expect(off(question!, REFERENCE.question)).toBeLessThan(0.01)
  for (const [index, values] of REFERENCE.passages.entries()) expect(off(passages[index]!, values)).toBeLessThan(0.01)
  const cosines = passages.map((passage) => passage.reduce((sum, value, at) => sum + value * question![at]!, 0))
  // A network in 8 bits rounds a batch by its largest value.
  for (const [index, cosine] of cosines.entries())
    expect(Math.abs(cosine - REFERENCE.cosines[index]!)).toBeLessThan(0.01)
})
