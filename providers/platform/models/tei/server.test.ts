import { expect, it } from 'vitest'
import { tinyModelHost } from '../../../../tests/helpers/fake-builtin-models.ts'
import { testServer } from '../../../../tests/helpers/test-server.ts'
import { listen } from '../../../kit/server.ts'
import { ModelCallError } from '../model-host.ts'
import { registerRerankerRoutes } from './server.ts'

async function start(host = tinyModelHost()) {
  const app = testServer()
  registerRerankerRoutes(app, host, '1.2.3')
  const { url } = await listen(app, '127.0.0.1', 0)
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    return [answer.status, await answer.json()] as const
  }
  return { url, post }
}

const high = 1 / (1 + Math.exp(-2))
const low = 1 / (1 + Math.exp(2))

it('ranks best first, equal scores by index, as probabilities', async () => {
  const { post } = await start()
  expect(await post('/rerank', { query: 'q', texts: ['a', 'bq', 'c', 'q'] })).toEqual([
    200,
    [
      { index: 1, score: high },
      { index: 3, score: high },
      { index: 0, score: low },
      { index: 2, score: low },
    ],
  ])
})

it('gives raw scores and texts where asked for, ordered by the raw score', async () => {
  const { post } = await start()
  expect(await post('/rerank', { query: 'q', texts: ['a', 'q'], raw_scores: true, return_text: true })).toEqual([
    200,
    [
      { index: 1, score: 2, text: 'q' },
      { index: 0, score: -2, text: 'a' },
    ],
  ])
  const far = await start(tinyModelHost({ scoreRelevance: (_query, text) => Number(text) }))
  const [, ranked] = await far.post('/rerank', { query: 'q', texts: ['50', '90', '70'] })
  expect((ranked as { index: number }[]).map((entry) => entry.index)).toEqual([1, 2, 0])
})

it('takes 32 texts and refuses 33 with 413', async () => {
  const { post } = await start()
  const texts = (count: number) => new Array<string>(count).fill('x')
  expect((await post('/rerank', { query: 'q', texts: texts(32) }))[1]).toHaveLength(32)
  for (const call of [post('/rerank', { query: 'q', texts: texts(33) }), post('/embed', { inputs: texts(33) })]) {
    expect(await call).toEqual([
      413,
      { error: 'A batch of 33 texts exceeds the limit of 32', error_type: 'Validation' },
    ])
  }
})

it.each([
  ['/rerank', { query: '', texts: ['a'] }],
  ['/rerank', { texts: ['a'] }],
  ['/rerank', { query: 'q', texts: [1] }],
  ['/rerank', { query: 'q', texts: ['a'], truncation_direction: 'up' }],
  ['/embed', { inputs: 'a', normalize: false }],
  ['/embed', { inputs: 'a', dimensions: 32 }],
])('%s refuses %j with 422', async (path, body) => {
  const { post } = await start()
  expect(await post(path, body)).toEqual([422, { error: expect.any(String), error_type: 'Validation' }])
})

it.each([
  ['/rerank', { query: 'q', texts: [] }],
  ['/embed', { inputs: [] }],
])('%s answers the empty batch %j as TEI does', async (path, body) => {
  const { post } = await start()
  expect(await post(path, body)).toEqual([400, { error: 'The batch is empty', error_type: 'Empty' }])
})

it.each(['Left', 'Right', 'left', 'right', null])('takes the truncation direction %s', async (direction) => {
  const { post } = await start()
  const body = { query: 'q', texts: ['a'], truncation_direction: direction, truncate: null, raw_scores: null }
  expect((await post('/rerank', body))[0]).toBe(200)
})

it('embeds one text or many, and reports its limits', async () => {
  const { post, url } = await start()
  expect(await post('/embed', { inputs: 'abc' })).toEqual([200, [[3, 1]]])
  expect(await post('/embed', { inputs: ['abc', 'a'] })).toEqual([
    200,
    [
      [3, 1],
      [1, 1],
    ],
  ])
  expect(await (await fetch(`${url}/info`)).json()).toMatchObject({
    model_id: 'tiny-rerank',
    max_client_batch_size: 32,
    served_model_name: 'tiny-rerank',
    max_input_length: expect.any(Number),
    max_batch_tokens: expect.any(Number),
    max_concurrent_requests: expect.any(Number),
    auto_truncate: false,
    tokenization_workers: 1,
    version: '1.2.3',
  })
})

it.each([
  ['upstream_error' as const, 424, 'Backend'],
  ['rate_limited' as const, 429, 'Overloaded'],
])('reports a model’s %s as %i', async (code, status, type) => {
  const broken = () => {
    throw new ModelCallError(code, 'rerank', 'down')
  }
  const { post } = await start(tinyModelHost({ scoreRelevance: broken }))
  expect(await post('/rerank', { query: 'q', texts: ['a'] })).toEqual([
    status,
    { error: expect.stringMatching(/^the model call for role rerank failed: /), error_type: type },
  ])
})
