import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'
import { MODEL_BACKENDS, type ModelOf } from '../../../../contract/manifests/model-backends.ts'
import type { ChatCompletion } from '../../../../contract/http/chat.ts'
import type { ModelRole } from '../../../../contract/manifests/models.ts'
import { createGgufBackend } from './gguf-backend.ts'
import { createGgufModels, type GgufModels } from './gguf-models.ts'
import type { GgufChat } from './gguf-protocol.ts'
import { reasonOf } from '../model-error-response.ts'
import type { ModelCallError, RoleChatRequest } from '../model-host.ts'

const CHILD = new URL('../../../../tests/helpers/fake-gguf-child.ts', import.meta.url)

let folder: string
let models: GgufModels
beforeEach(async () => {
  folder = await temporaryFolder('gguf')
  for (const name of ['small.gguf', 'fault-damaged.gguf', 'fault-memory.gguf', 'fault-no_runtime.gguf'])
    await writeFile(join(folder, name), 'weights')
  models = createGgufModels(CHILD)
})
afterEach(() => models.close())

const choice = (settings: Partial<ModelOf<'gguf'>> = {}, file = 'small.gguf'): ModelOf<'gguf'> =>
  MODEL_BACKENDS.gguf.settings.parse({ backend: 'gguf', model: join(folder, file), ...settings })
const backend = (settings?: Partial<ModelOf<'gguf'>>, role: ModelRole = 'light_gen', file?: string) =>
  createGgufBackend(role, choice(settings, file), models)
const asking = (text: string, more: Partial<RoleChatRequest> = {}): RoleChatRequest => ({
  messages: [{ role: 'user', content: text }],
  ...more,
})
interface Seen {
  pid: number
  answers: number
  chat: GgufChat
}
const seen = (completion: ChatCompletion): Seen => JSON.parse(completion.choices[0]!.message.content!) as Seen
const reasonFor = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    () => 'no error',
    (error: unknown) => reasonOf(error as ModelCallError),
  )

describe('embeddings', () => {
  it('are unit vectors in the order of the texts, each side with its prefix, and report their tokens', async () => {
    const tokens: number[] = []
    const embed = backend({ query_prefix: 'q: ' }, 'embed').embed!
    const report = (count: number) => tokens.push(count)
    const [query] = await embed(['two words'], 'query', undefined, undefined, report)
    // "q: two words" has 12 letters and 3 words.
    expect([...query!]).toEqual([...new Float32Array([12 / Math.hypot(12, 3), 3 / Math.hypot(12, 3)])])
    const many = Array.from({ length: 40 }, (_, index) => 'x'.repeat(index + 1))
    const vectors = await embed(many, 'document', undefined, undefined, report)
    vectors.forEach((vector, index) => expect(vector[0]! / vector[1]!).toBeCloseTo(index + 1, 4))
    expect(tokens).toEqual([3, 40])
  })

  it('have a process apart from that of the answers of the same file', async () => {
    const [vectors] = await Promise.all([backend({}, 'embed').embed!(['a'], 'query'), backend().chat!(asking('hello'))])
    expect(vectors).toHaveLength(1)
  })

  it('without a direction are refused', async () => {
    await expect(backend({}, 'embed').embed!(['zero'], 'query')).rejects.toThrow('embedding 0 is all zeros')
  })
})

describe('a request', () => {
  it('passes on the text of a streamed answer in pieces, without its reasoning, before the whole', async () => {
    const pieces: string[] = []
    const answer = backend().chat!(asking('pieces <think>|hm</think>|Blue| sky'), undefined, (piece) =>
      pieces.push(piece),
    )
    expect((await answer).choices[0]!.message.content).toBe('Blue sky')
    expect(pieces).toEqual(['Blue', ' sky'])
  })

  it('reaches the model with its sampling, stop texts, switch of thinking and JSON schema', async () => {
    const schema = { type: 'object', properties: { a: { type: 'string' } } }
    const request: RoleChatRequest = {
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'one' }] },
        { role: 'assistant', content: 'two' },
        { role: 'user', content: 'three' },
      ],
      temperature: 0.5,
      top_p: 0.9,
      seed: 7,
      stop: 'END',
      max_tokens: 5,
      think: 'none',
      response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } },
    }
    expect(seen(await backend().chat!(request)).chat).toEqual({
      messages: [
        { role: 'system', text: 'Be brief.' },
        { role: 'user', text: 'one' },
        { role: 'model', text: 'two' },
        { role: 'user', text: 'three' },
      ],
      maxTokens: 5,
      temperature: 0.5,
      topP: 0.9,
      seed: 7,
      stop: ['END'],
      streams: false,
      think: false,
      format: { schema },
    })
  })

  it('without settings is answered at temperature 0, at most as long as max_new_tokens', async () => {
    const { chat } = seen(await backend({ max_new_tokens: 33 }).chat!(asking('hello')))
    expect(chat).toMatchObject({ maxTokens: 33, temperature: 0, seed: null, stop: [], think: null, format: null })
  })

  it('with the schema of a role is held to it, unless it names a format of its own', async () => {
    const reply_schema = { type: 'object', properties: { a: { anyOf: [{ type: 'null' }, { type: 'string' }] } } }
    const { chat } = seen(await backend().chat!(asking('hello', { reply_schema })))
    expect(chat.format).toEqual({
      schema: { type: 'object', properties: { a: { oneOf: [{ type: 'null' }, { type: 'string' }] } } },
    })
    const own = asking('hello', { reply_schema, response_format: { type: 'json_object' } })
    expect(seen(await backend().chat!(own)).chat.format).toBe('json')
  })

  it('gets tokens, time to first token, tokens per second and memory with its answer', async () => {
    const answer = await backend().chat!(asking('hello', { think: true }))
    expect(answer).toMatchObject({
      model: 'small',
      usage: { prompt_tokens: 7, completion_tokens: 11, completion_tokens_details: { reasoning_tokens: 4 } },
      timings: { prompt_ms: 20, predicted_n: 11, predicted_ms: 100, predicted_per_second: 100, resident_bytes: 2000 },
    })
  })

  it.each([
    ['a seed that is no whole number', { seed: 1.5 }, /invalid value for seed/],
    [
      'a JSON schema that is missing',
      { response_format: { type: 'json_schema' } },
      /invalid value for response_format/,
    ],
  ])('with %s is refused', async (_what, more, problem) => {
    expect(await reasonFor(backend().chat!(asking('hello', more)))).toMatch(problem)
  })
})

describe('the process of a file', () => {
  it('serves every role that names the file, and starts once', async () => {
    const first = seen(await backend().chat!(asking('hello')))
    const second = seen(await backend({}, 'graph_query').chat!(asking('hello')))
    expect(second).toMatchObject({ pid: first.pid, answers: 2 })
  })

  it('ends when nothing was asked for keep_alive_s, and the next call starts another', async () => {
    const quick = backend({ keep_alive_s: 0.05 })
    const first = seen(await quick.chat!(asking('hello')))
    await vi.waitFor(() => expect(() => process.kill(first.pid, 0)).toThrow('ESRCH'), { timeout: 15_000 })
    const second = seen(await quick.chat!(asking('hello')))
    expect(second.pid).not.toBe(first.pid)
    expect(second.answers).toBe(1)
  })

  it('that is killed fails its call only', async () => {
    const first = seen(await backend().chat!(asking('hello')))
    const under = backend().chat!(asking('hang'))
    setTimeout(() => process.kill(first.pid, 'SIGKILL'), 50)
    expect(await reasonFor(under)).toMatch(
      /ended with SIGKILL, as systems do when memory runs out. The next call loads/,
    )
    expect(seen(await backend().chat!(asking('hello'))).answers).toBe(1)
  })

  it('that holds more than memory_mib ends with what to do', async () => {
    expect(await reasonFor(backend({ memory_mib: 64 }).chat!(asking('exit 86')))).toMatch(
      /Too little memory for .*small\.gguf: the process held more than 64 MiB \(memory_mib, else what was free\)\. Use a smaller/,
    )
  })

  it('that does not end an answer in time is ended, at a deadline and at a cancel', async () => {
    expect(await reasonFor(backend({ timeout_s: 0.2 }).chat!(asking('hang')))).toMatch(
      /gave no complete answer within 0\.2 s \(timeout_s\)/,
    )
    const cancel = new AbortController()
    const answer = backend().chat!(asking('hang'), cancel.signal)
    setTimeout(() => cancel.abort(new Error('the caller left')), 50)
    await expect(answer).rejects.toThrow('the caller left')
    expect(seen(await backend().chat!(asking('hello'))).answers).toBe(1)
  })

  it('that ends an answer when asked is kept', async () => {
    const first = seen(await backend().chat!(asking('hello')))
    const cancel = new AbortController()
    const answer = backend().chat!(asking('slow'), cancel.signal)
    setTimeout(() => cancel.abort(new Error('the caller left')), 50)
    await expect(answer).rejects.toThrow('the caller left')
    expect(seen(await backend().chat!(asking('hello')))).toMatchObject({ pid: first.pid, answers: 2 })
  })

  it('answers one request after the other; one that leaves the queue does not hold it up, and a full queue is refused', async () => {
    const cancel = new AbortController()
    const under = backend().chat!(asking('slow'), cancel.signal)
    under.catch(() => undefined)
    // The first has its turn at once, so that only the others wait.
    await new Promise((resolve) => setImmediate(resolve))
    const left = new AbortController()
    const leaving = backend().chat!(asking('hello'), left.signal)
    const waiting = Array.from({ length: 63 }, () => backend().chat!(asking('hello')))
    await expect(backend().chat!(asking('hello'))).rejects.toMatchObject({ code: 'rate_limited', retryAfterMs: 5000 })
    left.abort(new Error('left'))
    await expect(leaving).rejects.toThrow('left')
    cancel.abort(new Error('cancelled'))
    const answers = (await Promise.all(waiting)).map((answer) => seen(answer).answers)
    expect(answers).toEqual(answers.map((_, index) => index + 1))
  })
})

describe('what cannot be answered reports why and what to do', () => {
  it('a prompt that does not fit, with both numbers', async () => {
    expect(await reasonFor(backend().chat!(asking('fail too_long', { max_tokens: 20 })))).toBe(
      'the model call for role light_gen failed: The prompt has 90 tokens and its answer may have 20, but the context holds 100. ' +
        'Shorten the prompt, lower max_tokens, or set a larger context_size in manifests/models.yaml',
    )
  })

  it.each([
    ['a missing file', 'absent.gguf', /absent\.gguf cannot be loaded: there is no such file\. Download a GGUF file/],
    [
      'a damaged file',
      'fault-damaged.gguf',
      /cannot be loaded: as damaged\. The file may be damaged or incomplete: download/,
    ],
    ['too little memory', 'fault-memory.gguf', /Too little memory for .*: as memory\. Use a smaller/],
    ['a missing build', 'fault-no_runtime.gguf', /llama\.cpp has no build for .* Install the packages again .*npm ci/],
  ])('%s', async (_what, file, problem) => {
    const answer = backend({}, 'evaluator', file).chat!(asking('hello'))
    await expect(answer).rejects.toMatchObject({ code: 'not_configured' })
    expect(await reasonFor(answer)).toMatch(problem)
  })
})

describe('tools', () => {
  const parameters = { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] }
  const tools = [
    { type: 'function' as const, function: { name: 'search', description: 'Finds passages.', parameters } },
  ]
  const replying = (text: string, more: Partial<RoleChatRequest> = {}) =>
    backend().chat!(asking(`pieces ${text}`, { tools, ...more }))

  it('are described in the system message, with a grammar of calls and answers', async () => {
    const messages = [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'user' as const, content: 'Who?' },
      {
        role: 'assistant' as const,
        content: null,
        tool_calls: [{ id: 'c1', type: 'function' as const, function: { name: 'search', arguments: '{"query":"x"}' } }],
      },
      { role: 'tool' as const, tool_call_id: 'c1', content: 'Ann.' },
    ]
    const { chat } = seen(await backend().chat!({ messages, tool_choice: 'none', tools }))
    expect([chat.format, chat.messages[0]!.text]).toEqual([null, 'Be brief.'])
    expect(chat.messages.slice(2)).toEqual([
      { role: 'model', text: '{"tool": "search", "arguments": {"query":"x"}}' },
      { role: 'user', text: 'Result of search:\nAnn.' },
    ])
    const requests: GgufChat[] = []
    const recording: GgufModels = {
      ...models,
      chat: async (role, model, chat, signal) => {
        requests.push(chat)
        return models.chat(role, model, chat, signal)
      },
    }
    for (const choice_ of ['auto', 'required'])
      await createGgufBackend('agentic', choice(), recording).chat!({ messages, tools, tool_choice: choice_ })
    const [auto, required] = requests
    expect(auto!.messages[0]!.text).toMatch(/^Be brief\.\n\nYou can call these tools:\n- search: Finds passages\. /)
    const call = {
      type: 'object',
      properties: {
        tool: { const: 'search' },
        arguments: { ...parameters, properties: { query: { type: 'string', maxLength: 300 } } },
      },
      required: ['tool', 'arguments'],
      additionalProperties: false,
    }
    expect(required!.format).toEqual({ schema: { oneOf: [call] } })
    expect((auto!.format as { schema: { oneOf: object[] } }).schema.oneOf).toHaveLength(2)
  })

  it('are called by a reply that names one, and answered by one that does not', async () => {
    const called = (await replying('{"tool":"search","arguments":{"query":"Ann"}}')).choices[0]!
    expect(called).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [{ type: 'function', function: { name: 'search', arguments: '{"query":"Ann"}' } }],
      },
    })
    const answered = (await replying('{"answer":"It was Ann."}')).choices[0]!
    expect(answered).toMatchObject({ finish_reason: 'stop', message: { content: 'It was Ann.' } })
  })

  it('leave neither call nor answer in a reply that was cut off, and nothing of it is streamed', async () => {
    const pieces: string[] = []
    const request = asking('pieces {"answer":"It w', { tools })
    const completion = await backend().chat!(request, undefined, (piece) => pieces.push(piece))
    expect(completion.choices[0]!.message).toEqual({ role: 'assistant', content: '' })
    expect(pieces).toEqual([])
  })
})
