import { createServer, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, onTestFinished } from 'vitest'
import { keptRecord, KnownModels } from '../../../../core/model-records/known-models.ts'
import { COMPLETION, MESSAGES, openBackend } from '../../../../tests/helpers/openai-backend.ts'
import { PROVIDER_QUIRKS } from '../../../../tests/helpers/provider-quirks.ts'
import { usageOfCall } from '../../../../contract/evidence/model-usage.ts'
import { ChatCompletion } from '../../../../contract/http/chat.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'
import { listenLocally } from '../../../../tests/helpers/local-server.ts'

const answer = COMPLETION
const messages = MESSAGES

describe('what a service refuses or cannot take', () => {
  it('is left out of this request and of later ones', async () => {
    const { backend, service } = await openBackend({
      reply: ({ body }) =>
        (body as { temperature?: number }).temperature === undefined
          ? { json: answer }
          : { status: 400, json: { error: { message: "Unsupported value: 'temperature'", param: 'temperature' } } },
    })
    for (let call = 0; call < 2; call += 1)
      expect(await backend.chat!({ messages, temperature: 0 })).toMatchObject({ choices: answer.choices })
    expect(service.calls.map(({ body }) => (body as { temperature?: number }).temperature)).toEqual([
      0,
      undefined,
      undefined,
    ])
  })

  it('is not sent at the next start either, and the answers that came are known', async () => {
    const folder = await temporaryFolder('model-records')
    const reply = ({ body }: { body: unknown }) =>
      (body as { temperature?: number }).temperature === undefined
        ? { json: answer }
        : { status: 400, json: { error: { message: "Unsupported value: 'temperature'", param: 'temperature' } } }
    const first = await openBackend({ reply, known: new KnownModels(folder) })
    await first.backend.chat!({ messages, temperature: 0 })
    const base_url = `${first.service.url}/v1`
    const second = await openBackend({ reply, known: new KnownModels(folder), choice: { base_url } })
    await second.backend.chat!({ messages, temperature: 0 })
    expect(first.service.calls.map(({ body }) => 'temperature' in (body as object))).toEqual([true, false, false])
    expect(keptRecord(folder, base_url, 'm')).toMatchObject({
      address: base_url,
      refused: { temperature: "Unsupported value: 'temperature'" },
      finish_reasons: ['stop'],
      reports_usage: true,
    })
  })

  it('a connection whose temperature is null sends none', async () => {
    const { backend, service } = await openBackend({
      reply: () => ({ json: answer }),
      choice: { defaults: { temperature: null } },
    })
    await backend.chat!({ messages, temperature: 0 })
    expect(service.calls[0]!.body).not.toHaveProperty('temperature')
  })

  it('a batch of texts that is too large is halved, also later', async () => {
    const sizes: number[] = []
    const { backend } = await openBackend({
      reply: ({ body }) => {
        const { input } = body as { input: string[] }
        sizes.push(input.length)
        return input.length > 10
          ? { status: 400, json: { error: { message: 'batch size is invalid, it should not be larger than 10.' } } }
          : { json: { data: input.map((_, index) => ({ index, embedding: [index + 1, 1] })) } }
      },
    })
    const texts = Array.from({ length: 30 }, (_, place) => `text ${place}`)
    expect(await backend.embed!(texts, 'document')).toHaveLength(30)
    expect(sizes).toEqual([30, 15, 8, 8, 8, 6])
    await backend.embed!(texts.slice(0, 9), 'document')
    expect(sizes.slice(6)).toEqual([8, 1])
  })

  it('reads vectors in base64', async () => {
    const base64 = Buffer.from(new Float32Array([3, 4]).buffer).toString('base64')
    const { backend } = await openBackend({ reply: () => ({ json: { data: [{ index: 0, embedding: base64 }] } }) })
    const [vector] = await backend.embed!(['a'], 'document')
    expect([...vector!].map((value) => value.toFixed(2))).toEqual(['0.60', '0.80'])
  })
})

describe('calls of tools', () => {
  const tools = [{ type: 'function' as const, function: { name: 'search', parameters: { type: 'object' } } }]
  const said = (content: string) => ({
    ...answer,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
  })
  const callIn = (completion: ChatCompletion) =>
    completion.choices[0]!.message.tool_calls?.map(({ function: { name, arguments: given } }) => [name, given])

  it.each([
    ['I look it up.\n<tool_call>\n{"name": "search", "arguments": {"query": "lock"}}\n</tool_call>'],
    ['```json\n{"name": "search", "parameters": {"query": "lock"}}\n```'],
    ['[TOOL_CALLS][{"name": "search", "arguments": "{\\"query\\": \\"lock\\"}"}]'],
  ])('that a model writes as text are calls: %s', async (content) => {
    const { backend } = await openBackend({ reply: () => ({ json: said(content) }) })
    const completion = await backend.chat!({ messages, tools })
    expect(callIn(completion)).toEqual([['search', '{"query":"lock"}']])
    expect(completion.choices[0]).toMatchObject({ finish_reason: 'tool_calls', message: { content: null } })
  })

  it('in the legacy field function_call are calls', async () => {
    const legacy = { name: 'search', arguments: '{"query":"lock"}' }
    const message = { role: 'assistant', content: null, function_call: legacy }
    const { backend } = await openBackend({
      reply: () => ({ json: { ...answer, choices: [{ index: 0, finish_reason: 'function_call', message }] } }),
    })
    const completion = await backend.chat!({ messages, tools })
    expect(callIn(completion)).toEqual([['search', '{"query":"lock"}']])
    expect(completion.choices[0]).toMatchObject({ finish_reason: 'tool_calls' })
    // A service would refuse a message that has both.
    expect(completion.choices[0]!.message['function_call']).toBeUndefined()
  })

  it('of a tool that was not offered, and prose, are answers', async () => {
    const { backend } = await openBackend({ reply: () => ({ json: said('{"name": "delete", "arguments": {}}') }) })
    const completion = await backend.chat!({ messages, tools })
    expect([callIn(completion), completion.choices[0]!.message.content]).toEqual([
      undefined,
      '{"name": "delete", "arguments": {}}',
    ])
  })

  it.each([
    [400, 'registry.ollama.ai/library/gemma:2b does not support tools'],
    [500, 'tools param requires --jinja flag'],
    [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
    [404, 'No endpoints found that support tool use.'],
  ])('are asked for in words where a service refuses tools: %i %s', async (status, message) => {
    const replies = ['{"tool": "search", "arguments": {"query": "lock"}}', '{"answer": "In 1904."}', 'In 1904.']
    const { backend, service } = await openBackend({
      reply: ({ body }) =>
        (body as { tools?: unknown }).tools === undefined
          ? { json: said(replies.shift()!) }
          : { status, json: { error: { message } } },
    })
    const first = await backend.chat!({ messages, tools, tool_choice: 'auto' })
    expect(callIn(first)).toEqual([['search', '{"query":"lock"}']])
    const call = first.choices[0]!.message
    const result = { role: 'tool' as const, tool_call_id: call.tool_calls![0]!.id, content: 'opened in 1904' }
    for (let turn = 0; turn < 2; turn += 1) {
      const next = await backend.chat!({ messages: [...messages, call, result], tools })
      expect(next.choices[0]!.message.content).toBe('In 1904.')
    }
    // Refused once, and not sent again.
    expect(service.calls.filter(({ body }) => 'tools' in (body as object))).toHaveLength(1)
    const sent = service.calls.at(-1)!.body as { messages: { role: string; content: string }[]; tool_choice?: unknown }
    expect(sent.tool_choice).toBeUndefined()
    expect(sent.messages[0]!.content).toContain('You can call these tools:')
    expect(sent.messages.at(-1)).toEqual({ role: 'user', content: 'Result of search:\nopened in 1904' })
  })
})

describe('an answer that a service withholds', () => {
  const ended = (finish_reason: string, message: object) => ({
    ...answer,
    choices: [{ index: 0, finish_reason, message: { role: 'assistant', ...message } }],
  })

  it.each([
    ['by its filter', { json: ended('content_filter', { content: 'the begin' }) }, 'content_filtered'],
    [
      'by a filter of prompts',
      { status: 400, json: { error: { code: 'content_filter', message: 'filtered' } } },
      'content_filtered',
    ],
    ['by a refusal of the model', { json: ended('stop', { content: null, refusal: 'I cannot help.' }) }, 'refused'],
  ])('%s is a failure of its own, and is asked for once', async (_how, reply, code) => {
    const { backend, service } = await openBackend({ reply: () => reply })
    await expect(backend.chat!({ messages })).rejects.toMatchObject({ code })
    expect(service.calls).toHaveLength(1)
  })

  it('is an answer where there is text beside the refusal', async () => {
    const { backend } = await openBackend({
      reply: () => ({ json: ended('stop', { content: 'Yes.', refusal: 'no' }) }),
    })
    expect(await backend.chat!({ messages })).toMatchObject({ choices: [{ message: { content: 'Yes.' } }] })
  })
})

describe('how a service ends and wraps its answers', () => {
  const piece = (content: string, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`
  const serve = async (respond: (response: ServerResponse) => void) => {
    const server = createServer((incoming, response) => {
      incoming.resume().on('end', () => respond(response))
    })
    const { url, close } = await listenLocally(server)
    const { backend } = await openBackend({ reply: () => ({ json: answer }), choice: { base_url: `${url}/v1` } })
    onTestFinished(close)
    const pieces: string[] = []
    const completion = await backend.chat!({ messages }, undefined, (text) => pieces.push(text))
    return { content: completion.choices[0]!.message.content, pieces }
  }
  const events = piece('Hel') + piece('lo') + piece('', 'stop')
  const stream = { 'content-type': 'text/event-stream' }

  it.each<[string, (response: ServerResponse) => void]>([
    ['a stream without [DONE]', (response) => void response.writeHead(200, stream).end(events)],
    ['a stream that stays open', (response) => void response.writeHead(200, stream).write(events)],
    ['events without data', (response) => void response.writeHead(200, stream).end(`data:\n\ndata: \n\n${events}`)],
    [
      'events of another media type',
      (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(events),
    ],
    [
      'lines of JSON',
      (response) =>
        void response
          .writeHead(200, { 'content-type': 'application/x-ndjson' })
          .end(events.replaceAll('data: ', '').replaceAll('\n\n', '\n')),
    ],
    [
      'a compressed stream',
      (response) => void response.writeHead(200, { ...stream, 'content-encoding': 'gzip' }).end(gzipSync(events)),
    ],
    [
      'parts',
      (response) =>
        void response
          .writeHead(200, stream)
          .end(piece('Hello', 'stop').replace('"Hello"', '[{"type":"text","text":"Hello"}]')),
    ],
    [
      'a byte order mark',
      (response) =>
        void response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(
            `\uFEFF${JSON.stringify({ ...answer, choices: [{ ...answer.choices[0], message: { role: 'assistant', content: 'Hello' } }] })}`,
          ),
    ],
  ])('reads %s', async (_what, respond) => {
    const { content, pieces } = await serve(respond)
    expect(content).toBe('Hello')
    expect('Hello'.startsWith(pieces.join(''))).toBe(true)
  })

  it.each([
    [
      'an error in the choice',
      {
        ...answer,
        choices: [{ finish_reason: 'error', error: { message: 'Provider died' }, message: { content: '' } }],
      },
    ],
    ['an error beside no choices', { id: 'x', choices: null, error: { message: 'Provider died', code: 502 } }],
  ])('reports %s with the words of the service', async (_what, json) => {
    const { chat } = await openBackend({ reply: () => ({ json }), choice: { retries: 0 } })
    await expect(chat()).rejects.toMatchObject({ code: 'upstream_error', said: { text: 'Provider died' } })
  })
})

describe('the quirks of providers', () => {
  it.each(Object.entries(PROVIDER_QUIRKS))('are read from %s', async (_provider, json) => {
    const { chat } = await openBackend({ reply: () => ({ json }) })
    expect(ChatCompletion.safeParse(await chat()).error).toBeUndefined()
    expect((await chat()).choices[0]?.message).toMatchObject({ role: 'assistant', content: 'yes' })
  })

  it.each([
    [
      'Ollama: arguments as an object',
      { id: 'call_1', type: 'function', index: 0, function: { name: 'f', arguments: { a: 1 } } },
      'call_1',
    ],
    ['Gemini: an empty id', { id: '', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }, ''],
    ['LM Studio: no type', { id: 'call_1', function: { name: 'f', arguments: '{"a":1}' } }, 'call_1'],
    ['llama.cpp: a null id', { id: null, type: 'function', function: { name: 'f', arguments: '{"a":1}' } }, ''],
  ])('in tool calls are read from %s', async (_provider, call, id) => {
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    const { chat } = await openBackend({
      reply: () => ({ json: { choices: [{ index: 0, finish_reason: 'tool_calls', message }] } }),
    })
    expect((await chat()).choices[0]?.message.tool_calls).toEqual([
      { ...call, id, type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
    ])
  })
})

describe('a recorded behaviour of each service', () => {
  type Sent = Record<string, unknown>
  const tools = [{ type: 'function' as const, function: { name: 'search', parameters: { type: 'object' } } }]
  const message = (more: object, finish_reason = 'stop') => ({
    json: { choices: [{ index: 0, finish_reason, message: { role: 'assistant', content: 'hello', ...more } }] },
  })
  const refused = (status: number, json: unknown) => ({ status, json })
  const openAi = (param: string, text: string) =>
    refused(400, { error: { message: text, type: 'invalid_request_error', param, code: 'unsupported_value' } })
  const asked = {
    messages: [{ role: 'system' as const, content: 'Be short.' }, ...messages],
    temperature: 0,
    max_tokens: 9000,
  }

  /** States what a service answers to a request, and what is known of its model afterwards. */
  const RECORDED: [service: string, reply: (sent: Sent) => { status?: number; json: unknown }, known: object][] = [
    [
      'GPT-5 and o-series: temperature and max_tokens, one after the other',
      (sent) =>
        'temperature' in sent
          ? openAi('temperature', "Unsupported value: 'temperature' does not support 0 with this model.")
          : 'max_tokens' in sent
            ? openAi('max_tokens', "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")
            : message({}),
      { refused: { temperature: expect.any(String), max_tokens: expect.any(String) } },
    ],
    [
      'o1-mini: the system role',
      ({ messages: sent }) =>
        JSON.stringify(sent).includes('"system"')
          ? openAi(
              'messages[0].role',
              "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
            )
          : message({}),
      { refused: { system: expect.any(String) } },
    ],
    [
      'llama.cpp: a prompt beyond its context, and reasoning in a field',
      ({ max_tokens: room }) =>
        Number(room) > 4066
          ? refused(400, {
              error: {
                code: 400,
                type: 'exceed_context_size_error',
                message: 'request (30 tokens) exceeds the available context size (4096 tokens), try increasing it',
              },
            })
          : message({ reasoning_content: 'hmm' }),
      { context_window: 4096, reasoning: 'field' },
    ],
    [
      'vLLM: the prompt with the longest answer, as a flat error',
      ({ max_tokens: room }) =>
        Number(room) > 8172
          ? refused(400, {
              object: 'error',
              type: 'BadRequestError',
              param: null,
              code: 400,
              message:
                "You passed 20 input tokens and requested 9000 output tokens. However, the model's context length is only 8192 tokens.",
            })
          : message({ reasoning: 'hmm' }),
      { context_window: 8192, reasoning: 'field' },
    ],
    [
      'Ollama: reasoning, and usage without details',
      () => ({
        json: { ...(message({ reasoning: 'hmm' }).json as object), usage: { prompt_tokens: 3, completion_tokens: 1 } },
      }),
      { reasoning: 'field', reports_usage: true, finish_reasons: ['stop'] },
    ],
    [
      'LM Studio: an error that is a text',
      (sent) => ('temperature' in sent ? refused(400, { error: "'temperature' is not supported" }) : message({})),
      { refused: { temperature: "'temperature' is not supported" } },
    ],
    ['LM Studio: reasoning in the text', () => message({ content: '<think>hmm</think>hello' }), { reasoning: 'text' }],
    [
      'Mistral: a field that it forbids, named by its place',
      (sent) =>
        'temperature' in sent
          ? refused(422, {
              object: 'error',
              message: {
                detail: [
                  { type: 'extra_forbidden', loc: ['body', 'temperature'], msg: 'Extra inputs are not permitted' },
                ],
              },
              code: null,
            })
          : message({}),
      { refused: { temperature: 'Extra inputs are not permitted (body.temperature)' } },
    ],
    [
      'Mistral: content in parts, with reasoning',
      () =>
        message({
          content: [
            { type: 'thinking', thinking: [{ type: 'text', text: 'hmm' }] },
            { type: 'text', text: 'hello' },
          ],
        }),
      {},
    ],
    [
      'Gemini: a list of errors, which names an unknown field',
      (sent) =>
        'temperature' in sent
          ? refused(400, [
              {
                error: {
                  code: 400,
                  status: 'INVALID_ARGUMENT',
                  message: 'Invalid JSON payload received. Unknown name "temperature": Cannot find field.',
                },
              },
            ])
          : message({}),
      { refused: { temperature: 'Invalid JSON payload received. Unknown name "temperature": Cannot find field.' } },
    ],
    [
      'OpenRouter: credit for a shorter answer',
      ({ max_tokens: room }) =>
        Number(room) > 600
          ? refused(402, {
              error: {
                code: 402,
                message: `This request requires more credits, or fewer max_tokens. You requested up to ${String(room)} tokens, but can only afford 512`,
              },
            })
          : message({ reasoning: 'hmm', reasoning_details: [] }),
      { max_output_tokens: null, reasoning: 'field' },
    ],
    [
      'Cloudflare: a list of errors beside a result',
      (sent) =>
        'temperature' in sent
          ? refused(400, { result: null, success: false, errors: [{ code: 5006, message: 'temperature is unknown' }] })
          : message({}),
      { refused: { temperature: 'temperature is unknown' } },
    ],
  ]

  it.each(RECORDED)('%s', async (_service, reply, known) => {
    const models = new KnownModels()
    const { backend, service } = await openBackend({ reply: ({ body }) => reply(body as Sent), known: models })
    const completion = await backend.chat!(asked)
    expect(completion.choices[0]!.message.content).toBe('hello')
    expect(models.of(`${service.url}/v1`, 'm').record).toMatchObject(known)
    const before = service.calls.length
    await backend.chat!(asked)
    // What was learned is right at once.
    expect(service.calls.length - before).toBe(1)
  })

  it('a service without usage: its tokens are counted here, and marked', async () => {
    const { backend } = await openBackend({ reply: () => message({}) })
    const { usage } = await backend.chat!(asked)
    expect(usage).toMatchObject({ prompt_tokens: expect.any(Number), estimated: true })
    expect(usage!.prompt_tokens).toBeGreaterThan(5)
    expect(usageOfCall('m', true, usage!)).toMatchObject({ calls: 1, unreported: 0, estimated: 1 })
  })

  it('GPT-5.4: tools beside an effort that was not sent are asked for in words', async () => {
    const message54 = 'Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions.'
    const { backend } = await openBackend({
      reply: ({ body }) =>
        'tools' in (body as Sent)
          ? { status: 400, json: { error: { message: message54, param: 'reasoning_effort', code: null } } }
          : message({ content: '{"tool": "search", "arguments": {"query": "lock"}}' }),
    })
    const completion = await backend.chat!({ messages, tools })
    expect(completion.choices[0]!.message.tool_calls).toHaveLength(1)
  })

  it('TEI: a request may have 32 texts, as the refusal of more says', async () => {
    const sizes: number[] = []
    const models = new KnownModels()
    const { backend, service } = await openBackend({
      known: models,
      reply: ({ body }) => {
        const { input } = body as { input: string[] }
        sizes.push(input.length)
        return input.length > 32
          ? {
              status: 413,
              json: { message: `batch size ${input.length} > maximum allowed batch size 32`, type: 'Validation' },
            }
          : { json: { data: input.map((_, index) => ({ index, embedding: [index + 1, 1] })) } }
      },
    })
    expect(
      await backend.embed!(
        Array.from({ length: 70 }, (_, place) => `text ${place}`),
        'document',
      ),
    ).toHaveLength(70)
    expect(sizes).toEqual([64, 32, 32, 6])
    expect(models.of(`${service.url}/v1`, 'm').record).toMatchObject({ embedding_batch: 32, dimensions: 2 })
  })
})
