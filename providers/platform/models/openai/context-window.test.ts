import { afterEach, describe, expect, it } from 'vitest'
import { COMPLETION, openBackend } from '../../../../tests/helpers/openai-backend.ts'
import { startModelService, type ModelService } from '../../../../tests/helpers/model-service.ts'
import { KnownModels } from '../../../../core/model-records/known-models.ts'
import { askForWindow } from './context-window.ts'

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
    ['unlisted', {}, null],
  ])('%s', async (_service, answers, window) => {
    service = await startModelService(({ path }) =>
      path in answers ? { json: answers[path] } : { status: 404, json: {} },
    )
    expect(await askForWindow(`${service.url}/v1`, 'm', null)).toBe(window)
  })
})

describe('a prompt and the window', () => {
  const messages = (words: number) => [{ role: 'user' as const, content: 'word '.repeat(words) }]

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
