import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { GraphInsertResponse, GraphPipelineStatus, GraphTrackStatus } from '../../../../contract/index.ts'
import type { GraphDocStatus } from '../../../../contract/index.ts'
import { GraphTargetError } from '../../ingestion/graph-phases.ts'
import type { GraphTargetClient } from '../../ingestion/graph-phases.ts'
import { summarise } from '../../graph-engine/graph-target.ts'

export interface HttpGraphTargetOptions {
  /** Time for one request, from sending to the last byte. */
  timeoutMs?: number
  /** Pause between two requests of the pipeline status. */
  pollMs?: number
  /** How long an upload without any listed document counts as not started, since some engines queue after they have answered. */
  takeUpMs?: number
  /** Sent as `LIGHTRAG-WORKSPACE`, for engines with several. */
  workspace?: string
}

const BODY_KEPT_CHARS = 2000
const UNFINISHED = /^(?:pending|parsing|analyzing|processing)$/i

/**
 * A graph engine with LightRAG's HTTP surface as ingestion's target, this one or a real one: `url` with its path prefix, `apiKey` for
 * `X-API-Key`. Throws `GraphTargetError`, transient for what may pass: no connection, timeouts, 408, 429 and 5xx.
 */
export function httpGraphTargetClient(
  url: string,
  apiKey: string | null,
  options: HttpGraphTargetOptions = {},
): GraphTargetClient {
  const { timeoutMs = 180_000, pollMs = 500, takeUpMs = 15_000 } = options
  const base = url.replace(/\/+$/, '')
  const headers = {
    accept: 'application/json',
    ...(apiKey === null ? {} : { 'x-api-key': apiKey }),
    ...(options.workspace === undefined ? {} : { 'lightrag-workspace': options.workspace }),
  }

  async function call<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    signal: AbortSignal,
    body?: unknown,
  ): Promise<z.output<Schema>> {
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(base + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        redirect: 'error',
        signal: AbortSignal.any([signal, timeout]),
      })
      const text = await response.text()
      if (!response.ok) throw statusError(path, response.status, text)
      return parse(path, schema, text)
    } catch (cause) {
      signal.throwIfAborted()
      if (cause instanceof GraphTargetError) throw cause
      const what = timeout.aborted ? `did not answer within ${timeoutMs} ms` : 'is unreachable'
      throw new GraphTargetError(`the graph engine ${what}`, { transient: true, cause })
    }
  }

  return {
    async upload({ id, title, text }, signal) {
      const body = { text, file_source: id, title, replace: true }
      const answer = await call('/documents/text', GraphInsertResponse, signal, body)
      if (answer.status === 'failure') throw new GraphTargetError(answer.message, { transient: false })
      return { trackId: answer.track_id }
    },
    async drain(trackIds, deadline, signal) {
      const takenUpBy = Date.now() + takeUpMs
      for (;;) {
        const pipeline = await call('/documents/pipeline_status', GraphPipelineStatus, signal)
        if (!pipeline.busy && pipeline.request_pending !== true) {
          const { documents, empty } = await tracked(trackIds, signal)
          const waiting = documents.some(({ status }) => UNFINISHED.test(status)) || (empty && Date.now() < takenUpBy)
          if (!waiting) return summarise(documents)
        }
        if (Date.now() + pollMs >= deadline) {
          const latest = pipeline.latest_message ?? ''
          throw new GraphTargetError(`not finished at the deadline: ${latest}`, { transient: true })
        }
        await sleep(pollMs, undefined, { signal })
      }
    },
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
      documents.push(...track.documents)
      empty ||= track.documents.length === 0
    }
    return { documents, empty }
  }
}

function statusError(path: string, status: number, body: string): GraphTargetError {
  const transient = status === 408 || status === 429 || status >= 500
  return new GraphTargetError(`the graph engine answered ${status} on ${path}`, {
    transient,
    status,
    body: body.slice(0, BODY_KEPT_CHARS),
  })
}

function parse<Schema extends z.ZodType>(path: string, schema: Schema, text: string): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(text))
  } catch (cause) {
    const body = text.slice(0, BODY_KEPT_CHARS)
    throw new GraphTargetError(`the graph engine's answer on ${path} is invalid`, { transient: false, body, cause })
  }
}
