import { describe, expect, it, onTestFinished } from 'vitest'
import {
  startModelService,
  type ModelServiceAnswer,
  type ModelServiceCall,
} from '../../../tests/helpers/model-service.ts'
import { countTokens } from '../../../contract/evidence/count-tokens.ts'
import { createOpenAiBackend } from './openai/openai-backend.ts'

async function setup({ reply }: { reply: (call: ModelServiceCall, n: number) => ModelServiceAnswer }) {
  const service = await startModelService(reply)
  const backend = createOpenAiBackend(
    'embed',
    {
      backend: 'openai',
      model: 'm',
      base_url: `${service.url}/v1`,
      api_key_env: null,
      timeout_s: 20,
      retries: 0,
      cloud: false,
      defaults: {},
    },
    null,
  )
  onTestFinished(service.close)
  onTestFinished(() => backend.close())
  return { backend, service }
}

describe('embeddings', () => {
  const texts = Array.from({ length: 130 }, (_, index) => `text ${index}`)
  const vectorOf = (text: string) => [Number(text.slice(5)) + 1, 1]
  const reply =
    (change: (data: { index?: number; embedding: unknown }[]) => unknown[]) => (call: ModelServiceCall) => ({
      json: {
        data: change(
          (call.body as { input: string[] }).input.map((text, index) => ({ index, embedding: vectorOf(text) })),
        ),
      },
    })

  it('asks in batches, puts answers in order by index and normalizes', async () => {
    const { backend, service } = await setup({ reply: reply((data) => data.toReversed()) })
    const vectors = await backend.embed!(texts, 'document')
    expect(service.calls.map((call) => (call.body as { input: string[] }).input.length)).toEqual([64, 64, 2])
    expect(vectors).toHaveLength(130)
    for (const [index, vector] of vectors.entries()) {
      expect(Math.hypot(...vector)).toBeCloseTo(1, 6)
      expect(vector[0]! / vector[1]!).toBeCloseTo(index + 1, 2)
    }
  })

  it('reports the tokens of all batches, and estimates those of a batch that the service does not report', async () => {
    const reported: unknown[] = []
    const tokensOf = async (usage: (n: number) => object) => {
      const answer = reply((data) => data)
      const { backend } = await setup({ reply: (call, n) => ({ json: { ...answer(call).json, ...usage(n) } }) })
      await backend.embed!(texts, 'document', undefined, undefined, (tokens, how) => reported.push([tokens, how]))
      return reported.splice(0)
    }
    expect(await tokensOf((n) => ({ usage: { prompt_tokens: 10 * (n + 1), total_tokens: 0 } }))).toEqual([
      [60, { isEstimated: false }],
    ])
    const counted = (some: readonly string[]) => some.reduce((sum, text) => sum + countTokens(text), 0)
    expect(await tokensOf((n) => (n === 1 ? {} : { usage: { prompt_tokens: 10 } }))).toEqual([
      [20 + counted(texts.slice(64, 128)), { isEstimated: true }],
    ])
    expect(await tokensOf(() => ({ usage: { prompt_tokens: 'many' } }))).toEqual([
      [counted(texts), { isEstimated: true }],
    ])
  })

  it('takes the position where a service sends no index', async () => {
    const { backend } = await setup({ reply: reply((data) => data.map(({ embedding }) => ({ embedding }))) })
    expect(await backend.embed!(texts.slice(0, 2), 'query')).toHaveLength(2)
  })

  it.each([
    ['null', null],
    ['one of another dimension', [1, 2, 3]],
    ['zeros', [0, 0]],
  ])('a batch whose second vector is %s is asked for in parts', async (_name, embedding) => {
    const { backend } = await setup({
      reply: reply((data) => (data.length < 2 ? data : data.with(1, { index: 1, embedding }))),
    })
    const vectors = await backend.embed!(texts.slice(0, 70), 'document')
    expect(vectors.map((vector) => Math.round(vector[0]! / vector[1]!))).toEqual(
      Array.from({ length: 70 }, (_, index) => index + 1),
    )
  })

  it('the texts of a batch with the same number for each are asked for one by one', async () => {
    const { backend, service } = await setup({
      reply: reply((data) => data.map(({ embedding }) => ({ index: 0, embedding }))),
    })
    expect(await backend.embed!(texts.slice(0, 4), 'document')).toHaveLength(4)
    expect(service.calls.map((call) => (call.body as { input: string[] }).input.length)).toEqual([4, 2, 1, 1, 1, 1])
  })

  it.each([
    ['a missing one', (data: unknown[]) => data.slice(1)],
    ['one too many', (data: unknown[]) => [...data, { index: 3, embedding: [1, 1] }]],
    ['a wrong index', (data: { embedding: unknown }[]) => data.map(({ embedding }) => ({ index: 9, embedding }))],
    ['text instead of numbers', (data: unknown[]) => data.with(0, { index: 0, embedding: ['a', 'b'] })],
    ['zeros', (data: unknown[]) => data.with(0, { index: 0, embedding: [0, 0] })],
  ])('refuses %s', async (_name, change) => {
    const { backend } = await setup({ reply: reply(change) })
    await expect(backend.embed!(texts.slice(0, 3), 'query')).rejects.toMatchObject({ code: 'invalid_response' })
  })
})
