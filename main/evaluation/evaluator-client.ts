// The evaluation scores one answer at a time. In: a question with its gold, and the evidence of an answer. Out: scores for its row, each with one of six
// states and the reason where there is none; a metric whose inputs are missing is never requested.
//   1. retrieval-scores.ts compares the contexts with the gold passages: recall, nDCG, and recall within a budget of tokens.
//   2. answer-scores.ts compares the text with the ground truth and the facts that it must hold. Both are rules and call nothing.
//   3. evaluation-status.ts decides which metrics of the evaluator can be requested, and what a reply means.
//   4. This file requests them over HTTP from the platform's evaluator or another, with a deadline and retries. It throws nothing: faults are states.
// handed-over.ts counts what an answer was written from. measured-level.ts scores the questions of a dataset by keyword-search.ts, to show how hard
// they are before any approach is called.
import { EvaluationMetric } from '../../contract/common.ts'
import type { EvaluationErrorType, EvaluationResult } from '../../contract/evidence/evaluation-result.ts'
import { metricOfId } from '../../contract/metrics/metrics.ts'
import { EVALUATE_LIMITS, EvaluateResponse } from '../../contract/http/evaluate.ts'
import { TRACE_FIELD } from '../../contract/evidence/trace.ts'
import type { CellRecorder } from '../evidence/traces/cell-recorder.ts'
import { saidIn } from '../../core/http/said.ts'
import { createHttpClient, HttpFault } from '../../core/http/http-client.ts'
import { isAccessRefused, RefusalsInARow } from '../../core/http/access-refused.ts'
import { isTemporary } from '../../core/http/pauses.ts'
import { retry } from '../../core/http/retry.ts'
import { describeIssues } from '../../core/issues.ts'
import {
  evaluationFailed,
  evaluationFromReply,
  evaluationImpossible,
  missingEvidence,
  type EvaluatorReply,
  type Evidence,
} from './evaluation-status.ts'
import { serviceText, valueWithoutSecrets } from '../../core/known-secrets.ts'
import { credentialHeaders, type Credentials } from '../lib/trust/credential-headers.ts'

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
    recorder?: CellRecorder,
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
  const { groundTruth, citedAnswer = null } = evidence
  const record = {
    question: within('question_chars', evidence.question, EVALUATE_LIMITS.question),
    answer: within('answer_chars', evidence.answer, EVALUATE_LIMITS.answer),
    contexts: evidence.contexts
      .slice(0, EVALUATE_LIMITS.contexts)
      .map((context) => within('context_chars', context, EVALUATE_LIMITS.context)),
    ground_truth: groundTruth === null ? null : within('ground_truth_chars', groundTruth, EVALUATE_LIMITS.groundTruth),
    ...(citedAnswer === null ? {} : { cited_answer: cut(citedAnswer, EVALUATE_LIMITS.answer) }),
    metadata,
  }
  return { record, unseen }
}

/** Statements or contexts that the evaluator itself left out, according to its reasons; of several metrics, the most. */
function omittedIn(reasons: EvaluationResult['reasons'], what: 'statements_omitted' | 'contexts_omitted'): number {
  const omitted = Object.values(reasons).map((reason) =>
    typeof reason === 'object' && reason !== null && !Array.isArray(reason) ? reason[what] : 0,
  )
  return Math.max(0, ...omitted.filter((count) => typeof count === 'number' && Number.isInteger(count)).map(Number))
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
        evaluatorVersion: parsed.data.evaluator_version ?? null,
        evaluatorPrompts: parsed.data.evaluator_prompts ?? [],
      }),
    },
  }
}

/** The trace in an answer, whether it succeeded or not. */
function traceIn(text: string): unknown {
  if (!text.includes(TRACE_FIELD)) return undefined
  const json = parseLenientJson(text)
  return json.ok ? (json.value as Record<string, unknown> | null)?.[TRACE_FIELD] : undefined
}

/**
 * Speaks to `POST /api/rag/evaluate`, one record per call and only the metrics whose evidence is there. A refused key or account is not tried twice; after
 * three equal refusals in a row the evaluator is not called any more, and further answers fail by the same words.
 */
export function createEvaluatorClient(options: EvaluatorOptions): EvaluatorClient {
  const client = createHttpClient(credentialHeaders(options))
  const { timeoutMs } = options
  const refusals = new RefusalsInARow()

  async function call(
    body: object,
    signal: AbortSignal | undefined,
    recorder: CellRecorder | undefined,
    number: number,
  ): Promise<CallOutcome> {
    const startedAt = performance.now()
    const add = (outcome: CallOutcome, name: string, sent: unknown): CallOutcome => {
      const error = outcome.ok ? null : `${outcome.type}: ${outcome.message}`
      recorder?.add({ kind: 'evaluation', name: `evaluation, attempt ${number}${name}`, startedAt, sent, error })
      return outcome
    }
    const sentCall = { json: body, signal, timeoutMs, headers: recorder?.headers }
    try {
      const { status, text } = await client.send(options.url, sentCall)
      return add(outcomeOf(status, text), `: HTTP ${status}`, traceIn(text))
    } catch (error) {
      if (!(error instanceof HttpFault)) throw error
      if (error.fault === 'timeout') return add(fail('timeout', `no answer within ${timeoutMs} ms`), '', undefined)
      return add(fail('network_error', `the evaluator cannot be reached: ${error.reason}`), '', undefined)
    }
  }

  function outcomeOf(status: number, text: string): CallOutcome {
    if (status === 200) return readReply(text)
    const problem = `HTTP ${status}: ${serviceText(saidIn(text).text, 300)}`
    if (isAccessRefused(status, text)) return fail('access_refused', problem, false)
    // A gateway before the evaluator reports the time that ran out: for the counts it is the same as our own deadline.
    return status === 408 || status === 504
      ? fail('timeout', problem)
      : fail('http_error', problem, isTemporary(status))
  }

  return {
    async evaluate(metrics, evidence, metadata, signal, recorder) {
      const missing = missingEvidence(metrics, evidence)
      const eligible = metrics.filter((metric) => missing[metric] === undefined)
      if (eligible.length === 0) return evaluationImpossible(metrics, missing)
      if (refusals.stopped !== null)
        return evaluationFailed(metrics, missing, { type: 'access_refused', message: refusals.stopped, attempts: 0 })
      // Evaluators elsewhere may refuse a field that they do not know.
      const needsCitations = eligible.some((metric) => metricOfId(metric).needs.includes('citations'))
      const sent = needsCitations ? evidence : { ...evidence, citedAnswer: null }
      const { record, unseen } = recordOf(sent, metadata)
      const asked = { metrics: eligible, evaluator_model: null, embeddings_model: null, raise_exceptions: false }
      const rules = { attempts: options.retries + 1, firstMs: options.backoffMs, signal }
      let attempts = 0
      let took = 0
      const outcome = await retry<CallOutcome>(rules, async (number) => {
        attempts = number
        await options.ready?.()
        const startedAt = performance.now()
        const result = await call({ records: [record], ...asked }, signal, recorder, number)
        took += performance.now() - startedAt
        return { result, again: !result.ok && result.retryable, status: null }
      })
      const latency_ms = Math.round(took * 1000) / 1000
      refusals.add(!outcome.ok && outcome.type === 'access_refused' ? outcome.message : null)
      if (!outcome.ok) return { ...evaluationFailed(metrics, missing, { ...outcome, attempts }), latency_ms }
      const statements = omittedIn(outcome.reply.reasons, 'statements_omitted')
      const contexts = omittedIn(outcome.reply.reasons, 'contexts_omitted')
      const left = {
        ...unseen,
        ...(statements === 0 ? {} : { statements }),
        ...(contexts === 0 ? {} : { contexts: contexts + (unseen.contexts ?? 0) }),
      }
      return { ...evaluationFromReply(metrics, missing, { ...outcome.reply, attempts, unseen: left }), latency_ms }
    },
    close: () => client.close(),
  }
}
