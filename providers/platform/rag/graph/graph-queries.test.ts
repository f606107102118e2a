import { describe, expect, it, onTestFinished } from 'vitest'
import { fakeModelHost } from '../../../../tests/helpers/fake-model-host.ts'
import { hang, json, resetMidBody, text } from '../../../../tests/helpers/fault-server.ts'
import { ragFixture, WORLD } from '../../../../tests/helpers/rag-fixture.ts'
import { listen } from '../../../kit/server.ts'
import { registerGraphEngineRoutes } from '../../specified/compatibility/lightrag/server.ts'
import { engineBench, feed } from '../../../../tests/helpers/graph-engine-bench.ts'
import { scriptedModels } from '../../../../tests/helpers/scripted-models.ts'
import { testFaultServer, testServer } from '../../../../tests/helpers/test-server.ts'
import { ModelCallError } from '../../models/model-host.ts'
import { embeddedGraphQueries } from './embedded-graph-queries.ts'
import type { GraphQueries } from './graph-queries.ts'
import type { RemoteCalls } from '../call-meter.ts'
import { httpGraphQueries } from './http-graph-queries.ts'

const FACTS = 'Ann Reed/person > founded > Hill Bank/organization: Ann Reed founded Hill Bank.'
const QUESTION = {
  query: 'Who founded Hill Bank?',
  mode: 'hybrid',
  top_k: 10,
  chunk_top_k: 5,
  max_total_tokens: 12_000,
  enable_rerank: false,
} as const

async function engine() {
  const bench = engineBench()
  onTestFinished(() => bench.cleanUp())
  const models = scriptedModels()
  const opened = bench.open({ models, apiKey: 'key' })
  await feed(opened, { 'a.md': FACTS })
  return { engine: opened, models, bench }
}

function account() {
  const spent: RemoteCalls[] = []
  const models = scriptedModels()
  return { models, spent, addRemote: (calls: RemoteCalls) => void spent.push(calls) }
}

async function overHttp(apiKey: string): Promise<GraphQueries> {
  const app = testServer()
  const { engine: opened } = await engine()
  void app.register((scope) => registerGraphEngineRoutes(scope, opened), { prefix: '/graph-engine' })
  const { url } = await listen(app, '127.0.0.1', 0)
  const queries = httpGraphQueries({ url: `${url}/graph-engine/`, apiKey })
  onTestFinished(() => queries.close())
  return queries
}

describe('an engine in this process', () => {
  it('answers with the request’s own models and counts what it used', async () => {
    const { engine: opened, models } = await engine()
    const asked = models.calls.length
    const caller = account()
    const { answer, counts, passages } = await embeddedGraphQueries(opened).answer(QUESTION, caller)
    expect(passages).toEqual([{ document: 'a.md', content: FACTS, score: expect.any(Number) }])
    expect(answer).toContain('Ann Reed founded Hill Bank.')
    expect(counts).toEqual({ entities: 2, relations: 1, chunks: 1 })
    expect(caller.models.calls).toEqual(['graph_keyword', 'embed', 'graph_query'])
    expect([models.calls.length - asked, caller.spent]).toEqual([0, []])
  })

  it('asks again with half the context where it is too long for the model, and fails when less is no use', async () => {
    const { engine: opened } = await engine()
    const totals: number[] = []
    const queries = embeddedGraphQueries({
      ...opened,
      query: (request, options) => {
        totals.push(request.max_total_tokens)
        if (request.max_total_tokens > 4000 || request.query === 'always')
          return Promise.reject(new ModelCallError('context_length_exceeded', 'graph_query', 'too long'))
        return opened.query(request, options)
      },
    })
    expect((await queries.answer(QUESTION, account())).answer).toContain('Ann Reed')
    expect(totals.splice(0)).toEqual([12_000, 6000, 3000])
    await expect(queries.answer({ ...QUESTION, query: 'always' }, account())).rejects.toThrow('too long')
    expect(totals).toEqual([12_000, 6000, 3000, 1500])
  })

  it('finds without an answer being written', async () => {
    const { engine: opened } = await engine()
    const caller = account()
    const found = await embeddedGraphQueries(opened).find(QUESTION, caller)
    expect(found).toMatchObject({
      entities: [{ name: expect.any(String) }, {}],
      relations: [
        { source: 'Ann Reed', target: 'Hill Bank', keywords: 'founded', description: 'Ann Reed founded Hill Bank.' },
      ],
      chunks: [{ document: 'a.md', title: 'a', content: FACTS }],
    })
    expect(caller.models.calls).toEqual(['graph_keyword', 'embed'])
  })

  it('refuses to answer from an empty graph', async () => {
    const { bench } = await engine()
    const empty = bench.open({ stateFile: bench.file('empty.sqlite') })
    await expect(embeddedGraphQueries(empty).answer(QUESTION, account())).rejects.toMatchObject({
      code: 'graph_empty',
      status: 409,
    })
  })
})

describe('a question that is longer than the engine takes', () => {
  const long = { ...QUESTION, query: 'Borisets Locks gates. '.repeat(1500) }
  const refusal = { code: 'question_too_long', status: 400, param: 'messages' }

  it('is refused as such by the engine here and by one over HTTP', async () => {
    const { engine: opened } = await engine()
    for (const queries of [embeddedGraphQueries(opened), await overHttp('key')]) {
      await expect(queries.answer(long, account())).rejects.toMatchObject(refusal)
      await expect(queries.find(long, account())).rejects.toMatchObject(refusal)
    }
  })
})

describe('an engine over HTTP', () => {
  it('answers the same and reports its calls', async () => {
    const queries = await overHttp('key')
    const caller = account()
    const { answer, counts, passages } = await queries.answer(QUESTION, caller)
    expect(passages).toEqual([{ document: 'a.md', content: FACTS, score: null }])
    expect(answer).toContain('Ann Reed founded Hill Bank.')
    expect(counts).toEqual({ entities: null, relations: null, chunks: 1 })
    expect(caller.spent).toMatchObject([{ llmCalls: 2, cloudCalls: 0, usage: { prompt_tokens: 20 } }])
    expect((await queries.find(QUESTION, caller)).chunks).toEqual([{ document: 'a.md', title: 'a', content: FACTS }])
    expect(caller.spent[1]).toMatchObject({ llmCalls: 1 })
    expect(caller.models.calls).toEqual([])
  })

  it('is asked with its key', async () => {
    const queries = await overHttp('another')
    await expect(queries.answer(QUESTION, account())).rejects.toMatchObject({
      code: 'model_access_refused',
      message: 'the graph engine refused the credentials',
    })
  })

  it.each([
    [402, { code: 'model_access_refused', status: 502 }],
    [429, { code: 'rate_limited', status: 429, headers: { 'retry-after': '7' } }],
    [504, { code: 'graph_timeout', status: 504 }],
    [500, { code: 'graph_failed', status: 502 }],
  ])('keeps what HTTP %i means', async (status, expected) => {
    const server = await testFaultServer()
    const queries = httpGraphQueries({ url: server.url, apiKey: null })
    onTestFinished(() => queries.close())
    server.script(json({}, status, { 'retry-after': '7' }))
    await expect(queries.answer(QUESTION, account())).rejects.toMatchObject(expected)
  })

  it('refuses the account where it limits calls because its credit is used up', async () => {
    const server = await testFaultServer()
    const queries = httpGraphQueries({ url: server.url, apiKey: null })
    onTestFinished(() => queries.close())
    server.script(json({ error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } }, 429))
    await expect(queries.answer(QUESTION, account())).rejects.toMatchObject({ code: 'model_access_refused' })
  })

  it('may be one that reports no cost and answers in `data`', async () => {
    const server = await testFaultServer()
    const queries = httpGraphQueries({ url: server.url, apiKey: null })
    onTestFinished(() => queries.close())
    const references = [{ reference_id: '1', file_path: 'a.md', content: ['x', 'y'] }]
    server.script(
      json({ data: '<think>Which?</think> From data. ', references }),
      json({ response: 'R', data: 'D', references: null }),
    )
    const caller = account()
    expect(await queries.answer(QUESTION, caller)).toEqual({
      answer: 'From data.',
      counts: { entities: null, relations: null, chunks: 2 },
      passages: ['x', 'y'].map((content) => ({ document: 'a.md', content, score: null })),
    })
    expect(await queries.answer({ ...QUESTION, mode: 'naive' }, caller)).toMatchObject({ answer: 'R', passages: null })
    expect(caller.spent.map(({ llmCalls }) => llmCalls)).toEqual([2, 1])
    expect(JSON.parse(server.requests[0]!.body)).toEqual({
      ...QUESTION,
      include_references: true,
      include_chunk_content: true,
    })
  })

  it.each([
    ['refuses', json({}, 500), 'graph_failed', 502],
    ['is no engine', text('<html>'), 'graph_failed', 502],
    ['answers with no text', json({ response: '' }), 'model_answer_invalid', 502],
    ['answers with reasoning alone', json({ response: '<think>Which?' }), 'model_answer_invalid', 502],
    ['breaks off', resetMidBody, 'graph_failed', 502],
    ['times out', json({}, 504), 'graph_timeout', 504],
    ['hangs', hang, 'graph_timeout', 504],
  ])('that %s is a typed failure', async (_what, behaviour, code, status) => {
    const server = await testFaultServer()
    server.script(behaviour)
    const queries = httpGraphQueries({ url: server.url, apiKey: null, timeoutMs: behaviour === hang ? 100 : 20_000 })
    onTestFinished(() => queries.close())
    await expect(queries.answer(QUESTION, account())).rejects.toMatchObject({ code, status })
  })
})

describe('graph-rag', () => {
  async function open(graph: GraphQueries) {
    const models = fakeModelHost()
    const fixture = await ragFixture(models, WORLD, { graph })
    const ask = (alias: string, content: string, more: { context_budget?: number } = {}) =>
      fixture.plugin.answer(alias, { model: alias, messages: [{ role: 'user', content }], ...more })
    models.calls.length = 0
    return { ask, models }
  }

  it.each([
    ['graph-rag', { mode: 'hybrid', top_k: 10, chunk_top_k: 5, max_total_tokens: 12_000, enable_rerank: false }],
    ['graph-rag-fast', { mode: 'local', top_k: 5, chunk_top_k: 3, max_total_tokens: 8000, enable_rerank: false }],
    ['graph-rag-wide', { mode: 'hybrid', top_k: 30, chunk_top_k: 12, max_total_tokens: 24_000, enable_rerank: false }],
    ['graph-rag-rerank', { mode: 'hybrid', top_k: 10, chunk_top_k: 5, max_total_tokens: 12_000, enable_rerank: true }],
  ])('%s asks with its managed profile and carries a marker that is no context', async (alias, profile) => {
    const asked: unknown[] = []
    const { ask } = await open({
      answer: async (question, account) => {
        asked.push(question)
        account.addRemote({ llmCalls: 2, cloudCalls: 1, usage: null, models: null })
        return {
          answer: 'It was.',
          counts: { entities: 4, relations: 3, chunks: 2 },
          passages: [{ document: 'b/a.md', content: 'x'.repeat(300), score: 0.5 }],
        }
      },
      find: () => Promise.reject(new Error('not asked')),
    })
    const { rag_extension: extension } = await ask(alias, 'Who?')
    expect(asked).toEqual([{ query: 'Who?', ...profile }])
    expect(extension).toMatchObject({
      answer: 'It was.',
      sources: [{ title: `knowledge graph (${profile.mode})`, snippet: '', score: 1, kind: 'knowledge_graph' }],
      metrics: { chunks: 2, llm_calls: 2, cloud_calls: 1 },
      used_passages: [
        { title: 'b/a.md', snippet: 'x'.repeat(240), score: 0.5, text: 'x'.repeat(300), document: 'b/a.md' },
      ],
      graph: { mode: profile.mode, query_profile: alias, entities: 4, relations: 3, chunks: 2 },
    })
  })

  it('asks within the context budget of the request and reports statements as what was handed over too', async () => {
    const asked: unknown[] = []
    const { ask } = await open({
      answer: async (question) => {
        asked.push(question)
        const passages = [
          { document: 'a.md', content: 'A chunk.', score: 0.5 },
          { document: null, content: 'A statement.', score: null },
        ]
        return { answer: 'It was.', counts: { entities: 1, relations: 1, chunks: 1 }, passages, contextTokens: 140 }
      },
      find: () => Promise.reject(new Error('not asked')),
    })
    const { rag_extension: extension } = await ask('graph-rag', 'Who?', { context_budget: 150 })
    expect(asked).toMatchObject([{ context_budget: 150 }])
    expect(extension!.metrics).toMatchObject({ context_tokens: 140, context_budget: 150 })
    expect(extension!.used_passages).toEqual([
      { title: 'a.md', snippet: 'A chunk.', score: 0.5, text: 'A chunk.', document: 'a.md' },
      { title: 'Knowledge graph', snippet: 'A statement.', score: null, text: 'A statement.' },
    ])
  })

  it.each(['ab', '人'])('answers %j itself, with a notice', async (question) => {
    const never = () => Promise.reject(new Error('not asked'))
    const { ask, models } = await open({ answer: never, find: never })
    expect((await ask('graph-rag', question)).rag_extension).toMatchObject({
      answer: expect.stringContaining('at least 3 characters'),
      sources: [],
      metrics: { chunks: 0, llm_calls: 0 },
    })
    expect(models.calls).toEqual([])
  })
})
