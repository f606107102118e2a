import { describe, expect, it, onTestFinished } from 'vitest'
import { startModelService } from '../../../tests/helpers/model-service.ts'
import type { ModelServiceAnswer, ModelServiceCall } from '../../../tests/helpers/model-service.ts'
import { createHttpAliasBackend } from './http-alias-backend.ts'

const completion = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'vanilla-rag-wide',
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'hi' } }],
  rag_extension: {
    schema_version: 1,
    answer: 'hi',
    sources: [{ title: 't', snippet: 's', score: 1 }],
    metrics: { seconds: 1, chunks: 1, llm_calls: 1, cloud_calls: 0 },
    lazy_graph: { cache_hit: true },
  },
}

async function setup(reply: (call: ModelServiceCall) => ModelServiceAnswer) {
  const plugin = await startModelService(reply)
  const backend = createHttpAliasBackend({
    url: plugin.url,
    routePrefix: '/rag',
    bases: new Map([
      ['vanilla-rag-wide', 'vanilla-rag'],
      ['graph-rag', 'graph-rag'],
    ]),
    token: 'op',
    edgeKey: 'edge',
  })
  onTestFinished(plugin.close)
  onTestFinished(() => backend.close())
  return { plugin, backend }
}

const request = { model: 'vanilla-rag-wide', messages: [{ role: 'user' as const, content: 'q' }], think: false }

describe('answer', () => {
  it('posts to the route of the base approach, with the token', async () => {
    const { plugin, backend } = await setup(() => ({ json: completion }))
    expect(await backend.answer('vanilla-rag-wide', request)).toEqual(completion)
    expect(plugin.calls[0]).toMatchObject({
      method: 'POST',
      path: '/rag/vanilla-rag/v1/chat/completions',
      headers: { authorization: 'Bearer op', apikey: 'edge' },
      body: { ...request, stream: false },
    })
  })

  it.each([
    [409, { detail: 'not ingested' }, 409, 'not ingested'],
    [500, { detail: 'secret' }, 502, 'The plugin answered HTTP 500'],
    [503, {}, 503, 'The plugin answered HTTP 503'],
    [200, { id: 'x' }, 502, 'The plugin answered in an unknown form'],
    [200, { ...completion, rag_extension: { schema_version: 2 } }, 502, 'The plugin answered in an unknown form'],
  ])('HTTP %i %j ends in %i', async (status, json, expected, message) => {
    const { backend } = await setup(() => ({ status, json }))
    await expect(backend.answer('vanilla-rag-wide', request)).rejects.toMatchObject({ status: expected, message })
  })

  it('reports that the service does not answer', async () => {
    const { plugin, backend } = await setup(() => ({ json: completion }))
    await plugin.close()
    await expect(backend.answer('vanilla-rag-wide', request)).rejects.toMatchObject({
      status: 503,
      code: 'plugin_unreachable',
    })
    expect(await backend.availability('graph-rag')).toEqual({
      available: false,
      reason: 'The plugin cannot be reached',
    })
  })
})

it('streams one whole chunk with the evidence, then [DONE]', async () => {
  const { backend } = await setup(() => ({ json: completion }))
  const frames = backend.streamFrames(await backend.answer('vanilla-rag-wide', request))
  expect(frames).toHaveLength(2)
  expect(frames[1]).toBe('data: [DONE]\n\n')
  expect(JSON.parse(frames[0]!.slice(6))).toMatchObject({
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { content: 'hi' }, finish_reason: 'stop' }],
    rag_extension: completion.rag_extension,
  })
})

it('passes on what a plugin streams, and the rest with the evidence in the last chunk', async () => {
  const chunk = (fields: object, content: string, finish: string | null) => ({
    id: 'p',
    model: 'm',
    ...fields,
    choices: [{ index: 0, delta: { content }, finish_reason: finish }],
  })
  const { plugin, backend } = await setup(() => ({
    raw: (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      const { rag_extension } = completion
      for (const each of [chunk({}, 'h', null), chunk({}, 'i', null), chunk({ rag_extension }, '\n\nSources', 'stop')])
        response.write(`data: ${JSON.stringify(each)}\n\n`)
      response.end('data: [DONE]\n\n')
    },
  }))
  const pieces: string[] = []
  const whole = await backend.answer('vanilla-rag-wide', request, undefined, (piece) => pieces.push(piece))
  expect(plugin.calls[0]!.body).toMatchObject({ stream: true })
  expect(pieces).toEqual(['h', 'i'])
  expect(whole).toMatchObject({
    choices: [{ message: { content: 'hi\n\nSources' }, finish_reason: 'stop' }],
    rag_extension: completion.rag_extension,
  })
  const head = { id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' } as const
  const [last] = backend.streamFrames(whole, { head, text: 'hi' })
  expect(JSON.parse(last!.slice(6))).toMatchObject({ id: 'x', choices: [{ delta: { content: '\n\nSources' } }] })
})

it('a plugin that reports an error while it answers is a bad gateway', async () => {
  const { backend } = await setup(() => ({
    raw: (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end('data: {"error":{"message":"too slow"}}\n\ndata: [DONE]\n\n')
    },
  }))
  await expect(backend.answer('vanilla-rag-wide', request, undefined, () => undefined)).rejects.toMatchObject({
    status: 502,
    message: 'The plugin failed while it answered: too slow',
  })
})

describe('availability', () => {
  it('is what the plugin’s health reports; an alias it leaves out is unknown', async () => {
    const aliases = [{ alias: 'vanilla-rag-wide', available: false, reason: 'soon' }]
    const { plugin, backend } = await setup(() => ({ json: { status: 'healthy', aliases } }))
    expect(await backend.availability('vanilla-rag-wide')).toEqual({ available: false, reason: 'soon' })
    expect(await backend.availability('graph-rag')).toBeNull()
    expect(plugin.calls.map((call) => call.path)).toEqual(['/rag/health'])
  })

  it('is taken for given when the health lists no aliases', async () => {
    const { backend } = await setup(() => ({ json: { status: 'healthy' } }))
    expect(await backend.availability('graph-rag')).toEqual({ available: true, reason: null })
  })
})
