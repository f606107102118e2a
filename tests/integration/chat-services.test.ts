import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ModelOf } from '../../contract/manifests/model-backends.ts'
import type { ConnectionKind } from '../../contract/manifests/model-connections.ts'
import { listServiceModels } from '../../main/lib/services/list-service-models.ts'
import { createOpenAiBackend } from '../../providers/platform/models/openai/openai-backend.ts'
import {
  CHAT_KEY,
  CHAT_MODEL,
  CHAT_SERVICES,
  CONTEXT_TOKENS,
  EMBEDDING_MODEL,
  startFakeChatService,
} from '../helpers/fake-chat-services.ts'
import type { ModelService } from '../helpers/model-service.ts'

// These tests ask for what a run needs of a server of models: of fakes with the error bodies of Ollama, LM Studio and two generations of vLLM, and of a real
// server where RAG_LADDER_CHAT_URL (with its /v1), RAG_LADDER_CHAT_MODEL and RAG_LADDER_CHAT_EMBEDDING_MODEL name one. What only a fake is known to
// do, such as its sentence, is asked of the fakes alone.

interface Server {
  url: string
  chat: string
  embedding: string
  key: string | null
  kind: ConnectionKind
  close(): Promise<void>
}

const { RAG_LADDER_CHAT_URL: realUrl = '', RAG_LADDER_CHAT_KEY: realKey } = process.env
const { RAG_LADDER_CHAT_MODEL: realModel = '', RAG_LADDER_CHAT_EMBEDDING_MODEL: realEmbedding = '' } = process.env

const KINDS = { Ollama: 'ollama', 'LM Studio': 'lmstudio', 'vLLM 0.8': 'vllm', 'vLLM 0.11': 'vllm' } as const

const fakes = CHAT_SERVICES.map((name) => {
  const start = async (): Promise<Server & { fake: ModelService }> => {
    const fake = await startFakeChatService(name)
    const key = name.startsWith('vLLM') ? CHAT_KEY : null
    return {
      fake,
      url: `${fake.url}/v1`,
      chat: CHAT_MODEL,
      embedding: EMBEDDING_MODEL,
      key,
      kind: KINDS[name],
      close: fake.close,
    }
  }
  return [`a fake of ${name}`, start] as const
})
const real = async (): Promise<Server> => ({
  url: realUrl,
  chat: realModel,
  embedding: realEmbedding,
  key: realKey ?? null,
  kind: 'compatible',
  close: async () => undefined,
})
const all: (readonly [string, () => Promise<Server>])[] = [
  ...fakes,
  ...(realUrl === '' ? [] : [['a real server', real] as const]),
]

const backendAt = ({ url, chat, key }: Server, choice: Partial<ModelOf<'openai'>> = {}) =>
  createOpenAiBackend(
    'light_gen',
    {
      backend: 'openai',
      model: chat,
      base_url: url,
      api_key_env: null,
      timeout_s: 60,
      retries: 2,
      cloud: false,
      defaults: {},
      ...choice,
    },
    key,
    { wait: async () => undefined },
  )

const asking = (content: string) => ({ messages: [{ role: 'user' as const, content }], max_tokens: 16 })

const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}

describe.each(all)('%s', (_name, start) => {
  let server: Server
  beforeAll(async () => void (server = await start()))
  afterAll(() => server.close())

  it('lists its models, and embeds', async () => {
    const { url, chat, embedding, key, kind } = server
    const asked = { kind, baseUrl: url, key, keyName: 'CHAT_KEY', timeoutMs: 60_000 }
    expect((await listServiceModels(asked)).models).toContain(chat)
    if (embedding === '') return
    const backend = backendAt(server, { model: embedding })
    expect(await backend.embed!(['one', 'two'], 'document')).toHaveLength(2)
    await backend.close()
  })

  it('answers a chat with its usage, and the same in pieces', async () => {
    const backend = backendAt(server)
    const whole = await backend.chat!(asking('Is the harbour open?'))
    expect(whole.usage).toMatchObject({ prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) })
    const pieces: string[] = []
    const streamed = await backend.chat!(asking('Is the harbour open?'), undefined, (piece) => pieces.push(piece))
    expect(streamed.choices[0]!.message.content).toBe(pieces.join(''))
    expect(pieces.length).toBeGreaterThan(1)
    await backend.close()
  })

  it('keeps to a schema', async () => {
    const backend = backendAt(server)
    const reply = await backend.chat!({
      ...asking('Name a city of Norway as JSON.'),
      reply_schema: SCHEMA,
    })
    expect(JSON.parse(reply.choices[0]!.message.content!)).toEqual({ city: expect.any(String) })
    await backend.close()
  })

  it('names an unknown model, and is not asked for it again', async () => {
    const backend = backendAt(server, { model: 'absent-model' })
    await expect(backend.chat!(asking('hi'))).rejects.toMatchObject({
      code: 'unknown_model',
      message: expect.stringContaining('absent-model'),
    })
    await backend.close()
  })
})

describe.each(fakes)('%s', (name, start) => {
  let server: Awaited<ReturnType<typeof start>>
  beforeAll(async () => void (server = await start()))
  afterAll(() => server.close())
  const askedSince = async (act: () => Promise<unknown>): Promise<number> => {
    const before = server.fake.calls.length
    await act()
    return server.fake.calls.length - before
  }

  const long = 'word '.repeat(CONTEXT_TOKENS)
  it.skipIf(name.endsWith('Ollama'))('reports a prompt that is too long as that, once', async () => {
    const backend = backendAt(server)
    const asked = await askedSince(() =>
      expect(backend.chat!(asking(long))).rejects.toMatchObject({ code: 'context_length_exceeded' }),
    )
    expect(asked).toBe(1)
    await backend.close()
  })

  it('explains an address without its version path', async () => {
    const backend = backendAt({ ...server, url: server.fake.url })
    const asked = await askedSince(() =>
      expect(backend.chat!(asking('hi'))).rejects.toMatchObject({
        message: expect.stringMatching(/404|Not Found|Unexpected endpoint/i),
      }),
    )
    expect(asked).toBe(1)
    await backend.close()
    const { key, kind, fake } = server
    const wrong = { kind, baseUrl: fake.url, key, keyName: 'CHAT_KEY', timeoutMs: 10_000 }
    const { probe } = await listServiceModels(wrong)
    expect(probe).toMatchObject({ status: 'failed', remedy: expect.stringContaining('/v1') })
  })

  it.runIf(name.includes('vLLM'))('names the key when it is wrong', async () => {
    const backend = backendAt({ ...server, key: 'wrong' })
    await expect(backend.chat!(asking('hi'))).rejects.toMatchObject({ code: 'unauthorized', status: 401 })
    await backend.close()
  })
})
