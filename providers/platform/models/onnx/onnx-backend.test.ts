import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { writeCrossEncoder, writeEmbeddingModel, writeGenerator } from '../../../../tests/helpers/tiny-onnx-models.ts'
import type { ModelOf } from '../../../../contract/manifests/model-backends.ts'
import { createOnnxBackend } from './onnx-backend.ts'
import { createOnnxModels, type OnnxModels } from './onnx-models.ts'
import { suiteFolder } from '../../../../tests/helpers/temporary-folder.ts'

const folder = suiteFolder('tiny-onnx')
let models: OnnxModels
beforeAll(async () => {
  await Promise.all([
    writeEmbeddingModel(join(folder, 'embedder')),
    writeCrossEncoder(join(folder, 'cross-encoder')),
    writeGenerator(join(folder, 'generator')),
  ])
  models = createOnnxModels(join(folder, 'cache'))
})
afterAll(() => models.close())
afterEach(() => vi.unstubAllEnvs())

const choice = (name: string, task: ModelOf<'onnx'>['task'], more: Partial<ModelOf<'onnx'>> = {}): ModelOf<'onnx'> => ({
  backend: 'onnx',
  model: join(folder, name),
  task,
  dtype: 'fp32',
  query_prefix: '',
  document_prefix: '',
  max_new_tokens: 8,
  ...more,
})

describe('embeddings', () => {
  it('pools over the words of each text and normalizes, whatever else is in the batch', async () => {
    const backend = createOnnxBackend('embed', choice('embedder', 'embedding'), models)
    const texts = [...new Array<string>(20).fill('salt'), 'red green', 'sea red sea blue sea']
    const vectors = await backend.embed!(texts, 'document')
    expect(vectors).toHaveLength(22)
    expect(round(vectors[0]!)).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1, 0])
    expect(round(vectors[20]!)).toEqual([0, 0, 0, 0, 0, 0.707, 0.707, 0, 0, 0])
    expect(round(vectors[21]!)).toEqual([0, 0, 0, 0, 0, 0.302, 0, 0.302, 0, 0.905])
  })

  it('report their tokens, each text at most the limit of the model', async () => {
    const tokens: number[] = []
    const texts = Array.from({ length: 16 }, (_, index) => 'red sea '.repeat(100 * (index + 1)))
    const vectors = await createOnnxBackend('embed', choice('embedder', 'embedding'), models).embed!(
      texts,
      'document',
      undefined,
      undefined,
      (count) => tokens.push(count),
    )
    for (const vector of vectors) expect(round(vector)).toEqual([0, 0, 0, 0, 0, 0.707, 0, 0, 0, 0.707])
    expect(tokens).toEqual([16 * 64])
  })

  it('puts the prefix of its side in front', async () => {
    const prefixed = choice('embedder', 'embedding', { query_prefix: 'blue ', document_prefix: 'green ' })
    const backend = createOnnxBackend('embed', prefixed, models)
    expect(round((await backend.embed!(['salt'], 'query'))[0]!)).toEqual([0, 0, 0, 0, 0, 0, 0, 0.707, 0.707, 0])
    expect(round((await backend.embed!(['salt'], 'document'))[0]!)).toEqual([0, 0, 0, 0, 0, 0, 0.707, 0, 0.707, 0])
  })
})

describe('settings beside the network', () => {
  const embedOne = async (name: string, text: string, more: Partial<ModelOf<'onnx'>> = {}) => {
    const backend = createOnnxBackend('embed', choice(name, 'embedding', more), models)
    return round((await backend.embed!([text], 'document'))[0]!)
  }
  const writeSettings = async (name: string, file: string, settings: object) => {
    await writeEmbeddingModel(join(folder, name))
    await mkdir(join(folder, name, '1_Pooling'), { recursive: true })
    await writeFile(join(folder, name, file), JSON.stringify(settings))
  }

  it('takes the first token where 1_Pooling/config.json asks for cls', async () => {
    await writeSettings('first-token', '1_Pooling/config.json', { pooling_mode_cls_token: true })
    expect(await embedOne('first-token', 'red sea')).toEqual([0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
    expect(await embedOne('first-token', 'red sea', { pooling: 'mean' })).toEqual([
      0, 0, 0, 0, 0, 0.707, 0, 0, 0, 0.707,
    ])
  })

  it('cuts a text at max_seq_length of sentence_bert_config.json, or at max_tokens of the manifest', async () => {
    await writeSettings('short', 'sentence_bert_config.json', { max_seq_length: 2 })
    expect(await embedOne('short', 'red red sea sea')).toEqual([0, 0, 0, 0, 0, 1, 0, 0, 0, 0])
    expect(await embedOne('embedder', 'red sea sea sea', { max_tokens: 2 })).toEqual([
      0, 0, 0, 0, 0, 0.707, 0, 0, 0, 0.707,
    ])
  })

  it('names a pooling that it does not have', async () => {
    await writeSettings('maximum', '1_Pooling/config.json', { pooling_mode_max_tokens: true })
    await expect(embedOne('maximum', 'red')).rejects.toThrow(
      '1_Pooling/config.json asks for pooling_mode_max_tokens, expected pooling_mode_mean_tokens or pooling_mode_cls_token',
    )
  })
})

it('cross-encoder gives raw scores in the order of the texts, over more than one batch', async () => {
  const backend = createOnnxBackend('rerank', choice('cross-encoder', 'rerank'), models)
  const texts = Array.from({ length: 18 }, (_, index) =>
    index === 17 ? 'the sea' : index % 2 === 0 ? 'green' : 'salt',
  )
  const scores = await backend.rerank!('red', texts)
  expect(scores).toEqual(texts.map((text) => ({ green: 6, salt: 8, 'the sea': 9 })[text]))
})

describe('generation', () => {
  const backend = () => createOnnxBackend('light_gen', choice('generator', 'generation'), models)

  it('continues the conversation until the end token and counts tokens', async () => {
    const answer = await backend().chat!({ messages: [{ role: 'user', content: 'salt red' }] })
    expect(answer.choices).toEqual([
      { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'green blue' } },
    ])
    expect(answer.usage).toEqual({ prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 })
  })

  it('keeps max_tokens and reports that it cut', async () => {
    const answer = await backend().chat!({ messages: [{ role: 'user', content: 'red' }], max_tokens: 1 })
    expect(answer.choices[0]).toEqual({
      index: 0,
      finish_reason: 'length',
      message: { role: 'assistant', content: 'green' },
    })
  })

  it('refuses tools and stops for an aborted caller', async () => {
    const messages = [{ role: 'user' as const, content: 'red' }]
    const tools = [{ type: 'function' as const, function: { name: 'search' } }]
    await expect(backend().chat!({ messages, tools })).rejects.toMatchObject({ code: 'bad_request' })
    await expect(backend().chat!({ messages }, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' })
  })
})

describe('missing weights', () => {
  it('names the model and what to do', async () => {
    await rm(join(folder, 'broken'), { recursive: true, force: true })
    await writeEmbeddingModel(join(folder, 'broken'))
    await rm(join(folder, 'broken', 'onnx'), { recursive: true })
    const backend = createOnnxBackend('embed', choice('broken', 'embedding'), models)
    await expect(backend.embed!(['red'], 'query')).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringMatching(/broken" of role embed cannot be loaded: .* The folder must hold config\.json/s),
    })
    await writeEmbeddingModel(join(folder, 'broken'))
    expect(await backend.embed!(['red'], 'query')).toHaveLength(1)
  })

  it('explains how to go on without a network when there is no folder', async () => {
    vi.stubEnv('RAG_LADDER_OFFLINE', '1')
    const absent = { ...choice('x', 'embedding'), model: 'unlisted/no-such-model' }
    await expect(createOnnxBackend('embed', absent, models).embed!(['red'], 'query')).rejects.toMatchObject({
      code: 'not_configured',
      message: expect.stringMatching(
        /unlisted\/no-such-model.*Without a network, .*put the model files into a folder/s,
      ),
    })
  })
})

function round(vector: Float32Array): number[] {
  return Array.from(vector, (value) => Math.round(value * 1000) / 1000)
}
