import { setTimeout as delay } from 'node:timers/promises'
import { durationWords } from '../../contract/index.ts'
import type { Attempt, CellErrorType, ContextText, EvidenceCapability, RowEvidence } from '../../contract/index.ts'
import type { GatewayClient } from '../lib/gateway-client.ts'
import { normalizeEvidence } from './normalize-evidence.ts'

export interface CellCall {
  model: string
  query: string
  capability: EvidenceCapability
  timeoutMs: number
  retries: number
  signal?: AbortSignal
  /** Awaited before each attempt: a platform that is being restarted is not called into the void. */
  ready?: () => Promise<void>
  /** Called before each further attempt, with the reason. */
  onRetry?: (reason: string) => void
}

export type CellAnswer = { attempts: Attempt[] } & (
  | { ok: true; evidence: RowEvidence; contextText: ContextText | null }
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

async function attempt(client: GatewayClient, call: CellCall, waitedMs: number) {
  const payload = {
    model: call.model,
    messages: [{ role: 'user', content: call.query }],
    stream: false,
    // A measured answer must be computed now, and must not be served to another caller.
    cache: { 'no-cache': true, 'no-store': true },
  }
  const reply = await client.chat(payload, call.timeoutMs, call.signal)
  const outcome = reply.ok ? normalizeEvidence(reply.body, call.capability) : reply
  const record: Attempt = {
    outcome: outcome.ok ? 'ok' : outcome.type,
    latency_ms: reply.latencyMs,
    http_status: reply.status,
    message: outcome.ok ? null : outcome.message,
    waited_ms: waitedMs,
  }
  return { outcome, record, status: reply.status, retryAfterMs: reply.ok ? null : reply.retryAfterMs }
}

/**
 * Calls one alias with one question. Each try is recorded; what the gateway does wrong comes back as a value. Throws only what `ready`
 * throws.
 */
export async function runCell(client: GatewayClient, call: CellCall): Promise<CellAnswer> {
  const attempts: Attempt[] = []
  let waitedMs = 0
  for (;;) {
    const waitedFrom = performance.now()
    await call.ready?.()
    waitedMs += Math.round(performance.now() - waitedFrom)
    const { outcome, record, status, retryAfterMs } = await attempt(client, call, waitedMs)
    attempts.push(record)
    if (outcome.ok) return { ok: true, attempts, evidence: outcome.evidence, contextText: outcome.contextText }
    const error = { type: outcome.type, message: outcome.message }
    if (attempts.length > call.retries || !mayRetry(outcome.type, status)) return { ok: false, attempts, error }
    waitedMs = Math.min(MAX_WAIT_MS, retryAfterMs ?? 500 * 2 ** (attempts.length - 1))
    const cause = `${error.type.replaceAll('_', ' ')}${status === null ? '' : ` (HTTP ${status})`}: ${error.message}`
    call.onRetry?.(
      `attempt ${attempts.length} of ${call.retries + 1} failed, ${cause}; the next one starts in ${durationWords(waitedMs)}`,
    )
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
