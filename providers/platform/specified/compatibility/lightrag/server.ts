import { basename } from 'node:path/posix'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  GraphDeleteRequest,
  GraphPageRequest,
  GraphTextRequest,
  GraphTextsRequest,
} from '../../../../../contract/http/graph-documents.ts'
import { GraphQueryRequest } from '../../../../../contract/http/graph-engine.ts'
import { GRAPH_PICTURE_MAX_NODES } from '../../../../../contract/http/graph-picture.ts'
import type { GraphClearResponse, GraphInsertResponse } from '../../../../../contract/http/graph-documents.ts'
import type { GraphDataResponse, GraphQueryResponse } from '../../../../../contract/http/graph-engine.ts'
import { uploadDeadline } from '../../../../kit/deadlines.ts'
import { HttpError } from '../../../../kit/http-error.ts'
import { acceptMultipart, FRAMING_BYTES, isForm } from '../../../../kit/multipart-form.ts'
import type { FormFile } from '../../../../kit/multipart-form.ts'
import { bearerToken } from '../../../../kit/secrets.ts'
import { bodyTooLarge } from '../../../../kit/server.ts'
import { InvalidRequestError, parseRequest } from '../../../../kit/validate.ts'
import { ModelCallError } from '../../../models/model-host.ts'
import { splitLongTexts, UNNAMED } from '../../../stores/graph-engine/documents.ts'
import { failureText, GraphEngineError } from '../../../stores/graph-engine/errors.ts'
import { DEFAULT_LIMITS } from '../../../stores/graph-engine/graph-engine.ts'
import type { GraphEngine } from '../../../stores/graph-engine/graph-engine.ts'
import type { GraphAnswerParts } from '../../../stores/graph-engine/query/run-query.ts'
import type { DocumentInput } from '../../../stores/graph-engine/documents.ts'

/** An engine, or a function that selects one by the workspace that a request names; null when it is unknown. */
export type EngineSource = GraphEngine | ((workspace: string | null) => GraphEngine | null)

const PictureQuery = z.object({ limit: z.coerce.number().int().min(1).max(GRAPH_PICTURE_MAX_NODES).default(500) })

/** Limits how long a document may take to arrive. */
const UPLOAD_TIMEOUT_MS = 120_000

/** Header with which a request names its workspace, where there are several. */
const WORKSPACE_HEADER = 'lightrag-workspace'

/**
 * LightRAG's HTTP API (documents, queries, health) over the graph engine, and `/graph` for the picture. Register
 * it in a scope of its own: `app.register((scope) => registerGraphEngineRoutes(scope,
 * engine), { prefix: '/graph-engine' })`. Every route but `/health` asks for the engine's key.
 */
export async function registerGraphEngineRoutes(
  app: FastifyInstance,
  source: EngineSource,
  options: { uploadBytes?: number; uploadTimeoutMs?: number } = {},
): Promise<void> {
  const engineOf = (request: FastifyRequest): GraphEngine => {
    const engine = typeof source === 'function' ? source(workspaceOf(request)) : source
    if (engine === null) throw new HttpError(503, 'No knowledge graph is active')
    return engine
  }
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.open !== true) authorize(request, engineOf(request))
  })
  app.get('/health', { config: { open: true } }, async (request) => engineOf(request).health())
  app.get('/graph', async (request) => {
    const { limit } = parseRequest(PictureQuery, request.query, 'query')
    return answering(() => engineOf(request).graph(limit))
  })
  await registerDocumentRoutes(app, engineOf, {
    uploadBytes: options.uploadBytes ?? DEFAULT_LIMITS.documentBytes,
    uploadTimeoutMs: options.uploadTimeoutMs ?? UPLOAD_TIMEOUT_MS,
  })
  registerQueryRoutes(app, engineOf)
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is open to callers without a credential. */
    open?: boolean
  }
}

function workspaceOf(request: FastifyRequest): string | null {
  const header = request.headers[WORKSPACE_HEADER]
  const name = Array.isArray(header) ? header[0] : header
  return name === undefined || name === '' ? null : name
}

/**
 * Refuses requests without the engine's key in `X-API-Key`: 403 when it is missing or wrong, 401 for a bearer token
 * instead, which is another scheme.
 */
function authorize(request: FastifyRequest, engine: Pick<GraphEngine, 'checkKey'>): void {
  const header = request.headers['x-api-key']
  const check = engine.checkKey(Array.isArray(header) ? header[0] : header)
  if (check === 'ok') return
  if (bearerToken(request.headers.authorization) !== null) {
    throw new HttpError(401, 'Invalid token. Please login again.', { headers: { 'www-authenticate': 'Bearer' } })
  }
  throw new HttpError(403, check === 'missing' ? 'API Key required' : 'Invalid API Key')
}

/** `/query`, `/query/data` and `/query/stream`. */
function registerQueryRoutes(app: FastifyInstance, engineOf: EngineOf): void {
  app.post('/query', async (request, reply): Promise<GraphQueryResponse> => {
    const startedMs = performance.now()
    const query = parseRequest(GraphQueryRequest, request.body)
    const signal = goneSignal(reply)
    const engine = engineOf(request)
    const answer = await answering(() => engine.query(query, { signal }), signal)
    const { keywords, info: processing_info, cost } = answer
    return {
      response: answer.response,
      references: answer.references,
      response_time: (performance.now() - startedMs) / 1000,
      llm_generated: answer.llmGenerated,
      metadata: { keywords, processing_info, cost, derivations: engine.derivations() },
    }
  })

  app.post('/query/data', async (request, reply): Promise<GraphDataResponse> => {
    const query = parseRequest(GraphQueryRequest, request.body)
    const signal = goneSignal(reply)
    const engine = engineOf(request)
    const parts = await answering(() => engine.queryInParts(query, { signal }), signal)
    const { entities, relationships, chunks } = parts.data
    const found = entities.length + relationships.length + chunks.length > 0
    return {
      status: found ? 'success' : 'failure',
      message: found ? 'Query executed successfully' : 'Nothing was found',
      data: parts.data,
      metadata: {
        query_mode: query.mode,
        keywords: parts.keywords,
        processing_info: parts.info,
        derivations: engine.derivations(),
      },
    }
  })

  app.post('/query/stream', async (request, reply) => {
    const query = parseRequest(GraphQueryRequest, request.body)
    const signal = goneSignal(reply)
    const parts = await answering(() => engineOf(request).queryInParts(query, { signal }), signal)
    return reply.type('application/x-ndjson').send(lines(parts))
  })
}

/** References as soon as they are known, then the text in one piece: models are asked for whole answers here. */
function lines(parts: GraphAnswerParts): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const line = (value: unknown) => encoder.encode(`${JSON.stringify(value)}\n`)
  return new ReadableStream({
    async start(controller) {
      if (parts.references !== null) controller.enqueue(line({ references: parts.references }))
      try {
        const { response, llmGenerated } = await parts.finish()
        controller.enqueue(line({ response, llm_generated: llmGenerated }))
      } catch (error) {
        // The status went out with the first line: the failure goes into the stream.
        controller.enqueue(line({ error: graphFailure(error)?.message ?? 'Internal Server Error' }))
      }
      controller.close()
    },
  })
}

/** Aborted when the caller disconnects before the answer is complete. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort(new DOMException('the caller disconnected', 'AbortError'))
  })
  return gone.signal
}

const insert = async (engine: GraphEngine, documents: readonly DocumentInput[], kind?: 'upload' | 'insert') =>
  engine.insert(await splitLongTexts(documents, engine.limits), kind)

const TrackPath = z.object({ trackId: z.string().min(1).max(256) })

/** `/documents/…`: insert, follow and delete. */
async function registerDocumentRoutes(
  app: FastifyInstance,
  engineOf: EngineOf,
  { uploadBytes, uploadTimeoutMs }: { uploadBytes: number; uploadTimeoutMs: number },
): Promise<void> {
  // A scope of its own: no other route reads forms, which a page of a foreign site could post.
  await app.register(async (scope) => {
    acceptMultipart(scope)
    const options = { bodyLimit: uploadBytes + FRAMING_BYTES, preParsing: uploadDeadline(uploadTimeoutMs) }
    scope.post('/documents/upload', options, async (request) => {
      const file = isForm(request.body) ? request.body.files.get('file') : undefined
      if (file === undefined) throw missingFile()
      if (file.bytes.length > uploadBytes) throw bodyTooLarge(uploadBytes)
      const { name, text } = readTextUpload(file)
      return insert(engineOf(request), [{ text, filePath: name }], 'upload')
    })
  })

  app.post(
    '/documents/text',
    { bodyLimit: uploadBytes + FRAMING_BYTES },
    async (request): Promise<GraphInsertResponse> => {
      const { text, file_source: source, title, replace } = parseRequest(GraphTextRequest, request.body)
      const document = { text, filePath: source || UNNAMED, title: title ?? null, replace: replace === true }
      return insert(engineOf(request), [document])
    },
  )

  app.post(
    '/documents/texts',
    { bodyLimit: uploadBytes + FRAMING_BYTES },
    async (request): Promise<GraphInsertResponse> => {
      const { texts, file_sources: sources } = parseRequest(GraphTextsRequest, request.body)
      const documents = texts.map((text, index) => ({ text, filePath: sources?.[index] || UNNAMED }))
      return insert(engineOf(request), documents)
    },
  )

  app.get('/documents/pipeline_status', async (request) => engineOf(request).pipelineStatus())

  app.get('/documents/track_status/:trackId', async (request) =>
    engineOf(request).track(parseRequest(TrackPath, request.params, 'path').trackId),
  )

  app.post('/documents/paginated', async (request) =>
    engineOf(request).documents(parseRequest(GraphPageRequest, request.body)),
  )

  app.get('/documents/status_counts', async (request) => ({ status_counts: engineOf(request).statusCounts() }))

  app.delete('/documents', async (request): Promise<GraphClearResponse> => {
    const engine = engineOf(request)
    if (engine.pipelineStatus().busy)
      return { status: 'busy', message: 'documents are being processed; cancel or wait' }
    return { status: 'success', message: `${await engine.clear()} documents removed` }
  })

  app.delete('/documents/delete_document', async (request) => {
    const { doc_ids: ids } = parseRequest(GraphDeleteRequest, request.body)
    const engine = engineOf(request)
    const known = ids.filter((id) => engine.document(id) !== null)
    if (known.length === 0) throw new HttpError(404, 'None of these documents is known')
    return {
      status: 'deletion_started',
      message: `${engine.remove(known)} documents removed`,
      doc_id: known.join(', '),
    }
  })

  app.post('/documents/reprocess_failed', async (request) => {
    const again = engineOf(request).reprocessFailed()
    return again === null
      ? { status: 'reprocessing_started', message: 'no document has failed', track_id: '' }
      : { status: 'reprocessing_started', message: `${again.count} documents queued again`, track_id: again.trackId }
  })

  app.post('/documents/cancel_pipeline', async (request) =>
    engineOf(request).cancel()
      ? { status: 'cancellation_requested', message: 'the pipeline stops' }
      : { status: 'not_busy', message: 'the pipeline is idle' },
  )
}

function missingFile(): InvalidRequestError {
  return new InvalidRequestError(
    [{ loc: ['body', 'file'], msg: 'Field required', type: 'missing' }],
    ['file: required'],
  )
}

export interface TextUpload {
  name: string
  text: string
}

/** An uploaded file as text. Throws 400 for what is no UTF-8 text or has an unusable name. */
function readTextUpload({ filename, bytes }: FormFile): TextUpload {
  const name = safeName(filename)
  return { name, text: decode(bytes, name) }
}

function safeName(given: string): string {
  const name = basename(given.replaceAll('\\', '/'))
    .replace(/\p{Cc}/gu, '')
    .trim()
  if (name === '' || name === '.' || name === '..' || name.length > 255) throw new HttpError(400, 'Invalid filename')
  return name
}

function decode(bytes: Buffer, name: string): string {
  if (bytes.length === 0) throw new HttpError(400, `File ${name} is empty`)
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\u0000')) return text
  } catch (cause) {
    throw new HttpError(400, `File ${name} is not UTF-8 text`, { cause })
  }
  throw new HttpError(400, `File ${name} is not UTF-8 text`)
}

/** A failed query or read as an HTTP error: 503 while the engine closes, else 500 with a message for callers; null for the unexpected. */
function graphFailure(error: unknown): HttpError | null {
  if (!(error instanceof GraphEngineError) && !(error instanceof ModelCallError)) return null
  const status = error instanceof GraphEngineError && error.code === 'engine_closed' ? 503 : 500
  return new HttpError(status, failureText(error), { cause: error })
}

/** Runs a handler's work; the engine's failures become HTTP errors, and a caller that disconnected becomes a 499 for the log. */
async function answering<Result>(work: () => Promise<Result>, gone?: AbortSignal): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (gone?.aborted === true) throw new HttpError(499, 'The caller has gone', { cause: error })
    throw graphFailure(error) ?? error
  }
}

/** The engine that a request is for; throws an `HttpError` when there is none. */
export type EngineOf = (request: FastifyRequest) => GraphEngine
