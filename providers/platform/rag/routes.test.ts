import { describe, expect, it } from 'vitest'
import { fakeModelHost, type FakeModelHostOptions } from '../../../tests/helpers/fake-model-host.ts'
import { ragFixture, WORLD, type Documents } from '../../../tests/helpers/rag-fixture.ts'
import { testServer } from '../../../tests/helpers/test-server.ts'
import { ChatCompletion } from '../../../contract/http/chat.ts'
import { listen } from '../../kit/server.ts'
import { ModelCallError } from '../models/model-host.ts'

async function serve(options: FakeModelHostOptions = {}, documents: Documents = WORLD) {
  const models = fakeModelHost(options)
  const fixture = await ragFixture(models, documents)
  models.calls.length = 0
  const app = testServer()
  fixture.plugin.register(app)
  const { url } = await listen(app, '127.0.0.1', 0)
  const post = async (path: string, body: unknown) => {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
  }
  return { ...fixture, models, url, post }
}

const chat = (model: string, more: object = {}) => ({
  model,
  messages: [{ role: 'user', content: 'Who was master of the Grey Heron?' }],
  ...more,
})

interface Chunk {
  id: string
  choices: { delta: { content: string }; finish_reason: string | null }[]
  rag_extension?: { answer: string }
}

describe('chat completions', () => {
  it('answers in JSON and in exactly two frames', async () => {
    const { post } = await serve()
    const json = await post('/rag/vanilla-rag/v1/chat/completions', chat('vanilla-rag-wide'))
    expect(json.status).toBe(200)
    const completion = ChatCompletion.parse(JSON.parse(json.text))
    expect(completion).toMatchObject({ object: 'chat.completion', model: 'vanilla-rag-wide' })
    const streamed = await post('/rag/vanilla-rag/v1/chat/completions', chat('vanilla-rag-wide', { stream: true }))
    expect(streamed.type).toBe('text/event-stream; charset=utf-8')
    const frames = streamed.text.split('\n\n')
    expect(frames).toEqual([expect.stringMatching(/^data: \{/), 'data: [DONE]', ''])
    const chunk = JSON.parse(frames[0]!.slice(6)) as {
      choices: { delta: { content: string } }[]
      rag_extension: unknown
    }
    expect(chunk.rag_extension).toMatchObject({ schema_version: 1, sources: completion.rag_extension!.sources })
    expect(chunk.choices[0]!.delta.content).toMatch(/^An answer\.\n\n<details>/)
  })

  it('streams the answer as the model writes it, and the rest of the content with the evidence in the last chunk', async () => {
    const { post, models } = await serve()
    const whole = models.chat.bind(models)
    models.chat = async (role, request, signal, onText) => {
      for (const piece of ['\n', 'An ', 'answer.']) onText?.(piece)
      return whole(role, request, signal)
    }
    const body = chat('vanilla-rag', { stream: true })
    const { text } = await post('/rag/vanilla-rag/v1/chat/completions', body)
    const frames = text.split('\n\n').map((frame) => frame.replace('data: ', ''))
    expect(frames.slice(-2)).toEqual(['[DONE]', ''])
    const chunks = frames.slice(0, -2).map((frame) => JSON.parse(frame) as Chunk)
    expect(chunks.map(({ choices }) => choices[0]!.delta.content)).toEqual([
      'An',
      ' answer.',
      expect.stringMatching(/^\n\n<details>/),
    ])
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    expect(chunks.map(({ rag_extension }) => rag_extension?.answer)).toEqual([undefined, undefined, 'An answer.'])
    expect(chunks.at(-1)!.choices[0]!.finish_reason).toBe('stop')
    const limited = await post('/rag/vanilla-rag/v1/chat/completions', { ...body, max_tokens: 1 })
    expect(limited.text.match(/data: /g)).toHaveLength(2)
  })

  it.each([
    ['/rag/vanilla-rag', chat('hybrid-rag'), 400, "Model alias 'hybrid-rag' belongs to hybrid-rag, not to vanilla-rag"],
    ['/rag/vanilla-rag', chat('gpt-5'), 400, "Unknown model alias: 'gpt-5'"],
    ['/rag/hybrid-rag-fast', chat('hybrid-rag-fast'), 404, "Unknown approach: 'hybrid-rag-fast'"],
    [
      '/rag/vanilla-rag',
      { ...chat('vanilla-rag'), messages: [{ role: 'user', content: '' }] },
      400,
      'the last user message holds no text to answer',
    ],
    ['/rag/contextual-rag', chat('contextual-rag'), 409, expect.stringContaining("profile 'smoke'")],
  ])('%s refuses with the right status', async (path, body, status, detail) => {
    const { post, models } = await serve()
    const response = await post(`${path}/v1/chat/completions`, body)
    expect([response.status, JSON.parse(response.text)]).toEqual([status, { detail }])
    expect(models.calls).toEqual([])
  })

  it('answers 422 to a body that is no chat request and 504 to a model that takes too long', async () => {
    const { post } = await serve({
      chat: () => new ModelCallError('timeout', 'light_gen', 'after 120 s at http://secret'),
    })
    const invalid = await post('/rag/vanilla-rag/v1/chat/completions', { model: 'vanilla-rag' })
    expect(invalid.status).toBe(422)
    expect(JSON.parse(invalid.text)).toMatchObject({ detail: [{ loc: ['body', 'messages'] }] })
    const slow = await post('/rag/vanilla-rag/v1/chat/completions', chat('vanilla-rag', { stream: true }))
    expect([slow.status, JSON.parse(slow.text)]).toEqual([
      504,
      {
        detail:
          'the model call for role light_gen failed: no answer within its time limit. Raise the time limit per call of the connection (timeout_s), or choose a faster model.',
      },
    ])
  })

  it('aborts the model call when the caller leaves', async () => {
    const called = Promise.withResolvers<undefined>()
    const { url, plugin } = await serve({
      chat: () => {
        called.resolve(undefined)
        return new Promise(() => undefined)
      },
    })
    const seen = Promise.withResolvers<AbortSignal>()
    const original = plugin.answer.bind(plugin)
    plugin.answer = (alias, request, signal) => {
      seen.resolve(signal!)
      return original(alias, request, signal)
    }
    const leave = new AbortController()
    const gone = fetch(`${url}/rag/vanilla-rag/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(chat('vanilla-rag')),
      signal: leave.signal,
    })
    const signal = await seen.promise
    await called.promise
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
    leave.abort()
    await expect(gone).rejects.toThrow()
    await aborted
    expect(signal.aborted).toBe(true)
  })
})

describe('health and contextual build', () => {
  const health = async (url: string) => (await fetch(`${url}/rag/health`)).json()

  it('reports profile, collections, aliases and builds', async () => {
    const { url, post } = await serve({ chat: () => 'A blurb.' })
    expect(await health(url)).toMatchObject({
      status: 'healthy',
      profile: 'smoke',
      collections: { plain: { name: 'RagBase_smoke', chunks: 7, content_digest: 'digest-1' }, contextual: null },
      contextual_builds: {},
    })
    const built = await post('/rag/contextual/build', { profile: 'smoke' })
    expect(built.status).toBe(200)
    expect(JSON.parse(built.text)).toEqual({
      collection: 'RagContextual_smoke',
      chunks: 7,
      blurbs: 7,
      cached_blurbs: 0,
      failed: 0,
      failure: null,
      content_digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      reused: false,
      seconds: expect.any(Number),
    })
    const after = (await health(url)) as { aliases: { alias: string; available: boolean }[] }
    expect(after).toMatchObject({
      collections: { contextual: { name: 'RagContextual_smoke', chunks: 7 } },
      contextual_builds: { smoke: { state: 'completed', done: 7, total: 7, error: null } },
    })
    expect(after.aliases).toHaveLength(25)
    expect(after.aliases.flatMap(({ alias, available }) => (available ? [] : [alias]))).toEqual(['raptor-rag'])
  })

  it('is not ready before ingestion, and reports it', async () => {
    const empty = await serve({}, {})
    expect(await health(empty.url)).toMatchObject({
      status: 'not_ready',
      reason: "profile 'smoke' has not been ingested",
    })
    const build = await empty.post('/rag/contextual/build', { profile: 'smoke' })
    expect([build.status, JSON.parse(build.text)]).toEqual([
      409,
      { detail: "collection RagBase_smoke does not exist: ingest profile 'smoke' first" },
    ])
    const unknown = await empty.post('/rag/contextual/build', { profile: 'nope' })
    expect([unknown.status, JSON.parse(unknown.text)]).toEqual([
      404,
      { detail: "Unknown rag_ingestion profile: 'nope'" },
    ])
    expect((await empty.post('/rag/contextual/build', {})).status).toBe(422)
  })
})
