import { z } from 'zod'
import { refusedBy } from '../../../../core/http/access-refused.ts'
import { createHttpClient, HttpFault, type HttpAnswer } from '../../../../core/http/http-client.ts'
import { pauseHeader } from '../../../../core/http/pauses.ts'
import { Derivation } from '../../../../contract/evidence/derivation.ts'
import { GraphDataResponse, GraphQueryCost, GraphQueryResponse } from '../../../../contract/http/graph-engine.ts'
import { withoutThinking } from '../../../../core/thinking.ts'
import { documentOf } from './source-name.ts'
import { depthFor } from '../steps/fill-budget.ts'
import { RagError } from '../rag-error.ts'
import { findingsOf } from './embedded-graph-queries.ts'
import { requireQueryLength } from './graph-queries.ts'
import type { GraphQueries, GraphQuestion, UsedPassage } from './graph-queries.ts'
import type { RemoteCalls } from '../call-meter.ts'

const RESPONSE_LIMIT_BYTES = 16 * 1024 * 1024

export interface HttpGraphQueriesOptions {
  /** Base address with its path prefix. */
  url: string
  /** For `X-API-Key`. */
  apiKey: string | null
  /** Time for one request, from sending to the last byte. */
  timeoutMs?: number
}

export interface HttpGraphQueries extends GraphQueries {
  close(): Promise<void>
}

/**
 * A graph engine with LightRAG's HTTP surface. Engines that do not report their model calls are taken at what the API does for a
 * question: one call for the keywords (not in modes naive and bypass) and one for an answer that a model wrote.
 */
export function httpGraphQueries(options: HttpGraphQueriesOptions): HttpGraphQueries {
  const { apiKey, timeoutMs = 180_000 } = options
  const base = options.url.replace(/\/+$/, '')
  const client = createHttpClient(apiKey === null ? {} : { 'x-api-key': apiKey })

  async function post<Schema extends z.ZodType>(
    path: string,
    body: object,
    schema: Schema,
    signal: AbortSignal | undefined,
  ): Promise<z.output<Schema>> {
    const call = { json: body, signal, timeoutMs, limitBytes: RESPONSE_LIMIT_BYTES }
    const { status, headers, text, json } = await client.send(base + path, call).catch((cause: unknown) => {
      if (!(cause instanceof HttpFault)) throw cause
      if (cause.fault === 'timeout')
        throw new RagError('graph_timeout', `the graph engine gave no answer within ${timeoutMs} ms`, { cause })
      if (cause.fault === 'too_large')
        throw new RagError('graph_failed', 'the graph engine answered in an unknown form', { cause })
      throw new RagError('graph_failed', 'the graph engine cannot be reached', { cause })
    })
    if (status !== 200) throw statusError(status, headers, text)
    const parsed = schema.safeParse(json)
    if (parsed.success) return parsed.data
    throw new RagError('graph_failed', 'the graph engine answered in an unknown form', { cause: parsed.error })
  }

  return {
    async answer(question, account, signal) {
      requireQueryLength(question.query)
      if (question.answer_prompt !== undefined)
        throw new RagError(
          'approach_unavailable',
          'a graph engine in another process takes no prompt of its own: use instructions, which are added to its prompt',
        )
      const body = { ...withinTokens(question), include_references: true, include_chunk_content: true }
      const reply = await post('/query', body, GraphQueryResponse, signal)
      const calls = reportedCalls(reply['metadata']) ?? assumedCalls(question, reply.llm_generated !== false)
      account.addRemote(calls.spent)
      account.onRead?.(reportedDerivations(reply['metadata']))
      const answer = answerOf(reply)
      if (answer === '') throw new RagError('model_answer_invalid', 'the graph engine returned no text')
      const passages = referencedPassages(reply)
      const chunks = calls.chunks ?? passages?.length ?? 0
      return { answer, counts: { entities: null, relations: null, chunks }, passages }
    },
    async find(question, account, signal) {
      requireQueryLength(question.query)
      const reply = await post('/query/data', question, GraphDataResponse, signal)
      account.addRemote((reportedCalls(reply.metadata) ?? assumedCalls(question, false)).spent)
      account.onRead?.(reportedDerivations(reply.metadata))
      const chunks = reply.data.chunks.map((chunk) => ({ ...chunk, file_path: documentOf(chunk.file_path) }))
      return findingsOf({ ...reply.data, chunks })
    },
    close: () => client.close(),
  }
}

/** The nearest that the API has to a budget of context: it counts the whole prompt. */
function withinTokens({ context_budget: budget, ...question }: GraphQuestion): GraphQuestion {
  if (budget === undefined) return question
  return { ...question, max_total_tokens: budget, chunk_top_k: depthFor(budget, question.chunk_top_k) }
}

/** The answer is in `response` or, with some engines, in `data`. */
function answerOf({ response, data }: GraphQueryResponse): string {
  const text = response ?? (typeof data === 'string' ? data : '')
  return withoutThinking(text)
}

/** The chunk texts of the references, file by file; null where the engine sends none. */
function referencedPassages({ references }: GraphQueryResponse): UsedPassage[] | null {
  if (!references?.some(({ content }) => content !== undefined)) return null
  return references.flatMap(({ file_path, content = [] }) =>
    content.map((text) => ({ document: documentOf(file_path), content: text, score: null })),
  )
}

type Calls = { spent: RemoteCalls; chunks: number | null }

function reportedCalls(metadata: unknown): Calls | null {
  const cost = GraphQueryCost.safeParse((metadata as { cost?: unknown } | undefined)?.cost)
  if (!cost.success) return null
  const { llm_calls: llmCalls, cloud_calls: cloudCalls, usage, chunks, models } = cost.data
  return { spent: { llmCalls, cloudCalls, usage, models: models ?? null }, chunks }
}

/** An engine of this program reports what made its graph; another one does not. */
function reportedDerivations(metadata: unknown): Derivation[] {
  const made = z.array(Derivation).safeParse((metadata as { derivations?: unknown } | undefined)?.derivations)
  return made.success ? made.data : []
}

function assumedCalls({ mode }: GraphQuestion, answered: boolean): Calls {
  const keywords = mode === 'naive' || mode === 'bypass' ? 0 : 1
  return { spent: { llmCalls: keywords + (answered ? 1 : 0), cloudCalls: 0, usage: null, models: null }, chunks: null }
}

function statusError(status: number, headers: HttpAnswer['headers'], text: string): RagError {
  const refused = refusedBy(status, text)
  if (refused === 'key') return new RagError('model_access_refused', 'the graph engine refused the credentials')
  if (refused === 'account')
    return new RagError('model_access_refused', `the graph engine asks for payment (HTTP ${status})`)
  if (status === 429)
    return new RagError('rate_limited', 'the graph engine limits its calls', { headers: pauseHeader(headers) })
  const timedOut = status === 408 || status === 504
  return new RagError(timedOut ? 'graph_timeout' : 'graph_failed', `the graph engine answered HTTP ${status}`)
}
