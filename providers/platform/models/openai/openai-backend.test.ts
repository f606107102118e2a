import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { ModelServiceAnswer } from '../../../../tests/helpers/model-service.ts'
import { COMPLETION, MESSAGES, openBackend, type OpenAiSetup } from '../../../../tests/helpers/openai-backend.ts'
import { reasonOf } from '../model-error-response.ts'
import { modelCall, withWaitClock } from '../model-waits.ts'
import type { ModelCallError } from '../model-host.ts'

type RawReply = (response: ServerResponse) => unknown
const answer = COMPLETION
const messages = MESSAGES

describe('chat', () => {
  it('sends the model, its defaults, the key and the caller fields; the caller wins over a default but for the temperature', async () => {
    const { backend, service } = await openBackend({
      reply: () => ({ json: answer }),
      choice: { defaults: { think: false, temperature: 0.7, seed: 1 } },
      apiKey: 'k-1',
    })
    const request = {
      messages,
      temperature: 0,
      think: true,
      cache: { 'no-cache': true },
      stream: true,
      extra: { a: 1 },
    }
    expect(await backend.chat!(request)).toEqual(answer)
    expect(service.calls[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions' })
    expect(service.calls[0]!.headers['authorization']).toBe('Bearer k-1')
    expect(service.calls[0]!.body).toEqual({
      model: 'm',
      messages,
      max_tokens: 4096,
      temperature: 0.7,
      think: true,
      seed: 1,
      stream: false,
      extra: { a: 1 },
    })
  })

  it('sends no key when there is none, and forwards the declared think', async () => {
    const { chat, service } = await openBackend({
      reply: () => ({ json: answer }),
      choice: { defaults: { think: false } },
    })
    await chat()
    expect(service.calls[0]!.headers['authorization']).toBeUndefined()
    expect(service.calls[0]!.body).toEqual({ model: 'm', messages, max_tokens: 4096, stream: false, think: false })
  })

  it('fills in what compatible services leave out, and keeps what they add', async () => {
    const toolCalls = [{ id: 't1', type: 'function', function: { name: 'search', arguments: '{"q":' } }]
    const { chat } = await openBackend({
      reply: () => ({
        json: {
          choices: [{ message: { role: 'assistant', tool_calls: toolCalls, reasoning_content: 'hm' } }],
          usage: { prompt_tokens: 5 },
          rag_extension: 'not ours',
        },
      }),
    })
    const read = await chat()
    expect(read).toMatchObject({
      object: 'chat.completion',
      choices: [
        { index: 0, finish_reason: null, message: { content: null, tool_calls: toolCalls, reasoning_content: 'hm' } },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 },
    })
    expect(read.id).toMatch(/^chatcmpl-/)
    expect(read.rag_extension).toBeUndefined()
  })
})

/** The raw answer of a service that streams these chunks. */
const streaming = (chunks: readonly (object | string)[]): ModelServiceAnswer => ({
  raw: (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const chunk of chunks) response.write(`data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`)
    response.end()
  },
})
const delta = (fields: object, finish: string | null = null): object => ({
  id: 'c1',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
})

describe('a streamed answer', () => {
  const ask = async (reply: OpenAiSetup['reply'], request: object = {}) => {
    const { backend, service } = await openBackend({ reply })
    const pieces: string[] = []
    const completion = backend.chat!({ messages, ...request }, undefined, (piece) => pieces.push(piece))
    return { completion, pieces, service, backend }
  }

  it('passes on its pieces without reasoning, and is whole with its usage', async () => {
    const { completion, pieces, service } = await ask(() =>
      streaming([
        delta({ role: 'assistant', content: '' }),
        delta({ reasoning_content: 'The sky scatters light.' }),
        delta({ content: '<thi' }),
        delta({ content: 'nk>So it is blue.</think>\n' }),
        delta({ content: 'Blue' }),
        delta({ content: ' sky' }),
        delta({}, 'length'),
        { choices: [], usage: { prompt_tokens: 3, completion_tokens: 20, total_tokens: 23 } },
        '[DONE]',
      ]),
    )
    expect(await completion).toMatchObject({
      id: 'c1',
      choices: [{ finish_reason: 'length', message: { content: 'Blue sky' } }],
      usage: { completion_tokens: 20, completion_tokens_details: { reasoning_tokens: 11 } },
    })
    expect(pieces).toEqual(['Blue', ' sky'])
    expect(service.calls[0]!.body).toMatchObject({ stream: true, stream_options: { include_usage: true } })
  })

  it('may be whole: a service that does not stream is read as before', async () => {
    const { completion, pieces } = await ask(() => ({ json: answer }))
    expect(await completion).toEqual(answer)
    expect(pieces).toEqual([])
  })

  it('is not requested where the model may call tools', async () => {
    const tools = [{ type: 'function', function: { name: 'search' } }]
    const { completion, service } = await ask(() => ({ json: answer }), { tools })
    await completion
    expect(service.calls[0]!.body).toMatchObject({ stream: false })
  })

  it.each([
    [
      'the service reports an error',
      [{ error: { message: 'out of memory' } }],
      'upstream_error',
      'the upstream failed: out of memory',
    ],
    [
      'the stream ends early',
      [],
      'invalid_response',
      'the upstream answered in an unknown form: the stream ended before the answer did',
    ],
    ['an event is not JSON', ['{'], 'upstream_error', 'the upstream failed: an event of the stream is not JSON'],
  ] as const)('is not requested again after its first piece when %s', async (_, chunks, code, reason) => {
    const { completion, pieces, service } = await ask(() => streaming([delta({ content: 'Blue' }), ...chunks]))
    const error: unknown = await completion.catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code })
    expect(reasonOf(error as ModelCallError)).toBe(`the model call for role light_gen failed: ${reason}`)
    expect(pieces).toEqual(['Blue'])
    expect(service.calls).toHaveLength(1)
  })

  it('is requested without stream_options, and then without stream, of a service that refuses them', async () => {
    const { completion, service, backend } = await ask((call) => {
      const body = call.body as { stream: boolean; stream_options?: object }
      if (body.stream_options !== undefined)
        return {
          status: 422,
          json: { detail: [{ loc: ['body', 'stream_options'], msg: 'extra fields not permitted' }] },
        }
      return body.stream ? { status: 400, json: { error: { message: 'stream is not supported' } } } : { json: answer }
    })
    await completion
    await backend.chat!({ messages }, undefined, () => undefined)
    expect(service.calls.map(({ body }) => (body as { stream: boolean }).stream)).toEqual([true, true, false, false])
  })

  it('is not requested again when the connection breaks after its first piece', async () => {
    const { promise: broken, resolve: breakOff } = Promise.withResolvers<undefined>()
    const { backend, service } = await openBackend({
      reply: () => ({
        raw: (response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          response.write(`data: ${JSON.stringify(delta({ content: 'Blue' }))}\n\n`)
          void broken.then(() => response.destroy())
        },
      }),
    })
    const completion = backend.chat!({ messages }, undefined, () => breakOff(undefined))
    await expect(completion).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('interrupted its answer'),
    })
    expect(service.calls).toHaveLength(1)
  })

  it('ends when the caller leaves', async () => {
    const left = new AbortController()
    const closed = Promise.withResolvers<undefined>()
    const { backend } = await openBackend({
      reply: () => ({
        raw: (response) => {
          response.once('close', () => closed.resolve(undefined))
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          response.write(`data: ${JSON.stringify(delta({ content: 'Blue' }))}\n\n`)
        },
      }),
    })
    const completion = backend.chat!({ messages }, left.signal, () => left.abort(new Error('gone')))
    await expect(completion).rejects.toThrow('gone')
    await closed.promise
  })
})

describe('a reply that has to fit a JSON schema', () => {
  const schema = { type: 'object', properties: { maxLength: { type: 'string', maxLength: 5 } } }

  it('is requested by response_format, without the bounds of texts that strict services refuse', async () => {
    const { backend, service } = await openBackend({ reply: () => ({ json: answer }) })
    await backend.chat!({ messages, reply_schema: schema })
    expect(service.calls[0]!.body).toEqual({
      model: 'm',
      messages,
      max_tokens: 4096,
      stream: false,
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'reply',
          strict: true,
          schema: { type: 'object', properties: { maxLength: { type: 'string' } } },
        },
      },
    })
  })

  it('is requested as plain text of a service that refuses response_format, by every later request too', async () => {
    const { backend, service } = await openBackend({
      reply: ({ body }) =>
        'response_format' in (body as object)
          ? { status: 400, json: { error: { message: "'response_format.type' must be 'text'" } } }
          : { json: answer },
    })
    for (const _ of [1, 2]) expect(await backend.chat!({ messages, reply_schema: schema })).toEqual(answer)
    expect(service.calls.map(({ body }) => 'response_format' in (body as object))).toEqual([true, false, false])
  })

  it('fails where the refusal is about something else', async () => {
    const { backend, service } = await openBackend({ reply: () => ({ status: 400, json: { error: 'no such model' } }) })
    await expect(backend.chat!({ messages, reply_schema: schema })).rejects.toMatchObject({ code: 'bad_request' })
    expect(service.calls).toHaveLength(1)
  })
})

describe('retries', () => {
  it('waits what Retry-After asks, backs off otherwise, and succeeds', async () => {
    const { chat, delays, service } = await openBackend({
      reply: (_call, n) =>
        n === 0
          ? { status: 429, headers: { 'retry-after': '7' }, json: {} }
          : n === 1
            ? { status: 503, json: {} }
            : { json: answer },
    })
    expect((await chat()).id).toBe('c1')
    expect(service.calls).toHaveLength(3)
    // Counted from the answer, so it is a little less on a busy machine.
    expect(delays[0]).toBeLessThanOrEqual(7000)
    expect(delays[0]).toBeGreaterThan(6000)
    // Being refused as one call too many is no failure of the service.
    expect(delays[1]).toBeGreaterThanOrEqual(250)
    expect(delays[1]).toBeLessThan(500)
  })

  it.each([
    [429, 'as a wait for its turn', 1],
    [500, 'as time of the call', 0],
  ])('counts the pause after HTTP %i %s', async (status, _what, waits) => {
    const { chat } = await openBackend({
      reply: (_call, n) => (n === 0 ? { status, json: {} } : { json: answer }),
      http: { wait: () => sleep(60) },
    })
    const waitedMs = await withWaitClock(async (clock) => {
      await modelCall(chat)
      return clock.waitedMs
    })
    expect(waitedMs).toBeGreaterThanOrEqual(waits * 55)
    if (waits === 0) expect(waitedMs).toBeLessThan(30)
  })

  it.each<[string, ModelServiceAnswer]>([
    ['a connection that breaks', { raw: (response) => response.socket!.destroy() }],
    ['HTTP 409, by which a service reports that another request holds what it needs', { status: 409, json: {} }],
  ])('retries %s', async (_what, first) => {
    const { chat, service } = await openBackend({ reply: (_call, n) => (n === 0 ? first : { json: answer }) })
    await chat()
    expect(service.calls).toHaveLength(2)
  })

  it.each([400, 401, 404, 422])('does not retry HTTP %i', async (status) => {
    const { chat, service } = await openBackend({ reply: () => ({ status, json: {} }) })
    await expect(chat()).rejects.toMatchObject({ status })
    expect(service.calls).toHaveLength(1)
  })
})

describe('failures', () => {
  it.each([
    [400, 'bad_request'],
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'unknown_model'],
    [429, 'rate_limited'],
    [500, 'upstream_error'],
    [504, 'timeout'],
  ])('HTTP %i is %s, with the upstream sentence', async (status, code) => {
    const { chat } = await openBackend({
      reply: () => ({ status, json: { error: { message: 'because' } } }),
      choice: { retries: 0 },
    })
    await expect(chat()).rejects.toMatchObject({
      name: 'ModelCallError',
      code,
      role: 'light_gen',
      status,
      message: expect.stringContaining(`HTTP ${status}: because`),
    })
  })

  it.each([
    [400, { error: { message: 'no', code: 'context_length_exceeded' } }],
    [400, { error: { message: "This model's maximum context length is 4096 tokens." } }],
    [
      400,
      {
        error: {
          code: 400,
          message: 'the request exceeds the available context size',
          type: 'exceed_context_size_error',
        },
      },
    ],
    [
      400,
      {
        error: {
          message: 'The input token count exceeds the maximum number of tokens allowed',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    [413, { error: 'prompt is too long: 9000 tokens > 8192 maximum' }],
  ])('HTTP %i with %j is a prompt that is too long', async (status, json) => {
    const { chat, service } = await openBackend({ reply: () => ({ status, json }) })
    await expect(chat()).rejects.toMatchObject({ code: 'context_length_exceeded', status })
    expect(service.calls).toHaveLength(1)
  })

  it('a limit of requests keeps the pause that the service asked for', async () => {
    const { chat } = await openBackend({
      reply: () => ({ status: 429, headers: { 'retry-after': '7' }, json: {} }),
      choice: { retries: 0 },
    })
    await expect(chat()).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 7000 })
  })

  it('a service that does not run is unreachable', async () => {
    const { chat, service, delays } = await openBackend({ reply: () => ({ json: answer }) })
    await service.close()
    await expect(chat()).rejects.toMatchObject({ code: 'unreachable', status: null })
    expect(delays).toHaveLength(2)
  })

  it.each<[string, RawReply]>([
    ['a service that hangs', () => undefined],
    ['a body that stalls', (response) => void response.writeHead(200).write('{"choices":')],
  ])('%s is a timeout and not asked again', async (_what, raw) => {
    const { chat, service } = await openBackend({ reply: () => ({ raw }), choice: { timeout_s: 1 } })
    await expect(chat()).rejects.toMatchObject({ code: 'timeout' })
    expect(service.calls).toHaveLength(1)
  })

  it('an aborted caller gets its own reason, without a retry', async () => {
    const stop = new AbortController()
    const { chat, service } = await openBackend({
      reply: () => ({
        raw: () => {
          stop.abort(new Error('the caller left'))
        },
      }),
    })
    await expect(chat(stop.signal)).rejects.toThrow('the caller left')
    expect(service.calls).toHaveLength(1)
  })

  it.each<[string, string, string]>([
    ['HTML', '<html>', 'not JSON'],
    ['no choices', '{"id":"x"}', 'choices'],
    ['empty choices', '{"choices":[]}', 'choices'],
    ['a number as content', '{"choices":[{"message":{"content":1}}]}', 'content'],
  ])('%s is an invalid response', async (_name, body, problem) => {
    const { chat } = await openBackend({ reply: () => ({ raw: (response) => response.end(body) }) })
    await expect(chat()).rejects.toMatchObject({ code: 'invalid_response', message: expect.stringContaining(problem) })
  })

  it.each<[string, RawReply, string]>([
    [
      'an answer that is not JSON',
      (response) => response.end('Ready.'),
      'the upstream answered with something that is not JSON (HTTP 200)',
    ],
    [
      'an answer of another form',
      (response) => response.end('{"choices":[]}'),
      'the upstream answered in an unknown form: choices: ',
    ],
    [
      'an answer that breaks off',
      (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"choices":')
        setTimeout(() => response.destroy(), 20)
      },
      'the upstream interrupted its answer',
    ],
  ])('names to callers %s', async (_name, raw, reason) => {
    const { chat } = await openBackend({ reply: () => ({ raw }), choice: { retries: 0 } })
    const error: unknown = await chat().catch((thrown: unknown) => thrown)
    expect(reasonOf(error as ModelCallError)).toContain(`the model call for role light_gen failed: ${reason}`)
  })

  it.each([200, 404, 502])(
    'names to callers the address that answers with a web page and status %d',
    async (status) => {
      const { chat, service } = await openBackend({
        reply: () => ({
          raw: (response) => response.writeHead(status).end('<html><title>Router\nlogin</title></html>'),
        }),
        choice: { retries: 0 },
      })
      const error: unknown = await chat().catch((thrown: unknown) => thrown)
      expect(reasonOf(error as ModelCallError)).toBe(
        `the model call for role light_gen failed: ${service.url}/v1/chat/completions answered with a web page (HTTP ${status}): Router login`,
      )
    },
  )

  it('an endless answer is cut at the limit', async () => {
    const { chat } = await openBackend({
      reply: () => ({
        raw: (response) => {
          const pour = () => {
            while (!response.destroyed && response.write('x'.repeat(1000)));
            response.once('drain', pour)
          }
          pour()
        },
      }),
      http: { responseLimitBytes: 100_000 },
    })
    await expect(chat()).rejects.toMatchObject({
      code: 'invalid_response',
      message: expect.stringContaining('size limit'),
    })
  })
})
