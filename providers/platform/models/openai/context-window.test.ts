import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LearnedOfModel } from '../../../../contract/manifests/model-record.ts'
import { COMPLETION, openBackend, type OpenAiSetup } from '../../../../tests/helpers/openai-backend.ts'
import { startModelService, type ModelService } from '../../../../tests/helpers/model-service.ts'
import { forgetModel, keptRecord, KnownModels } from '../../../../core/model-records/known-models.ts'
import { askForWindow } from './context-window.ts'
import { temporaryFolder } from '../../../../tests/helpers/temporary-folder.ts'

describe('where a service names the window', () => {
  let service: ModelService
  afterEach(() => service.close())

  it.each<[string, Record<string, unknown>, number | null]>([
    ['vLLM', { '/v1/models': { data: [{ id: 'm', max_model_len: 8192 }] } }, 8192],
    [
      'OpenRouter',
      {
        '/v1/models': {
          data: [
            { id: 'other', context_length: 1 },
            { id: 'm', context_length: 131_072 },
          ],
        },
      },
      131_072,
    ],
    ['Mistral', { '/v1/models': { data: [{ id: 'm', max_context_length: 32_768 }] } }, 32_768],
    [
      'llama.cpp',
      { '/v1/models': { data: [{ id: 'm' }] }, '/props': { default_generation_settings: { n_ctx: 4096 } } },
      4096,
    ],
    [
      'LM Studio',
      { '/api/v0/models': { data: [{ id: 'm', max_context_length: 32_768, loaded_context_length: 4096 }] } },
      4096,
    ],
    ['Ollama', { '/api/ps': { models: [{ model: 'm', context_length: 4096 }] } }, 4096],
    [
      'Ollama, which adds its default tag',
      { '/api/ps': { models: [{ model: 'm:latest', context_length: 4096 }] } },
      4096,
    ],
    ['Ollama, with another tag', { '/api/ps': { models: [{ model: 'm:8b', context_length: 4096 }] } }, null],
    ['unlisted', {}, null],
  ])('%s', async (_service, answers, window) => {
    service = await startModelService(({ path }) =>
      path in answers ? { json: answers[path] } : { status: 404, json: {} },
    )
    expect(await askForWindow(`${service.url}/v1`, 'm', null)).toBe(window)
  })
})

const messages = (words: number) => [{ role: 'user' as const, content: 'word '.repeat(words) }]

describe('a prompt and the window', () => {
  it('an answer gets the room of its role, and no more than the window leaves', async () => {
    const known = new KnownModels()
    const { backend, service } = await openBackend({ reply: () => ({ json: COMPLETION }), known })
    await backend.chat!({ messages: messages(10) })
    known.of(`${service.url}/v1`, 'm').learn({ context_window: 2000 })
    await backend.chat!({ messages: messages(1000) })
    await backend.chat!({ messages: messages(10), max_tokens: 5 })
    const limits = service.calls.map(({ body }) => (body as { max_tokens: number }).max_tokens)
    expect(limits).toEqual([4096, 781, 5])
  })

  it('a limit of the connection holds', async () => {
    const defaults = { max_completion_tokens: 99 }
    const { backend, service } = await openBackend({ reply: () => ({ json: COMPLETION }), choice: { defaults } })
    await backend.chat!({ messages: messages(1) })
    expect(service.calls[0]!.body).toMatchObject(defaults)
    expect(service.calls[0]!.body).not.toHaveProperty('max_tokens')
  })

  it('a prompt that leaves no room is refused before it is sent, with the numbers: a service may cut it without a word', async () => {
    const known = new KnownModels()
    const { backend, service } = await openBackend({ reply: () => ({ json: COMPLETION }), known })
    known.of(`${service.url}/v1`, 'm').learn({ context_window: 1000 })
    await expect(backend.chat!({ messages: messages(2000) })).rejects.toMatchObject({
      code: 'context_length_exceeded',
      detail: expect.stringMatching(/about 2004 tokens, but the context of m holds 1000/),
    })
    expect(service.calls).toEqual([])
  })

  it('a prompt that is refused with the longest answer is sent again with the room that is left', async () => {
    const { backend, service } = await openBackend({
      reply: ({ body }) => {
        const { max_tokens: room } = body as { max_tokens: number }
        const message = `You passed 1500 input tokens and requested ${room} output tokens. However, the model's context length is only 4096 tokens.`
        return 1500 + room > 4096 ? { status: 400, json: { error: { message } } } : { json: COMPLETION }
      },
    })
    await backend.chat!({ messages: messages(1000) })
    expect(service.calls.map(({ body }) => (body as { max_tokens: number }).max_tokens)).toEqual([4096, 2596])
  })
})

describe('a limit that an earlier process has learned', () => {
  let folder: string
  beforeEach(async () => {
    folder = await temporaryFolder('kept-limits')
  })

  /** A backend of a process that begins with these limits. */
  async function nextProcess(limits: LearnedOfModel, setup: Pick<OpenAiSetup, 'reply' | 'asksWindow'>) {
    const { service } = await openBackend(setup)
    const address = `${service.url}/v1`
    new KnownModels(folder).of(address, 'm').learn(limits)
    const { backend } = await openBackend({ ...setup, known: new KnownModels(folder), choice: { base_url: address } })
    const rooms = () =>
      service.calls.flatMap(({ body }) => (body === null ? [] : [(body as { max_tokens: number }).max_tokens]))
    const paths = () => service.calls.map(({ path }) => path)
    const kept = () => keptRecord(folder, address, 'm')!
    const forget = () => forgetModel(folder, { address, model: 'm' })
    return { chat: (words: number) => backend.chat!({ messages: messages(words) }), rooms, paths, kept, forget }
  }
  const answered = () => ({ json: COMPLETION })
  const tooLong = (window: number) => ({
    status: 400,
    json: {
      error: { message: `This model's maximum context length is ${window} tokens.`, code: 'context_length_exceeded' },
    },
  })

  it.each([
    ['would refuse', 9000],
    ['would leave a shorter answer', 5000],
  ])('a window is dropped by the first prompt that it %s, where the service takes that prompt', async (_, words) => {
    const { chat, rooms, kept } = await nextProcess({ context_window: 8192 }, { reply: answered })
    await chat(10)
    expect(kept().context_window).toBe(8192)
    await chat(words)
    await chat(10_000)
    expect(rooms()).toEqual([4096, 4096, 4096])
    expect(kept().context_window).toBeNull()
  })

  it('a window is learned again from the refusal of the first prompt that it would refuse, which names the way out', async () => {
    const { chat, rooms, kept } = await nextProcess({ context_window: 1000 }, { reply: () => tooLong(1500) })
    await expect(chat(2000)).rejects.toMatchObject({ code: 'context_length_exceeded', status: 400 })
    await expect(chat(2000)).rejects.toMatchObject({
      status: null,
      detail: expect.stringMatching(/context of m holds 1500 .*test the model set on the page Models$/),
    })
    expect([rooms(), kept().context_window]).toEqual([[4096], 1500])
  })

  it('a window is asked for once, before the first prompt', async () => {
    const reply: OpenAiSetup['reply'] = ({ path }) =>
      path === '/v1/models' ? { json: { data: [{ id: 'm', max_model_len: 8192 }] } } : answered()
    const { chat, rooms, paths, kept } = await nextProcess({ context_window: 1000 }, { reply, asksWindow: true })
    await Promise.all([chat(2000), chat(2000)])
    await expect(chat(9000)).rejects.toMatchObject({ detail: expect.stringContaining('holds 8192') })
    expect(paths()).toEqual(['/v1/models', '/v1/chat/completions', '/v1/chat/completions'])
    expect([rooms(), kept().context_window]).toEqual([[4096, 4096], 8192])
  })

  it.each([
    ['is kept', { context_window: 1000 }],
    ['is unknown', {}],
  ])(
    'prompts that a service has cut are refused where the window %s and named only after the first call',
    async (_, limits) => {
      let isLoaded = false
      const reply: OpenAiSetup['reply'] = ({ path }) => {
        if (path === '/api/ps') return { json: { models: isLoaded ? [{ model: 'm', context_length: 1000 }] : [] } }
        if (path !== '/v1/chat/completions') return { status: 404, json: {} }
        isLoaded = true
        return answered()
      }
      const { chat, rooms } = await nextProcess(limits, { reply, asksWindow: true })
      const refused = { status: 'rejected', reason: { code: 'context_length_exceeded' } }
      expect(await Promise.allSettled([chat(2000), chat(2000)])).toMatchObject([refused, refused])
      await expect(chat(2000)).rejects.toMatchObject(refused.reason)
      await chat(10)
      expect(rooms()).toHaveLength(3)
    },
  )

  it.each([
    ['by a connection that limits the answer', { max_tokens: 50 }, 2000],
    ['by any other', {}, 2000],
  ])('a prompt over the window is refused before it is sent %s', async (_, defaults, words) => {
    const { service, backend } = await openBackend({
      reply: ({ path }) =>
        path === '/v1/models' ? { json: { data: [{ id: 'm', max_model_len: 1000 }] } } : answered(),
      choice: { defaults },
      asksWindow: true,
    })
    await backend.chat!({ messages: messages(10) })
    const calls = service.calls.length
    await expect(backend.chat!({ messages: messages(words) })).rejects.toMatchObject({
      code: 'context_length_exceeded',
    })
    expect(service.calls).toHaveLength(calls)
  })

  it('a complete answer to a prompt that just fits the window is kept', async () => {
    const reply: OpenAiSetup['reply'] = ({ path }) =>
      path === '/v1/models' ? { json: { data: [{ id: 'm', max_model_len: 2100 }] } } : answered()
    const { backend } = await openBackend({ reply, asksWindow: true })
    await expect(backend.chat!({ messages: messages(2000) })).resolves.toMatchObject({ choices: [{}] })
  })

  it('a window is unknown again in a running process once the model is forgotten', async () => {
    let window = 1500
    const { chat, rooms, forget } = await nextProcess(
      { context_window: 1000 },
      { reply: () => (window < 3000 ? tooLong(window) : answered()) },
    )
    await expect(chat(2000)).rejects.toMatchObject({ status: 400 })
    window = 8192
    await expect(chat(2000)).rejects.toMatchObject({ status: null })
    forget()
    await chat(2000)
    expect(rooms()).toEqual([4096, 4096])
  })

  it('an answer is not cut by an output limit before the service has refused a longer one again', async () => {
    const raised = await nextProcess({ max_output_tokens: 512 }, { reply: answered })
    await raised.chat(10)
    await raised.chat(10)
    expect([raised.rooms(), raised.kept().max_output_tokens]).toEqual([[4096, 4096], null])
    const reply: OpenAiSetup['reply'] = ({ body }) =>
      (body as { max_tokens: number }).max_tokens > 1024
        ? { status: 400, json: { error: { message: '`max_tokens` must be less than or equal to `1024`' } } }
        : answered()
    const lowered = await nextProcess({ max_output_tokens: 512 }, { reply })
    await lowered.chat(10)
    await lowered.chat(10)
    expect([lowered.rooms(), lowered.kept().max_output_tokens]).toEqual([[4096, 1024, 1024], 1024])
  })
})
