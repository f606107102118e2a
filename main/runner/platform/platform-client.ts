import { z } from 'zod'
import { ModelList } from '../../../contract/http/chat.ts'
import { ChunkResponse, type ChunkRequest } from '../../../contract/http/chunk.ts'
import { IngestionAccepted, IngestionRecord } from '../../../contract/http/ingestion.ts'
import { PlatformHealth, PlatformUsage } from '../../../contract/http/platform.ts'
import { RagHealth, ContextualBuild, TreeBuild } from '../../../contract/http/rag.ts'
import { createHttpClient, HttpFault, type HttpAnswer } from '../../../core/http/http-client.ts'
import { saidBy } from '../../../core/http/said.ts'
import { describeIssues } from '../../../core/issues.ts'
import { serviceText } from '../../../core/known-secrets.ts'
import { credentialHeaders } from '../../lib/trust/credential-headers.ts'
import { apiUrl } from '../../lib/services/gateway-client.ts'

/** A platform route answered with an error or in a shape that the contract does not know. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly code: 'unreachable' | 'http_error' | 'invalid_response'
  readonly status: number | null
  /** True where the platform says that the same call fails again. */
  readonly isFinal: boolean

  constructor(
    code: PlatformError['code'],
    message: string,
    status: number | null,
    { cause, isFinal = false }: { cause?: unknown; isFinal?: boolean } = {},
  ) {
    super(serviceText(message), { cause })
    this.code = code
    this.status = status
    this.isFinal = isFinal
  }
}

export interface PlatformClient {
  health(): Promise<PlatformHealth>
  models(): Promise<ModelList>
  usage(): Promise<PlatformUsage>
  ragHealth(signal?: AbortSignal): Promise<RagHealth>
  /** `graph` false leaves out the graph phases. */
  submitIngestion(
    profile: string,
    what: { graph: boolean; retry?: boolean },
    signal?: AbortSignal,
  ): Promise<IngestionAccepted>
  /** The latest jobs of all profiles, newest first. */
  ingestions(signal?: AbortSignal): Promise<IngestionRecord[]>
  ingestion(id: string, signal?: AbortSignal): Promise<IngestionRecord>
  cancelIngestion(id: string, signal?: AbortSignal): Promise<IngestionRecord>
  resetProfile(profile: string): Promise<void>
  chunk(body: z.input<typeof ChunkRequest>): Promise<ChunkResponse>
  buildContextual(profile: string, signal: AbortSignal): Promise<ContextualBuild>
  buildTree(profile: string, signal: AbortSignal): Promise<TreeBuild>
  /** Any other route, whose answer `schema` describes. */
  ask<Schema extends z.ZodType>(
    schema: Schema,
    method: 'GET' | 'POST',
    path: string,
    body?: object,
    signal?: AbortSignal,
  ): Promise<z.infer<Schema>>
  close(): Promise<void>
}

const CALL_TIMEOUT_MS = 60_000

/** Building a collection takes hours where a model works on every document. */
const WORK_TIMEOUT_MS = 24 * 60 * 60_000
const ANSWER_LIMIT_BYTES = 256 * 1024 * 1024

export interface PlatformAddress {
  /** Base address, with or without `/v1`. */
  url: string
  /** Base address of all routes but the gateway's, where it is another. */
  platformUrl?: string | null
  /** Sent to the gateway's routes. */
  apiKey: string | null
  /** Sent to all other routes. */
  operatorToken: string | null
  /** Sent to all routes: the key of an edge in front of the platform. */
  edgeKey?: string | null
}

/** Calls the platform's public routes; every answer is validated. Throws `PlatformError`. */
export function createPlatformClient({
  url: gatewayUrl,
  platformUrl = null,
  apiKey,
  operatorToken,
  edgeKey,
}: PlatformAddress): PlatformClient {
  const client = createHttpClient()

  async function send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
    signal?: AbortSignal,
    timeoutMs = CALL_TIMEOUT_MS,
  ): Promise<HttpAnswer> {
    const headers = credentialHeaders({ apiKey: path.startsWith('/v1/') ? apiKey : operatorToken, edgeKey })
    const url = apiUrl(path.startsWith('/v1/') ? gatewayUrl : (platformUrl ?? gatewayUrl), path)
    const call = { method, headers, json: body, signal, timeoutMs, limitBytes: ANSWER_LIMIT_BYTES }
    const answer = await client.send(url, call).catch((cause: unknown) => {
      if (!(cause instanceof HttpFault)) throw cause
      throw new PlatformError(
        'unreachable',
        `${method} ${url}: the platform cannot be reached there (${cause.reason}): start it, or correct the address`,
        null,
        { cause },
      )
    })
    const { status, isOk } = answer
    if (isOk) return answer
    const message = `${method} ${path} answered HTTP ${status}: ${saidBy(answer).text}`
    throw new PlatformError('http_error', message, status, { isFinal: answer.headers['x-should-retry'] === 'false' })
  }

  async function call<Schema extends z.ZodType>(
    schema: Schema,
    method: 'GET' | 'POST',
    path: string,
    body?: object,
    signal?: AbortSignal,
    timeoutMs?: number,
  ): Promise<z.infer<Schema>> {
    const { json } = await send(method, path, body, signal, timeoutMs)
    if (json === undefined)
      throw new PlatformError('invalid_response', `${method} ${path}: the answer is not JSON`, null)
    const parsed = schema.safeParse(json)
    if (parsed.success) return parsed.data
    throw new PlatformError(
      'invalid_response',
      `${method} ${path}: ${describeIssues(parsed.error).slice(0, 3).join('; ')}`,
      null,
    )
  }

  const ingestionPath = (id: string): string => `/api/rag/ingestions/${encodeURIComponent(id)}`
  return {
    health: () => call(PlatformHealth, 'GET', '/health'),
    models: () => call(ModelList, 'GET', '/v1/models'),
    usage: () => call(PlatformUsage, 'GET', '/internal/usage'),
    ragHealth: (signal) => call(RagHealth, 'GET', '/rag/health', undefined, signal),
    // Another platform may refuse a field that the specification does not have: it is sent only where it has a value.
    submitIngestion: (profile, { graph, retry = false }, signal) =>
      call(
        IngestionAccepted,
        'POST',
        '/api/rag/ingestions?async_job=true',
        { profile, ...(graph ? {} : { graph }), ...(retry ? { retry } : {}) },
        signal,
      ),
    ingestions: (signal) => call(z.array(IngestionRecord), 'GET', '/api/rag/ingestions?limit=20', undefined, signal),
    ingestion: (id, signal) => call(IngestionRecord, 'GET', ingestionPath(id), undefined, signal),
    cancelIngestion: (id, signal) => call(IngestionRecord, 'POST', `${ingestionPath(id)}/cancel`, {}, signal),
    resetProfile: async (profile) => {
      await send('DELETE', `/api/rag/ingestions/profiles/${encodeURIComponent(profile)}`)
    },
    chunk: (body) => call(ChunkResponse, 'POST', '/api/chunk', body),
    buildContextual: (profile, signal) =>
      call(ContextualBuild, 'POST', '/rag/contextual/build', { profile }, signal, WORK_TIMEOUT_MS),
    buildTree: (profile, signal) => call(TreeBuild, 'POST', '/rag/tree/build', { profile }, signal, WORK_TIMEOUT_MS),
    // A caller that brings a signal decides itself how long the work of the call may take.
    ask: (schema, method, path, body, signal) =>
      call(schema, method, path, body, signal, signal === undefined ? CALL_TIMEOUT_MS : WORK_TIMEOUT_MS),
    close: () => client.close(),
  }
}
