import { onTestFinished } from 'vitest'
import type { ChatCompletion, ChatRequest } from '../../contract/http/chat.ts'
import { createLogger } from '../../providers/kit/logger.ts'
import { closeGracefully, createHttpServer, listen } from '../../providers/kit/server.ts'
import type { EventStreamOptions } from '../../providers/platform/http/event-stream.ts'
import type { AliasBackend } from '../../providers/platform/gateway/alias-backend.ts'
import { createGateway } from '../../providers/platform/gateway/gateway.ts'
import { createResponseCache } from '../../providers/platform/gateway/response-cache.ts'
import { modelErrorResponse } from '../../providers/platform/models/model-error-response.ts'
import { tinyModelHost } from './fake-builtin-models.ts'

const aliases = ['vanilla-rag', 'graph-rag'].map((alias) => ({
  alias,
  base: alias as 'vanilla-rag' | 'graph-rag',
  experimental: false,
  evidence: 'answer_with_contexts' as const,
}))

export const extension = {
  schema_version: 1 as const,
  answer: 'yes',
  sources: [],
  metrics: { seconds: 0, chunks: 0, llm_calls: 1, cloud_calls: 0 },
  extra: 'kept',
}

/** Returns what an alias answers. */
export function completionOf(alias: string, content: string): ChatCompletion {
  return {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: alias,
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
    rag_extension: extension,
  }
}

/** A gateway in front of two aliases, one of them unavailable; closed at the end of the test. */
export async function startGateway(
  changes: Partial<AliasBackend> = {},
  host = tinyModelHost(),
  options: { ttlMs?: number; stream?: EventStreamOptions } = {},
) {
  const asked: { alias: string; request: ChatRequest }[] = []
  let version: string | null = '1'
  const backend: AliasBackend = {
    answer: async (alias, request) => {
      asked.push({ alias, request })
      return completionOf(alias, `answer ${asked.length}`)
    },
    streamFrames: (completion) => [`data: ${JSON.stringify(completion)}\n\n`, 'data: [DONE]\n\n'],
    availability: (alias) =>
      alias === 'graph-rag' ? { available: false, reason: 'comes later' } : { available: true, reason: null },
    ...changes,
  }
  const app = createHttpServer({ logger: createLogger('test', 'silent'), translate: modelErrorResponse })
  onTestFinished(() => closeGracefully(app, 0))
  const cache = createResponseCache({ ttlMs: options.ttlMs ?? 60_000, maxEntries: 10, maxBytes: 1_000_000 })
  const gateway = createGateway({
    project: 'p',
    aliases,
    backend,
    models: host,
    cache,
    ...(options.stream === undefined ? {} : { stream: options.stream }),
    dataVersion: async () => version,
  })
  gateway.register(app)
  const { url } = await listen(app, '127.0.0.1', 0)
  const post = async (path: string, body: unknown) =>
    fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  return {
    url,
    gateway,
    host,
    asked,
    post,
    chat: (body: object) => post('/v1/chat/completions', { messages: [{ role: 'user', content: 'q' }], ...body }),
    reingest: (next: string | null) => (version = next),
  }
}
