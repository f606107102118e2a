import { expect, it, onTestFinished } from 'vitest'
import { startModelService, type ModelServiceCall } from '../../../tests/helpers/model-service.ts'
import { countTokens } from '../../../contract/evidence/count-tokens.ts'
import { KnownModels } from '../../../core/model-records/known-models.ts'
import type { OnTokens } from './model-host.ts'
import { createTeiBackend } from './tei-backend.ts'

type Ranked = { index: number; score: unknown }[]
const textsOf = (call: ModelServiceCall) => (call.body as { texts: string[] }).texts
const ranked = (call: ModelServiceCall): Ranked =>
  textsOf(call)
    .map((text, index) => ({ index, score: Number(text) }))
    .toReversed()

async function setup(change: (results: Ranked) => unknown = (results) => results) {
  const service = await startModelService((call) => ({ json: change(ranked(call)) }))
  const choice = { backend: 'tei' as const, model: 'r', base_url: service.url, api_key_env: null, timeout_s: 20 }
  const backend = createTeiBackend('rerank', choice, 'k-2')
  onTestFinished(service.close)
  onTestFinished(() => backend.close())
  return { service, backend }
}

const texts = Array.from({ length: 43 }, (_, index) => String(index / 2 - 5))

it('asks in batches of at most 32 and joins raw scores in the order of the texts', async () => {
  const { service, backend } = await setup()
  expect(await backend.rerank!('q', texts)).toEqual(texts.map(Number))
  expect(service.calls.map((call) => [call.path, textsOf(call).length])).toEqual([
    ['/rerank', 32],
    ['/rerank', 11],
  ])
  expect(service.calls[0]).toMatchObject({
    headers: { authorization: 'Bearer k-2' },
    body: { query: 'q', raw_scores: true },
  })
})

it.each([
  ['a missing result', (results: Ranked) => results.slice(1)],
  ['a repeated index', (results: Ranked) => results.map(({ score }) => ({ index: 0, score }))],
  ['an index out of range', (results: Ranked) => results.with(0, { index: 99, score: 1 })],
  ['a score that is no number', (results: Ranked) => results.with(0, { index: 0, score: '1' })],
  ['a score of null', (results: Ranked) => results.with(0, { index: 0, score: null })],
  ['another shape', () => ({ results: [] })],
])('fails on %s', async (_name, change) => {
  const { backend } = await setup(change)
  await expect(backend.rerank!('q', texts.slice(0, 3))).rejects.toMatchObject({
    code: 'invalid_response',
    role: 'rerank',
  })
})

it('asks nothing for no texts', async () => {
  const { service, backend } = await setup()
  expect(await backend.rerank!('q', [])).toEqual([])
  expect(service.calls).toEqual([])
})

it('keeps what it learns of the service, its dimensions and how many texts it takes at once, and estimates tokens', async () => {
  const service = await startModelService(({ body }) => {
    const { inputs } = body as { inputs: string[] }
    return inputs.length > 8
      ? {
          status: 422,
          json: { error: `batch size ${inputs.length} > maximum allowed batch size 8`, error_type: 'validation' },
        }
      : { json: inputs.map(() => [0.6, 0.8]) }
  })
  onTestFinished(service.close)
  const known = new KnownModels()
  const choice = { backend: 'tei' as const, model: 'e', base_url: service.url, api_key_env: null, timeout_s: 20 }
  const backend = createTeiBackend('embed', choice, null, { known })
  onTestFinished(() => backend.close())
  const counted: unknown[] = []
  const onTokens: OnTokens = (...tokens) => counted.push(tokens)
  expect(await backend.embed!(texts.slice(0, 32), 'document', undefined, undefined, onTokens)).toHaveLength(32)
  expect(counted).toEqual([
    [texts.slice(0, 32).reduce((sum, text) => sum + countTokens(text), 0), { isEstimated: true }],
  ])
  expect(known.records()).toMatchObject([{ model: 'e', embedding_batch: 8, dimensions: 2 }])
  const before = service.calls.length
  await createTeiBackend('embed', choice, null, { known }).embed!(texts.slice(0, 16), 'document')
  expect(service.calls.slice(before).map(({ body }) => (body as { inputs: string[] }).inputs.length)).toEqual([8, 8])
})
