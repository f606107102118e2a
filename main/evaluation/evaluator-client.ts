import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import {
  describeIssues,
  EVALUATE_LIMITS,
  EvaluateResponse,
  EvaluationMetric,
  type EvaluationErrorType,
  type EvaluationResult,
} from '../../contract/index.ts'
import {
  evaluationFailed,
  evaluationFromReply,
  evaluationImpossible,
  missingEvidence,
  type EvaluatorReply,
  type Evidence,
} from './evaluation-status.ts'
import { serviceText, valueWithoutSecrets } from '../lib/known-secrets.ts'
import { withDeadline, type CallDeadline } from '../lib/call-deadline.ts'
import { credentialHeaders, type Credentials } from '../lib/credential-headers.ts'

/** JSON text → value. Python evaluators print bare NaN and Infinity: they become numbers here, so that the metric can be named. */
function parseLenientJson(text: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) as unknown }
  } catch {
    return parseWithBareNumbers(text)
  }
}

const MARK = '\u0000bare-number:'

function parseWithBareNumbers(text: string): { ok: true; value: unknown } | { ok: false } {
  // Strings are matched first and kept, so that a NaN inside a text stays text.
  const marked = text.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (token) =>
    token.startsWith('"') ? token : JSON.stringify(MARK + token),
  )
  try {
    const revive = (_key: string, value: unknown): unknown =>
      typeof value === 'string' && value.startsWith(MARK) ? Number(value.slice(MARK.length)) : value
    return { ok: true, value: JSON.parse(marked, revive) as unknown }
  } catch {
    return { ok: false }
  }
}

interface EvaluatorOptions extends Credentials {
  /** Full address of the evaluation route. */
  url: string
  timeoutMs: number
  retries: number
  /** Awaited before each call: an evaluator that is being restarted is not called into the void. What it throws is thrown. */
  ready?: () => Promise<void>
  /** Pause before the first retry; doubled each time. */
  backoffMs?: number
}

export interface EvaluatorClient {
  /** Scores one record. Never throws for what an evaluator can do wrong: that is a state of the result. */
  evaluate(
    metrics: readonly EvaluationMetric[],
    evidence: Evidence,
    metadata: Record<string, string>,
    signal?: AbortSignal,
  ): Promise<EvaluationResult>
  close(): Promise<void>
}

interface Failure {
  type: EvaluationErrorType
  message: string
  retryable: boolean
}

type CallOutcome = { ok: true; reply: Omit<EvaluatorReply, 'attempts' | 'unseen'> } | ({ ok: false } & Failure)

const fail = (type: EvaluationErrorType, message: string, retryable = true): CallOutcome => ({
  ok: false,
  type,
  message: serviceText(message),
  retryable,
})

/** Cuts a text to a request limit without splitting a surrogate pair. */
function cut(text: string, limit: number): string {
  if (text.length <= limit) return text
  const end = /[\uD800-\uDBFF]/.test(text[limit - 1]!) ? limit - 1 : limit
  return text.slice(0, end)
}

type Unseen = EvaluatorReply['unseen']

/** The record of a request, cut to its limits, and what was cut off: the row keeps that, so that no score claims to rest on more. */
function recordOf(evidence: Evidence, metadata: Record<string, string>) {
  const unseen: Unseen = {}
  const count = (what: keyof Unseen, left: number): void => {
    if (left > 0) unseen[what] = (unseen[what] ?? 0) + left
  }
  const within = (what: keyof Unseen, text: string, limit: number): string => {
    const kept = cut(text, limit)
    count(what, text.length - kept.length)
    return kept
  }
  count('contexts', evidence.contexts.length - EVALUATE_LIMITS.contexts)
  const { groundTruth } = evidence
  const record = {
    question: within('question_chars', evidence.question, EVALUATE_LIMITS.question),
    answer: within('answer_chars', evidence.answer, EVALUATE_LIMITS.answer),
    contexts: evidence.contexts
      .slice(0, EVALUATE_LIMITS.contexts)
      .map((context) => within('context_chars', context, EVALUATE_LIMITS.context)),
    ground_truth: groundTruth === null ? null : within('ground_truth_chars', groundTruth, EVALUATE_LIMITS.groundTruth),
    metadata,
  }
  return { record, unseen }
}

/** Statements that the evaluator itself left out, according to its reasons. */
function statementsOmitted(reasons: EvaluationResult['reasons']): number {
  const { faithfulness } = reasons
  const omitted =
    typeof faithfulness === 'object' && faithfulness !== null && !Array.isArray(faithfulness)
      ? faithfulness['statements_omitted']
      : undefined
  return typeof omitted === 'number' && Number.isInteger(omitted) && omitted > 0 ? omitted : 0
}

function readReply(text: string): CallOutcome {
  const json = parseLenientJson(text)
  if (!json.ok) return fail('invalid_response', `the evaluator's answer is not JSON: ${serviceText(text, 120)}`)
  const parsed = EvaluateResponse.safeParse(json.value)
  if (!parsed.success)
    return fail(
      'invalid_response',
      `the evaluator's answer has the wrong shape: ${describeIssues(parsed.error).slice(0, 3).join('; ')}`,
    )
  const result = parsed.data.results.find((candidate) => candidate.record_index === 0)
  if (result === undefined) return fail('invalid_response', 'the evaluator answered no result for record 0')
  const reasons = Object.entries(result.metadata?.metric_reasons ?? {}).filter(
    ([key]) => EvaluationMetric.safeParse(key).success,
  )
  return {
    ok: true,
    reply: {
      scores: result.scores,
      refused: result.metadata?.refused ?? null,
      modelUsage: parsed.data.model_usage ?? [],
      ...valueWithoutSecrets({
        metricErrors: Object.fromEntries(
          Object.entries(result.metadata?.metric_errors ?? {}).map(([metric, error]) => [metric, serviceText(error)]),
        ),
        reasons: Object.fromEntries(reasons),
        evaluatorModel: parsed.data.evaluator_model ?? null,
        embeddingsModel: parsed.data.embeddings_model ?? null,
      }),
    },
  }
}

/** Speaks to `POST /api/rag/evaluate`, one record per call and only the metrics whose evidence is there. */
export function createEvaluatorClient(options: EvaluatorOptions): EvaluatorClient {
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 })
  const headers = { 'content-type': 'application/json', ...credentialHeaders(options) }

  async function call(body: string, deadline: CallDeadline, outer: AbortSignal | undefined): Promise<CallOutcome> {
    try {
      const { signal } = deadline
      const response = await request(options.url, { method: 'POST', dispatcher: agent, headers, body, signal })
      const text = await response.body.text()
      const status = response.statusCode
      // A gateway before the evaluator reports the time that ran out: for the counts it is the same as our own deadline.
      if (status === 408 || status === 504) return fail('timeout', `HTTP ${status}: ${serviceText(text, 300)}`)
      // 4xx other than 408 and 429 will be the same next time.
      if (status !== 200)
        return fail('http_error', `HTTP ${status}: ${serviceText(text, 300)}`, status >= 500 || status === 429)
      return readReply(text)
    } catch (error) {
      outer?.throwIfAborted()
      if (deadline.expired()) return fail('timeout', `no answer within ${options.timeoutMs} ms`)
      return fail(
        'network_error',
        `the evaluator cannot be reached: ${error instanceof Error ? error.message : String(error)}`,
      )
    }
  }

  return {
    async evaluate(metrics, evidence, metadata, signal) {
      const missing = missingEvidence(metrics, evidence)
      const eligible = metrics.filter((metric) => missing[metric] === undefined)
      if (eligible.length === 0) return evaluationImpossible(metrics, missing)
      const { record, unseen } = recordOf(evidence, metadata)
      const body = JSON.stringify({
        records: [record],
        metrics: eligible,
        evaluator_model: null,
        embeddings_model: null,
        raise_exceptions: false,
      })
      for (let attempts = 1; ; attempts += 1) {
        await options.ready?.()
        const outcome = await withDeadline(options.timeoutMs, signal, (deadline) => call(body, deadline, signal))
        if (outcome.ok) {
          const statements = statementsOmitted(outcome.reply.reasons)
          const left = statements === 0 ? unseen : { ...unseen, statements }
          return evaluationFromReply(metrics, missing, { ...outcome.reply, attempts, unseen: left })
        }
        if (attempts > options.retries || !outcome.retryable)
          return evaluationFailed(metrics, missing, { ...outcome, attempts })
        await delay((options.backoffMs ?? 500) * 2 ** (attempts - 1), undefined, { signal })
      }
    },
    close: () => agent.destroy(),
  }
}
