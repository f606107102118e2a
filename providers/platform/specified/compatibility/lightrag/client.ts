import { z } from 'zod'
import {
  GraphInsertResponse,
  GraphPage,
  GraphPipelineStatus,
  GraphTrackStatus,
} from '../../../../../contract/http/graph-documents.ts'
import type { GraphDocStatus } from '../../../../../contract/http/graph-documents.ts'
import { createHttpClient, HttpFault } from '../../../../../core/http/http-client.ts'
import { isTemporary, waitFor } from '../../../../../core/http/pauses.ts'
import { jsonIn } from '../../../../../core/json.ts'
import { GraphTargetError } from '../../../ingestion/graph-phases.ts'
import type { GraphTargetClient } from '../../../ingestion/graph-phases.ts'
import { summarize } from '../../../stores/graph-engine/graph-target.ts'
import { documentOf, sourceNameOf } from '../../../rag/graph/source-name.ts'

export interface HttpGraphTargetOptions {
  /** Time for one request, from sending to the last byte. */
  timeoutMs?: number
  /** Pause between two requests of the pipeline status. */
  pollMs?: number
}

/** An upload without any listed document counts as not started for so long, since some engines queue after they have answered. */
const TAKE_UP_MS = 15_000
const BODY_KEPT_CHARS = 2000
const ANSWER_LIMIT_BYTES = 64 * 1024 * 1024
/** Most that LightRAG lists at once. */
const PAGE_SIZE = 200
/** Limits how long the engine may be busy with something else before a document fails. */
const BUSY_ATTEMPTS = 600

/** `deletion_started`, or why not. */
const DeleteAnswer = z.looseObject({ status: z.string(), message: z.string().nullish() })
const UNFINISHED = /^(?:pending|parsing|analyzing|processing)$/i

/**
 * A graph engine with LightRAG's HTTP surface as ingestion's target, this one or a real one: `url` with its path prefix, `apiKey` for
 * `X-API-Key`. An engine that refuses a known name (LightRAG from 1.5 on) has its document deleted first; nothing else in it is
 * deleted, because it may belong to others. Throws `GraphTargetError`, transient for what may pass: no connection, timeouts, 408, 429
 * and 5xx.
 */
export function httpGraphTargetClient(
  url: string,
  apiKey: string | null,
  options: HttpGraphTargetOptions = {},
): GraphTargetClient {
  const { timeoutMs = 180_000, pollMs = 500 } = options
  const base = url.replace(/\/+$/, '')
  const client = createHttpClient(apiKey === null ? {} : { 'x-api-key': apiKey })

  async function call<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    signal: AbortSignal,
    body?: object,
    method?: 'DELETE',
  ): Promise<z.output<Schema>> {
    const call = { ...(method === undefined ? {} : { method }), json: body, signal, timeoutMs }
    const answer = await client
      .send(base + path, { ...call, limitBytes: ANSWER_LIMIT_BYTES })
      .catch((cause: unknown) => {
        if (!(cause instanceof HttpFault)) throw cause
        const what = cause.fault === 'timeout' ? `did not answer within ${timeoutMs} ms` : 'is unreachable'
        throw new GraphTargetError(`the graph engine ${what}`, { transient: true, cause })
      })
    if (!answer.isOk) throw statusError(path, answer.status, answer.text)
    return parse(path, schema, answer.text)
  }

  return {
    async upload({ id, title, text }, signal) {
      const source = sourceNameOf(id)
      const body = { text, file_source: source, title, replace: true }
      const insert = (): Promise<GraphInsertResponse> => call('/documents/text', GraphInsertResponse, signal, body)
      const answer = await insert().catch(async (error: unknown) => {
        if (!(error instanceof GraphTargetError) || error.status !== 409) throw error
        await remove(source, signal)
        return insert()
      })
      if (answer.status === 'failure') throw new GraphTargetError(answer.message, { transient: false })
      return { trackId: answer.track_id }
    },
    async drain(trackIds, deadline, signal) {
      const takenUpBy = Date.now() + TAKE_UP_MS
      for (;;) {
        const pipeline = await call('/documents/pipeline_status', GraphPipelineStatus, signal)
        if (!pipeline.busy && pipeline.request_pending !== true) {
          const { documents, empty } = await tracked(trackIds, signal)
          const waiting = documents.some(({ status }) => UNFINISHED.test(status)) || (empty && Date.now() < takenUpBy)
          if (!waiting) return summarize(documents)
        }
        if (Date.now() + pollMs >= deadline) {
          const latest = pipeline.latest_message ?? ''
          throw new GraphTargetError(`not finished at the deadline: ${latest}`, { transient: true })
        }
        await waitFor(pollMs, signal)
      }
    },
  }

  /** Deletes the document of that name and waits until it is gone. */
  async function remove(source: string, signal: AbortSignal): Promise<void> {
    const known = await listed(source, signal)
    if (known === null)
      throw new GraphTargetError(`the graph engine refuses ${documentOf(source)} as known, and does not list it`, {
        transient: true,
      })
    const body = { doc_ids: [known.id], delete_file: false }
    for (let attempt = 0; attempt < BUSY_ATTEMPTS; attempt += 1) {
      const answer = await call('/documents/delete_document', DeleteAnswer, signal, body, 'DELETE')
      if (answer.status === 'not_allowed')
        throw new GraphTargetError(`the graph engine may not delete ${documentOf(source)}: ${answer.message ?? ''}`, {
          transient: false,
        })
      if (answer.status === 'deletion_started') break
      await waitFor(pollMs, signal)
    }
    for (let attempt = 0; attempt < BUSY_ATTEMPTS; attempt += 1) {
      const { busy } = await call('/documents/pipeline_status', GraphPipelineStatus, signal)
      if (!busy && (await listed(source, signal)) === null) return
      await waitFor(pollMs, signal)
    }
    throw new GraphTargetError(`the graph engine does not delete ${documentOf(source)}`, { transient: true })
  }

  async function listed(source: string, signal: AbortSignal): Promise<GraphDocStatus | null> {
    for (let page = 1; ; page += 1) {
      const body = { page, page_size: PAGE_SIZE, sort_field: 'file_path', sort_direction: 'asc' }
      const { documents, pagination } = await call('/documents/paginated', GraphPage, signal, body)
      const found = documents.find(({ file_path: name }) => name === source)
      if (found !== undefined) return found
      if (!pagination.has_next) return null
    }
  }

  async function tracked(
    trackIds: readonly string[],
    signal: AbortSignal,
  ): Promise<{ documents: GraphDocStatus[]; empty: boolean }> {
    const documents: GraphDocStatus[] = []
    let empty = false
    for (const trackId of new Set(trackIds)) {
      const path = `/documents/track_status/${encodeURIComponent(trackId)}`
      const track = await call(path, GraphTrackStatus, signal)
      documents.push(...track.documents.map((each) => ({ ...each, file_path: documentOf(each.file_path) })))
      empty ||= track.documents.length === 0
    }
    return { documents, empty }
  }
}

function statusError(path: string, status: number, body: string): GraphTargetError {
  // 409 names a document that it has already: the same request ends alike.
  const transient = status !== 409 && isTemporary(status)
  return new GraphTargetError(`the graph engine answered ${status} on ${path}`, {
    transient,
    status,
    body: body.slice(0, BODY_KEPT_CHARS),
  })
}

function parse<Schema extends z.ZodType>(path: string, schema: Schema, text: string): z.output<Schema> {
  const parsed = schema.safeParse(jsonIn(text))
  if (parsed.success) return parsed.data
  const body = text.slice(0, BODY_KEPT_CHARS)
  throw new GraphTargetError(`the graph engine's answer on ${path} is invalid`, {
    transient: false,
    body,
    cause: parsed.error,
  })
}
