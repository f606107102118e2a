import { Agent, request } from 'undici'
import { z } from 'zod'
import {
  ChunkResponse,
  describeIssues,
  IngestionAccepted,
  IngestionRecord,
  ModelList,
  PlatformHealth,
  PlatformUsage,
  RagHealth,
  ContextualBuild,
  type ChunkRequest,
} from '../../contract/index.ts'
import { serviceText } from '../lib/known-secrets.ts'
import { credentialHeaders } from '../lib/credential-headers.ts'
import { apiUrl } from '../lib/gateway-client.ts'

/** A platform route answered with an error or in a shape that the contract does not know. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly code: 'unreachable' | 'http_error' | 'invalid_response'
  readonly status: number | null

  constructor(code: PlatformError['code'], message: string, status: number | null, cause?: unknown) {
    super(serviceText(message), { cause })
    this.code = code
    this.status = status
  }
}

export interface PlatformClient {
  health(): Promise<PlatformHealth>
  models(): Promise<ModelList>
  usage(): Promise<PlatformUsage>
  ragHealth(signal?: AbortSignal): Promise<RagHealth>
  /** `graph` false leaves out the graph phases. */
  submitIngestion(profile: string, graph: boolean, signal?: AbortSignal): Promise<IngestionAccepted>
  /** The latest jobs of all profiles, newest first. */
  ingestions(signal?: AbortSignal): Promise<IngestionRecord[]>
  ingestion(id: string, signal?: AbortSignal): Promise<IngestionRecord>
  cancelIngestion(id: string, signal?: AbortSignal): Promise<IngestionRecord>
  resetProfile(profile: string): Promise<void>
  chunk(body: z.input<typeof ChunkRequest>): Promise<ChunkResponse>
  buildContextual(profile: string, signal: AbortSignal): Promise<ContextualBuild>
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

const detailOf = (text: string): string => {
  try {
    const body = JSON.parse(text) as { detail?: unknown; error?: { message?: unknown } }
    const detail = body.detail ?? body.error?.message ?? text
    return typeof detail === 'string' ? detail : JSON.stringify(detail)
  } catch {
    return serviceText(text, 300)
  }
}

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
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 })

  async function send(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
    signal?: AbortSignal,
  ): Promise<string> {
    const headers = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...credentialHeaders({ apiKey: path.startsWith('/v1/') ? apiKey : operatorToken, edgeKey }),
    }
    const url = apiUrl(path.startsWith('/v1/') ? gatewayUrl : (platformUrl ?? gatewayUrl), path)
    let status: number
    let text: string
    try {
      const response = await request(url, {
        method,
        dispatcher: agent,
        headers,
        signal: signal ?? AbortSignal.timeout(CALL_TIMEOUT_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      status = response.statusCode
      text = await response.body.text()
    } catch (cause) {
      signal?.throwIfAborted()
      const why = (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.message : String(cause))
      throw new PlatformError(
        'unreachable',
        `${method} ${url}: the platform cannot be reached there (${why}): start it, or correct the address`,
        null,
        cause,
      )
    }
    if (status < 200 || status > 299)
      throw new PlatformError('http_error', `${method} ${path} answered HTTP ${status}: ${detailOf(text)}`, status)
    return text
  }

  async function call<Schema extends z.ZodType>(
    schema: Schema,
    method: 'GET' | 'POST',
    path: string,
    body?: object,
    signal?: AbortSignal,
  ): Promise<z.infer<Schema>> {
    const text = await send(method, path, body, signal)
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch (cause) {
      throw new PlatformError('invalid_response', `${method} ${path}: the answer is not JSON`, null, cause)
    }
    const parsed = schema.safeParse(json)
    if (parsed.success) return parsed.data
    throw new PlatformError(
      'invalid_response',
      `${method} ${path}: ${describeIssues(parsed.error).slice(0, 3).join('; ')}`,
      null,
    )
  }

  /** A caller's signal, and the time limit of calls that do no work of their own. */
  const limited = (signal?: AbortSignal): AbortSignal =>
    AbortSignal.any([...(signal === undefined ? [] : [signal]), AbortSignal.timeout(CALL_TIMEOUT_MS)])
  const ingestionPath = (id: string): string => `/api/rag/ingestions/${encodeURIComponent(id)}`
  return {
    health: () => call(PlatformHealth, 'GET', '/health'),
    models: () => call(ModelList, 'GET', '/v1/models'),
    usage: () => call(PlatformUsage, 'GET', '/internal/usage'),
    ragHealth: (signal) => call(RagHealth, 'GET', '/rag/health', undefined, limited(signal)),
    // Another platform may refuse a field that the specification does not have: it is sent only where it has a value.
    submitIngestion: (profile, graph, signal) =>
      call(
        IngestionAccepted,
        'POST',
        '/api/rag/ingestions?async_job=true',
        { profile, ...(graph ? {} : { graph }) },
        limited(signal),
      ),
    ingestions: (signal) =>
      call(z.array(IngestionRecord), 'GET', '/api/rag/ingestions?limit=20', undefined, limited(signal)),
    ingestion: (id, signal) => call(IngestionRecord, 'GET', ingestionPath(id), undefined, limited(signal)),
    cancelIngestion: (id, signal) => call(IngestionRecord, 'POST', `${ingestionPath(id)}/cancel`, {}, limited(signal)),
    resetProfile: async (profile) => {
      await send('DELETE', `/api/rag/ingestions/profiles/${encodeURIComponent(profile)}`)
    },
    chunk: (body) => call(ChunkResponse, 'POST', '/api/chunk', body),
    buildContextual: (profile, signal) => call(ContextualBuild, 'POST', '/rag/contextual/build', { profile }, signal),
    ask: call,
    close: () => agent.destroy(),
  }
}
