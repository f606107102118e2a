import { z } from 'zod'
import { DONE, eventData } from '../../../core/http/event-stream.ts'
import { createHttpClient, HttpFault, type HttpCall } from '../../../core/http/http-client.ts'
import { bytesOf } from '../../../core/http/bodies.ts'
import { jsonIn } from '../../../core/json.ts'
import { ReceivedCompletion } from '../../../core/received-completion.ts'
import type { BaseApproach } from '../../../contract/approaches.ts'
import type { RagExtension } from '../../../contract/evidence/rag-extension.ts'
import type { ChatCompletion, ChatRequest } from '../../../contract/http/chat.ts'
import { HttpError } from '../../kit/http-error.ts'
import type { OnText } from '../models/model-host.ts'
import { createStreamedCompletion, StreamFault } from '../models/openai/streamed-completion.ts'
import { completeCompletion } from '../models/openai/upstream-completion.ts'
import { contentAfter } from '../http/text-frames.ts'
import type { StreamedText } from '../http/text-frames.ts'
import { traceHeaders } from '../trace/trace.ts'
import type { AliasAvailability, AliasBackend } from './alias-backend.ts'

const RESPONSE_LIMIT_BYTES = 32 * 1024 * 1024
const HEALTH_TIMEOUT_MS = 3000
/** The caller has a time limit of its own, which ends the call. */
const ANSWER_TIMEOUT_MS = 60 * 60_000
const HEALTH_KEPT_MS = 5000

/** The part of a plugin's health that lists which aliases can answer; a plugin may leave it out. */
const Health = z.looseObject({
  aliases: z
    .array(
      z.looseObject({
        alias: z.string(),
        available: z.boolean(),
        reason: z.string().nullish(),
        needs_ingestion: z.boolean().nullish(),
      }),
    )
    .nullish(),
})

export interface HttpPluginOptions {
  /** Base address of the plugin's process, without the route prefix. */
  url: string
  routePrefix: string
  /** Base approach of each declared alias. */
  bases: ReadonlyMap<string, BaseApproach>
  token: string | null
  /** For a plugin that is reached through an edge, or with key authentication of its own. */
  edgeKey: string | null
}

export interface HttpAliasBackend extends AliasBackend {
  close(): Promise<void>
}

/** A plugin in another process, called over its public routes. */
export function createHttpAliasBackend(options: HttpPluginOptions): HttpAliasBackend {
  const client = createHttpClient({
    accept: 'application/json, text/event-stream',
    ...(options.token === null ? {} : { authorization: `Bearer ${options.token}` }),
    ...(options.edgeKey === null ? {} : { apikey: options.edgeKey }),
  })
  let health: { at: number; states: Promise<Map<string, AliasAvailability>> } | null = null

  async function call(
    path: string,
    asked: Pick<HttpCall, 'json' | 'signal' | 'timeoutMs' | 'headers'>,
    onText?: OnText,
  ): Promise<{ status: number; text: string }> {
    const url = `${options.url}${options.routePrefix}${path}`
    try {
      return await client.open(url, asked, async ({ status, headers, body }) => {
        if (onText === undefined || status !== 200 || headers['content-type']?.includes('text/event-stream') !== true)
          return { status, text: (await bytesOf(body, RESPONSE_LIMIT_BYTES)).toString('utf8') }
        const stream = createStreamedCompletion(onText)
        for await (const data of eventData(body, RESPONSE_LIMIT_BYTES)) {
          stream.add(data)
          if (data === DONE) break
        }
        return { status, text: JSON.stringify(stream.whole()) }
      })
    } catch (cause) {
      if (cause instanceof StreamFault)
        throw new HttpError(502, `The plugin failed while it answered: ${cause.message}`, {
          code: 'plugin_invalid',
          cause,
        })
      if (!(cause instanceof HttpFault)) throw cause
      if (cause.fault === 'too_large')
        throw new HttpError(502, 'The plugin sent more than the size limit', { code: 'plugin_invalid', cause })
      throw new HttpError(503, 'The plugin cannot be reached', { code: 'plugin_unreachable', cause })
    }
  }

  async function states(): Promise<Map<string, AliasAvailability>> {
    const declared = (state: AliasAvailability) => new Map([...options.bases.keys()].map((alias) => [alias, state]))
    try {
      const { text } = await call('/health', { timeoutMs: HEALTH_TIMEOUT_MS })
      const listed = Health.parse(JSON.parse(text)).aliases
      if (listed === undefined || listed === null) return declared({ available: true, reason: null })
      return new Map(
        listed.map(({ alias, available, reason, needs_ingestion: waits }) => {
          const state = { available, reason: reason ?? null }
          return [alias, waits === true ? { ...state, needs_ingestion: true } : state]
        }),
      )
    } catch (error) {
      const problem = error instanceof HttpError ? error.message : 'The plugin’s health answer is not readable'
      return declared({ available: false, reason: problem })
    }
  }

  return {
    async answer(alias, chat, signal, onText) {
      const base = options.bases.get(alias)
      if (base === undefined) throw new HttpError(400, `Unknown model alias: '${alias}'`, { code: 'unknown_alias' })
      const asked: ChatRequest = { ...chat, model: alias, stream: onText !== undefined }
      const { status, text } = await call(
        `/${base}/v1/chat/completions`,
        { json: asked, signal, timeoutMs: ANSWER_TIMEOUT_MS, headers: traceHeaders() },
        onText,
      )
      if (status !== 200) throw pluginFailure(status, text)
      const body = jsonIn(text)
      const received = ReceivedCompletion.safeParse(body)
      // Evidence goes on as the plugin wrote it: the runner records what it reported.
      const extension = (body as { rag_extension?: RagExtension | null } | null | undefined)?.rag_extension ?? undefined
      if (received.success) return { ...completeCompletion(received.data), rag_extension: extension }
      throw new HttpError(502, 'The plugin answered in an unknown form', {
        code: 'plugin_invalid',
        cause: received.error,
      })
    },
    streamFrames: lastFrames,
    async availability(alias) {
      if (health === null || performance.now() - health.at > HEALTH_KEPT_MS)
        health = { at: performance.now(), states: states() }
      return (await health.states).get(alias) ?? null
    },
    close: () => client.close(),
  }
}

/** Two frames: one chunk with the whole content, or what is left of it after the text that was streamed, and every top-level extra, then `[DONE]`. */
function lastFrames(completion: ChatCompletion, streamed: StreamedText | null = null): string[] {
  const choices = completion.choices.map(({ index, message, finish_reason }) => ({
    index,
    delta: streamed === null ? message : { ...message, content: contentAfter(message.content ?? '', streamed) },
    finish_reason,
  }))
  const chunk = { ...completion, object: 'chat.completion.chunk', ...streamed?.head, choices }
  return [`data: ${JSON.stringify(chunk)}\n\n`, 'data: [DONE]\n\n']
}

/** The plugin's own refusal, passed on; what it calls an internal failure is a bad gateway from here, without its words. */
function pluginFailure(status: number, text: string): HttpError {
  const passed = (status >= 400 && status < 500) || status === 503 || status === 504
  const detail = passed ? (jsonIn(text) as { detail?: unknown } | null | undefined)?.detail : undefined
  const message = typeof detail === 'string' ? detail : `The plugin answered HTTP ${status}`
  return new HttpError(passed ? status : 502, message, { code: 'plugin_refused' })
}
