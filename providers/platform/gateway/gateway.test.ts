import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { ChatCompletion } from '../../../contract/http/chat.ts'
import { tinyModelHost } from '../../../tests/helpers/fake-builtin-models.ts'
import { completionOf, startGateway } from '../../../tests/helpers/gateway-fixture.ts'
import { HttpError } from '../../kit/http-error.ts'
import { ModelCallError } from '../models/model-host.ts'
import { renderClassifyTask } from '../models/prompts/classify-task.ts'

interface Frame {
  choices: { delta: { content?: string } }[]
  usage?: object
}

const contentOf = async (answer: Response) => ((await answer.json()) as ChatCompletion).choices[0]!.message.content

describe('aliases', () => {
  it('hand the request to the plugin without the gateway’s own fields, and its evidence back', async () => {
    const { chat, asked, gateway } = await startGateway()
    const answer = await chat({
      model: 'vanilla-rag',
      cache: { 'no-cache': true, 'no-store': true },
      stream: false,
      think: false,
      temperature: 0.5,
    })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual(completionOf('vanilla-rag', 'answer 1'))
    const request = { model: 'vanilla-rag', messages: [{ role: 'user', content: 'q' }], think: false, temperature: 0.5 }
    expect(asked).toEqual([{ alias: 'vanilla-rag', request }])
    expect(gateway.aliasCalls()).toEqual({ 'vanilla-rag': 1 })
  })

  it('stream the plugin’s frames as they are', async () => {
    const { chat } = await startGateway()
    const answer = await chat({ model: 'vanilla-rag', stream: true })
    expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(await answer.text()).toBe(
      `data: ${JSON.stringify(completionOf('vanilla-rag', 'answer 1'))}\n\ndata: [DONE]\n\n`,
    )
  })

  it('that cannot answer report why, and are not called', async () => {
    const { chat, asked, gateway } = await startGateway()
    const answer = await chat({ model: 'graph-rag' })
    expect([answer.status, await answer.json()]).toEqual([
      503,
      {
        error: {
          message: 'The alias "graph-rag" cannot answer now: comes later',
          type: 'service_unavailable_error',
          param: 'model',
          code: 'alias_unavailable',
        },
      },
    ])
    expect([asked, gateway.aliasCalls()]).toEqual([[], {}])
  })

  it('pass expected failures on and count them; others stay internal', async () => {
    const failures = [
      new HttpError(409, 'not ingested', { code: 'collection_missing' }),
      new ModelCallError('timeout', 'light_gen', 'http://10.0.0.7 said: key sk-1 is too slow'),
      new Error('a secret'),
    ]
    const { chat, gateway } = await startGateway({ answer: async () => Promise.reject(failures.shift()!) })
    const answers = [
      await chat({ model: 'vanilla-rag' }),
      await chat({ model: 'vanilla-rag' }),
      await chat({ model: 'vanilla-rag' }),
    ]
    expect(await Promise.all(answers.map(async (answer) => [answer.status, await answer.json()]))).toEqual([
      [
        409,
        { error: { message: 'not ingested', type: 'invalid_request_error', param: null, code: 'collection_missing' } },
      ],
      [
        504,
        {
          error: {
            message:
              'the model call for role light_gen failed: no answer within its time limit. Raise the time limit per call of the connection (timeout_s), or choose a faster model.',
            type: 'api_error',
            param: null,
            code: 'timeout',
          },
        },
      ],
      [500, { error: { message: 'Internal Server Error', type: 'api_error', param: null, code: '500' } }],
    ])
    expect(gateway.aliasCalls()).toEqual({ 'vanilla-rag': 3 })
  })

  it('get a signal that ends with the caller, and only then', async () => {
    const seen: AbortSignal[] = []
    const entered = Promise.withResolvers<undefined>()
    const aborted = Promise.withResolvers<undefined>()
    const { chat, url } = await startGateway({
      answer: async (alias, _request, signal) => {
        seen.push(signal!)
        if (seen.length === 1) return completionOf(alias, 'done')
        entered.resolve(undefined)
        await once(signal!, 'abort')
        aborted.resolve(undefined)
        throw new Error('left')
      },
    })
    expect(await contentOf(await chat({ model: 'vanilla-rag' }))).toBe('done')
    const leave = new AbortController()
    const body = JSON.stringify({ model: 'vanilla-rag', messages: [{ role: 'user', content: 'other' }] })
    const headers = { 'content-type': 'application/json' }
    const gone = fetch(`${url}/v1/chat/completions`, { method: 'POST', body, headers, signal: leave.signal }).catch(
      () => 'gone',
    )
    await entered.promise
    leave.abort()
    expect(await gone).toBe('gone')
    await aborted.promise
    expect(seen[0]!.aborted).toBe(false)
  })
})

describe('requests as clients send them', () => {
  it('are taken with null for what is not set', async () => {
    const { chat, asked } = await startGateway()
    const nulls = [
      'temperature',
      'max_tokens',
      'stream',
      'stop',
      'tools',
      'tool_choice',
      'response_format',
      'n',
      'cache',
    ]
    const body = Object.fromEntries([...nulls, 'stream_options', 'think', 'user'].map((name) => [name, null]))
    const messages = [{ role: 'user', content: 'q', tool_calls: null, name: null }]
    expect((await chat({ ...body, model: 'vanilla-rag', messages })).status).toBe(200)
    expect(asked[0]!.request).toEqual({ model: 'vanilla-rag', messages: [{ role: 'user', content: 'q' }] })
  })

  it('that are no JSON are refused without a field at fault', async () => {
    const { url } = await startGateway()
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: '{"model":' })
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        error: { message: 'body: not valid JSON', type: 'invalid_request_error', param: null, code: 'invalid_request' },
      },
    ])
  })

  it('with token ids to embed get an error that names what is accepted', async () => {
    const { post } = await startGateway()
    const answer = await post('/v1/embeddings', { model: 'embed', input: [[1, 2]], dimensions: null, user: null })
    expect(await answer.json()).toMatchObject({
      error: { param: 'input', message: expect.stringContaining('token ids cannot be embedded here') },
    })
  })

  it('get an id, their own where they have one', async () => {
    const { url } = await startGateway()
    const id = async (headers = {}) => (await fetch(`${url}/v1/models`, { headers })).headers.get('x-request-id')
    expect(await id()).toMatch(/^req_[0-9a-f-]{36}$/)
    expect(await id({ 'x-request-id': 'mine-1' })).toBe('mine-1')
    expect(await id({ 'x-request-id': 'a b' })).toMatch(/^req_/)
  })
})

describe('a slow stream', () => {
  const stream = { headersAfterMs: 20, commentEveryMs: 20 }

  it('sends headers and comments before the answer, which stays two frames', async () => {
    const release = Promise.withResolvers<undefined>()
    const { chat } = await startGateway(
      {
        answer: async (alias) => {
          await release.promise
          return completionOf(alias, 'late')
        },
      },
      tinyModelHost(),
      { stream },
    )
    const answer = await chat({ model: 'vanilla-rag', stream: true })
    expect(answer.status).toBe(200)
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).value).toBe(': the answer is being generated\n\n')
    expect((await reader.read()).value).toBe(': the answer is being generated\n\n')
    release.resolve(undefined)
    let rest = ''
    for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value
    const frames = rest.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'))
    expect(frames).toEqual([`data: ${JSON.stringify(completionOf('vanilla-rag', 'late'))}`, 'data: [DONE]'])
  })

  it('passes on pieces as they are written, of an alias and of a model', async () => {
    const release = Promise.withResolvers<undefined>()
    const host = tinyModelHost()
    const whole = host.chat.bind(host)
    host.chat = async (role, request, signal, onText) => {
      onText?.('He')
      await release.promise
      const completion = await whole(role, request, signal)
      completion.choices[0]!.message.content = 'Hello'
      return completion
    }
    const { chat } = await startGateway({}, host)
    const answer = await chat({ model: 'light_gen', stream: true, stream_options: { include_usage: true } })
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).value).toContain('"delta":{"role":"assistant","content":"He"}')
    release.resolve(undefined)
    let rest = ''
    for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value
    const frames = rest.split('\n\n').filter((frame) => frame !== '')
    expect(frames[0]).toContain('"delta":{"content":"llo"}')
    expect(frames.slice(1)).toEqual([
      expect.stringContaining('"finish_reason":"stop"'),
      expect.stringContaining('"usage":'),
      'data: [DONE]',
    ])
  })

  it('ends the generation when the client leaves', async () => {
    const ended = Promise.withResolvers<unknown>()
    const { chat } = await startGateway({
      answer: (_alias, _chat, signal, onText) => {
        onText?.('He')
        return new Promise((_, reject) => {
          signal!.addEventListener('abort', () => {
            ended.resolve(signal!.reason)
            reject(signal!.reason as Error)
          })
        })
      },
    })
    const answer = await chat({ model: 'vanilla-rag', stream: true })
    const reader = answer.body!.getReader()
    await reader.read()
    await reader.cancel()
    expect(await ended.promise).toMatchObject({ message: 'the caller closed the connection' })
  })

  it('reports a late failure as an event, and an early one by its status', async () => {
    const fail = Promise.withResolvers<never>()
    const { chat } = await startGateway({ answer: () => fail.promise }, tinyModelHost(), { stream })
    const answer = await chat({ model: 'vanilla-rag', stream: true })
    fail.reject(new ModelCallError('rate_limited', 'light_gen', 'sk-1', { status: 429 }))
    const text = await answer.text()
    expect(answer.status).toBe(200)
    expect(text).toContain(
      'data: {"error":{"message":"the model call for role light_gen failed: the upstream is limiting requests (HTTP 429)"',
    )
    const early = await startGateway({ answer: async () => Promise.reject(new HttpError(429, 'busy')) })
    expect((await early.chat({ model: 'vanilla-rag', stream: true })).status).toBe(429)
  })
})

it.each([
  [{ code: 'rate_limited', status: 429, retryAfterMs: 6200 }, 429, { 'retry-after': '7' }, null],
  [{ code: 'rate_limited', status: 429, retryAfterMs: null }, 429, { 'retry-after': '1' }, null],
  [{ code: 'context_length_exceeded', status: 400, retryAfterMs: null }, 400, {}, 'messages'],
  [{ code: 'unauthorized', status: 401, retryAfterMs: null }, 502, { 'x-should-retry': 'false' }, null],
] as const)(
  'failures of the models: %j of a role is HTTP %i without the words of the upstream',
  async (failure, status, headers, param) => {
    const host = tinyModelHost()
    const secret = 'The model service at http://10.0.0.7:8000 answered: wrong key sk-123'
    host.chat = async () => Promise.reject(new ModelCallError(failure.code, 'light_gen', secret, failure))
    const { chat } = await startGateway({}, host)
    const answer = await chat({ model: 'light_gen' })
    expect(answer.status).toBe(status)
    expect(Object.fromEntries(answer.headers)).toMatchObject(headers)
    const text = await answer.text()
    expect(text).not.toMatch(/10\.0\.0\.7|sk-123/)
    expect(JSON.parse(text)).toMatchObject({ error: { code: failure.code, param } })
  },
)

describe('the response cache', () => {
  it('is off unless the setting or the request asks for it', async () => {
    const { chat, gateway } = await startGateway({}, tinyModelHost(), { ttlMs: 0 })
    const ask = async (cache?: object) => contentOf(await chat({ model: 'vanilla-rag', cache }))
    expect([await ask(), await ask(), await ask({ 'no-store': false })]).toEqual(['answer 1', 'answer 2', 'answer 3'])
    expect([await ask({ 'use-cache': true }), await ask({ 'use-cache': true })]).toEqual(['answer 4', 'answer 4'])
    expect([await ask({ ttl: 60 }), await ask()]).toEqual(['answer 4', 'answer 5'])
    expect(gateway.aliasCalls()).toEqual({ 'vanilla-rag': 5 })
  })

  it('answers an equal request again without a call, but never for no-cache or after no-store', async () => {
    const { chat, gateway } = await startGateway()
    const ask = async (cache?: object) => contentOf(await chat({ model: 'vanilla-rag', cache }))
    expect(await ask({ 'no-store': true })).toBe('answer 1')
    expect(await ask()).toBe('answer 2')
    const hit = await chat({ model: 'vanilla-rag' })
    expect([hit.headers.get('x-rag-ladder-cache'), await hit.json()]).toEqual([
      'hit',
      completionOf('vanilla-rag', 'answer 2'),
    ])
    expect(await ask({ 'no-cache': true, 'no-store': true })).toBe('answer 3')
    expect(await ask({ 'no-cache': true })).toBe('answer 4')
    expect(await ask()).toBe('answer 4')
    expect(await ask({ namespace: 'mine' })).toBe('answer 5')
    expect(gateway.aliasCalls()).toEqual({ 'vanilla-rag': 5 })
  })

  it('forgets alias answers when the data changes, keeps none of data it cannot watch; streams use none', async () => {
    const { chat, reingest, gateway } = await startGateway()
    await chat({ model: 'vanilla-rag' })
    reingest('2')
    expect(await contentOf(await chat({ model: 'vanilla-rag' }))).toBe('answer 2')
    await (await chat({ model: 'vanilla-rag', stream: true })).text()
    expect(gateway.aliasCalls()).toEqual({ 'vanilla-rag': 3 })
    reingest(null)
    await chat({ model: 'vanilla-rag' })
    await chat({ model: 'vanilla-rag' })
    expect(gateway.aliasCalls()).toEqual({ 'vanilla-rag': 5 })
  })

  it('keeps no failures, and keeps role answers', async () => {
    let fail = true
    const { chat, host } = await startGateway(
      { answer: async (alias) => (fail ? Promise.reject(new HttpError(502, 'down')) : completionOf(alias, 'up')) },
      tinyModelHost(),
    )
    expect((await chat({ model: 'vanilla-rag' })).status).toBe(502)
    fail = false
    expect(await contentOf(await chat({ model: 'vanilla-rag' }))).toBe('up')
    await chat({ model: 'light_gen' })
    await chat({ model: 'light_gen' })
    expect(host.usage()).toEqual({ light_gen: 1 })
  })
})

describe('models', () => {
  it('answer chat by role and by model name', async () => {
    const { chat, host } = await startGateway()
    for (const model of ['evaluator', 'tiny-evaluator']) {
      expect(await (await chat({ model })).json()).toMatchObject({
        model: 'tiny-evaluator',
        choices: [{ message: { content: 'heard 1' } }],
      })
    }
    expect(host.usage()).toEqual({ evaluator: 2 })
  })

  it('stream role answers as chunks and end with [DONE]', async () => {
    const { chat } = await startGateway()
    const text = await (
      await chat({ model: 'light_gen', stream: true, stream_options: { include_usage: true } })
    ).text()
    const frames = text.trimEnd().split('\n\n')
    expect(frames.at(-1)).toBe('data: [DONE]')
    const chunks = frames.slice(0, -1).map((frame) => JSON.parse(frame.slice(6)) as Frame)
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('heard 1')
    expect(chunks.at(-1)!.usage).toEqual({ prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 })
  })

  it.each([
    [{ model: 'gpt-unknown' }, 'model_not_found', 'model'],
    [{ model: 'embed' }, 'model_not_suitable', 'model'],
    [{ model: 'light_gen', messages: [] }, 'invalid_request', 'messages'],
    [{ model: 'light_gen', temperature: 'hot' }, 'invalid_request', 'temperature'],
    [{ model: 'light_gen', cache: { ttl: -1 } }, 'invalid_request', 'cache.ttl'],
    [{}, 'invalid_request', 'model'],
  ])('refuse %j with 400', async (body, code, param) => {
    const { chat, host } = await startGateway()
    const answer = await chat(body)
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { error: { message: expect.any(String), type: 'invalid_request_error', param, code } },
    ])
    expect(host.usage()).toEqual({})
  })

  it('embed as numbers and as base64 of 32-bit floats', async () => {
    const { post } = await startGateway()
    const numbers = await post('/v1/embeddings', { model: 'embed', input: ['abc', 'a'] })
    expect(await numbers.json()).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: [3, 1] },
        { object: 'embedding', index: 1, embedding: [1, 1] },
      ],
      model: 'embed',
      usage: { prompt_tokens: 2, total_tokens: 2 },
    })
    const packed = (await (
      await post('/v1/embeddings', { model: 'tiny-embed', input: 'abc', encoding_format: 'base64' })
    ).json()) as { data: { embedding: string }[] }
    const bytes = Buffer.from(packed.data[0]!.embedding, 'base64')
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([3, 1])
  })

  it.each([
    [{ model: 'light_gen', input: 'a' }, 'model'],
    [{ model: 'vanilla-rag', input: 'a' }, 'model'],
    [{ model: 'embed', input: '' }, 'input'],
    [{ model: 'embed', input: [] }, 'input'],
    [{ model: 'embed', input: 'a', dimensions: 3 }, 'dimensions'],
  ])('refuse to embed %j', async (body, param) => {
    const { post } = await startGateway()
    const answer = await post('/v1/embeddings', body)
    expect([answer.status, ((await answer.json()) as { error: { param: string } }).error.param]).toEqual([400, param])
  })
})

describe('the classifier of a workflow, which reads routes by a pattern', () => {
  const routes = ['single-fact', 'several-steps'].map((name) => ({ name, description: `Questions of ${name}.` }))
  const messages = renderClassifyTask({ question: 'Who?', routes })

  it.each([
    [
      'a draft before the choice',
      '<think>perhaps {"route": "single-fact"}</think>Draft: {"route": "several-steps", "reason": "two facts"}',
      '{"route":"several-steps","reason":"two facts"}',
    ],
    ['a choice with text around it', 'Sure!\n{ "route" : "Single-Fact" }', '{"route":"single-fact","reason":""}'],
    ['a mention that is no choice', 'I cannot say, but not "route": "single-fact"', '{"route":null,'],
    ['a route that is none', '{"route":"agentic"}, not "route": "single-fact"', '{"route":null,'],
  ])('gives the choice alone for %s', async (_what, reply, expected) => {
    const host = tinyModelHost()
    const asWritten = host.chat.bind(host)
    host.chat = async (...asked) => {
      const completion = await asWritten(...asked)
      const [choice] = completion.choices
      return { ...completion, choices: [{ ...choice!, message: { ...choice!.message, content: reply } }] }
    }
    const { chat } = await startGateway({}, host)
    const content = (await contentOf(await chat({ model: 'workflow_classifier', messages })))!
    expect(content.startsWith(expected)).toBe(true)
    expect(/"route"\s*:\s*"single-fact"/.test(content)).toBe(expected.includes('"single-fact"'))
    // Another request to the model has its reply as it is.
    expect(await contentOf(await chat({ model: 'workflow_classifier' }))).toBe(reply)
  })
})
