import { setTimeout as delay } from 'node:timers/promises'
import { callRemedy } from '../../../core/model-remedies.ts'
import { durationWords } from '../../../contract/words.ts'
import type { EvidenceCapability } from '../../../contract/common.ts'
import type { Attempt, CellErrorType, ContextText, RowEvidence } from '../../../contract/evidence/canonical-row.ts'
import { TRACE_FIELD } from '../../../contract/evidence/trace.ts'
import type { CellRecorder } from '../../evidence/traces/cell-recorder.ts'
import { LIMIT_ADVICE, type GatewayClient } from '../../lib/services/gateway-client.ts'
import { normalizeEvidence } from './normalize-evidence.ts'

export interface CellCall {
  model: string
  query: string
  capability: EvidenceCapability
  /** Tokens of text that the approach is asked to hand to the answerer; null or absent leaves it as it is declared. */
  contextBudget?: number | null
  /** For the whole cell: every attempt and every pause between them. Waiting for a platform that is being restarted does not count. */
  timeoutMs: number
  retries: number
  signal?: AbortSignal
  /** Collects what the platform reports of its calls. */
  recorder?: CellRecorder
  /** Awaited before each attempt: a platform that is being restarted is not called into the void. */
  ready?: () => Promise<void>
  /** Names the service of models that calls wait for because it limits them, of calls since a time; null for none. */
  waitsFor?: (sinceMs: number) => string | null
  /** Called before each further attempt, with the reason. */
  onRetry?: (reason: string) => void
}

export type CellAnswer = { attempts: Attempt[] } &
  /** `isCut`: the model that answered was stopped by its limit of tokens. `isUnsearched`: an agent answered without a search. */
  (
    | { ok: true; evidence: RowEvidence; contextText: ContextText | null; isCut: boolean; isUnsearched: boolean }
    | { ok: false; error: { type: CellErrorType; message: string } }
  )

/** Longest pause before a retry, whatever `Retry-After` asks for. */
const MAX_WAIT_MS = 60_000

const RETRYABLE: readonly CellErrorType[] = [
  'timeout',
  'connection_failed',
  'connection_reset',
  'rate_limited',
  'invalid_response',
]

function mayRetry(type: CellErrorType, status: number | null): boolean {
  return RETRYABLE.includes(type) || (type === 'http_error' && status !== null && status >= 500)
}

const TIMEOUT_REMEDY = callRemedy({ status: null, isPage: false, isTimeout: true }, 'gateway')

/** The gateway waits for the service of a model: the time limit is no timeout of the model. */
const limitedBy = (service: string) =>
  ({
    ok: false,
    type: 'rate_limited',
    message: `${service} limits its calls, and no answer came within the time limit; ${LIMIT_ADVICE}`,
  }) as const

/** The trace of an answer, in its evidence or beside its error; undefined where the gateway sent none. */
function traceIn(body: unknown): unknown {
  const { rag_extension: extension, [TRACE_FIELD]: beside } = (body ?? {}) as Record<string, unknown>
  return (extension as Record<string, unknown> | null | undefined)?.[TRACE_FIELD] ?? beside
}

/** The chat request of a measured answer: it must be computed now, and must not be served to another caller. */
const payloadOf = ({ model, query, contextBudget = null }: CellCall) => ({
  model,
  messages: [{ role: 'user', content: query }],
  stream: false,
  cache: { 'no-cache': true, 'no-store': true },
  ...(contextBudget === null ? {} : { context_budget: contextBudget }),
})

/**
 * Calls one alias with one question. Each try is recorded; what the gateway does wrong comes back as a value. Throws only what `ready`
 * throws.
 */
export async function callApproach(client: GatewayClient, call: CellCall): Promise<CellAnswer> {
  const attempts: Attempt[] = []
  let waitedMs = 0
  let leftMs = call.timeoutMs
  let failures = 0
  for (;;) {
    const waitedFrom = performance.now()
    await call.ready?.()
    waitedMs += Math.round(performance.now() - waitedFrom)
    const startedAt = performance.now()
    const sentAtMs = Date.now()
    const reply = await client.chat(payloadOf(call), leftMs, call.signal, call.recorder?.headers)
    const waits = !reply.ok && reply.type === 'timeout' ? (call.waitsFor?.(sentAtMs) ?? null) : null
    const outcome = reply.ok
      ? normalizeEvidence(reply.body, call.capability)
      : waits === null
        ? reply
        : limitedBy(waits)
    const { status, latencyMs, waitedMs: queuedMs = 0 } = reply
    call.recorder?.add({
      kind: 'attempt',
      name: `attempt ${attempts.length + 1}${status === null ? '' : `: HTTP ${status}`}`,
      startedAt,
      sent: traceIn(reply.body),
      error: outcome.ok ? null : `${outcome.type}: ${outcome.message}`,
    })
    leftMs -= latencyMs + queuedMs
    attempts.push({
      outcome: outcome.ok ? 'ok' : outcome.type,
      latency_ms: latencyMs,
      http_status: status,
      message: outcome.ok ? null : outcome.message,
      waited_ms: waitedMs + queuedMs,
    })
    if (outcome.ok) {
      const { evidence, contextText, isCut, isUnsearched } = outcome
      return { ok: true, attempts, evidence, contextText, isCut, isUnsearched }
    }
    const remedy = outcome.type === 'timeout' ? `.${TIMEOUT_REMEDY}` : ''
    const error = { type: outcome.type, message: outcome.message + remedy }
    // Being refused as one call too many is waiting, no failure: it ends with the time limit of the cell.
    const isWaiting = !reply.ok && reply.isLimit === true && call.retries > 0
    if (!isWaiting) failures += 1
    const isFinal = !reply.ok && reply.isFinal === true
    if (failures > call.retries || isFinal || !mayRetry(outcome.type, status)) return { ok: false, attempts, error }
    waitedMs = Math.min(MAX_WAIT_MS, (reply.ok ? null : reply.retryAfterMs) ?? 500 * 2 ** (attempts.length - 1))
    if (waitedMs >= leftMs) {
      if (error.type === 'timeout' || waits !== null) return { ok: false, attempts, error }
      const limit = `the time limit of an answer (${durationWords(call.timeoutMs)}) leaves no time for another attempt`
      return { ok: false, attempts, error: { ...error, message: `${error.message}; ${limit}` } }
    }
    leftMs -= waitedMs
    const cause = `${error.type.replaceAll('_', ' ')}${status === null ? '' : ` (HTTP ${status})`}: ${error.message}`
    const failed = isWaiting ? 'the service limits its calls' : `attempt ${failures} of ${call.retries + 1} failed`
    call.onRetry?.(`${failed}, ${cause}; the next one starts in ${durationWords(waitedMs)}`)
    try {
      await delay(waitedMs, undefined, { signal: call.signal })
    } catch {
      return {
        ok: false,
        attempts,
        error: { type: 'cancelled', message: 'the run was stopped before the next attempt' },
      }
    }
  }
}
