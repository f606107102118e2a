import packageFile from '../../../package.json' with { type: 'json' }
import type { EvaluationMetric } from '../../../contract/common.ts'
import type { ModelUsage } from '../../../contract/evidence/model-usage.ts'
import { EVALUATE_LIMITS, type EvaluateRecord, type EvaluateRequest } from '../../../contract/http/evaluate.ts'
import { isEmbedded } from '../../../contract/metrics/metrics.ts'
import { ModelRole } from '../../../contract/manifests/models.ts'
import { isUsedUp } from '../../../core/used-up-credit.ts'
import { HttpError } from '../../kit/http-error.ts'
import {
  type ChatRole,
  type EmbeddingRole,
  type ModelHost,
  ModelCallError,
  type ModelCallErrorCode,
} from '../models/model-host.ts'
import { reasonOf } from '../models/model-error-response.ts'
import { mapBounded } from '../rag/bounded.ts'
import { meterCalls } from '../rag/call-meter.ts'
import { createChatCritic } from './critics/chat-critic.ts'
import { type Critic, CriticReplyError } from './critics/critic.ts'
import { CRITIC_PROMPT_NAMES, CRITIC_PROMPTS } from './critics/critic-tasks.ts'
import { judgementsOf } from './record-judgements.ts'
import { isEligible, scoreMetric, type ScoringTools } from './score-metric.ts'

const { version } = packageFile

/** Names a metric's failure on the wire: the kind of fault, never the upstream's words. */
const METRIC_ERRORS: Record<ModelCallErrorCode, string> = {
  timeout: 'TimeoutError',
  rate_limited: 'RateLimitError',
  unauthorized: 'AuthenticationError',
  unreachable: 'ConnectionError',
  upstream_error: 'UpstreamError',
  invalid_response: 'InvalidResponseError',
  content_filtered: 'ContentFilterError',
  refused: 'RefusalError',
  bad_request: 'BadRequestError',
  context_length_exceeded: 'ContextLengthError',
  unknown_model: 'NotFoundError',
  not_configured: 'NotConfiguredError',
}

/** The wire's word for a failed metric; null for what is not an expected failure. */
function metricError(error: unknown): string | null {
  if (error instanceof CriticReplyError) return error.name
  return error instanceof ModelCallError ? METRIC_ERRORS[error.code] : null
}

/** True where the service of the model refuses the key or the account; services report a used-up credit also by the statuses of a limit and of a wrong request. */
const refusesAccess = (error: ModelCallError): boolean =>
  error.code === 'unauthorized' ||
  ((error.code === 'rate_limited' || error.code === 'bad_request') && isUsedUp(error.message))

/** A wrong set-up that no other metric or record can get round. One of embeddings leaves the metrics that need none. */
function isSetupFault(error: unknown, metrics: readonly EvaluationMetric[]): boolean {
  return (
    error instanceof ModelCallError &&
    (error.code === 'unknown_model' || error.code === 'not_configured' || refusesAccess(error)) &&
    (isChatRole(error.role) || metrics.every(isEmbedded))
  )
}

const rejected = (status: number): HttpError =>
  new HttpError(400, `The evaluation model's service rejected the request (HTTP ${status})`)

/** The caller reads by the code that the next call would end alike, and why: the role, the status and the words of the service. */
function accessRefused(error: ModelCallError): HttpError {
  const headers = { 'x-should-retry': 'false' }
  const refused = new HttpError(502, `RAG evaluation failed: ${reasonOf(error)}`, { headers, cause: error })
  refused.more['code'] = 'model_access_refused'
  return refused
}

/** 400 for what the caller can correct, with a fixed message; 502 for upstream faults, refused credentials and limits included. */
function evaluationFailure(error: unknown): unknown {
  if (error instanceof CriticReplyError) return new HttpError(502, 'RAG evaluation failed', { cause: error })
  if (!(error instanceof ModelCallError)) return error
  if (refusesAccess(error)) return accessRefused(error)
  if (error.code === 'not_configured') return new HttpError(400, 'No evaluator model is configured', { cause: error })
  if (error.code === 'unknown_model') return rejected(error.status ?? 404)
  if (error.code === 'bad_request' || error.code === 'context_length_exceeded') return rejected(error.status ?? 400)
  return new HttpError(502, 'RAG evaluation failed', { cause: error })
}

/** An override names a model that no role of this platform uses. */
function unknownModel(): HttpError {
  return rejected(404)
}

const RECORDS_AT_ONCE = 2

/** One record's part of the response: null where a score is missing, with the reason in `metric_errors` when one failed. */
export interface RecordResult {
  record_index: number
  scores: Partial<Record<EvaluationMetric, number | null>>
  metadata: {
    metric_errors: Partial<Record<EvaluationMetric, string>>
    metric_reasons: Partial<Record<EvaluationMetric, object>>
    /** True when the critic's language model takes the answer for a refusal; absent with rules, and where it gave no usable reply. */
    refused?: boolean
  }
}

export interface EvaluationResponse {
  metrics: EvaluationMetric[]
  record_count: number
  evaluator_model: string
  embeddings_model: string | null
  /** Version of the program and, where a model grades, of the prompts. An addition of this evaluator. */
  evaluator_version: string
  evaluator_prompts?: readonly string[]
  results: RecordResult[]
  /** Holds what each model used for all records; absent where rules grade. An addition of this evaluator. */
  model_usage?: ModelUsage[]
  metadata: { runner: string; formulas: string; critic: 'chat' | 'rules'; llm_base_url: string | null }
}

/** Rules are read at their first use: their language model is large. */
async function criticFor(models: ModelHost, role: ChatRole): Promise<Critic> {
  return models.isBuiltin(role) ? (await import('./critics/rule-critic.ts')).ruleCritic : createChatCritic(models, role)
}

async function scoreRecord(
  record: EvaluateRecord,
  index: number,
  request: EvaluateRequest,
  shared: Omit<ScoringTools, 'judgements'>,
  signal: AbortSignal | undefined,
): Promise<RecordResult> {
  const tools: ScoringTools = { ...shared, judgements: judgementsOf(record, shared.critic, signal) }
  const result: RecordResult = { record_index: index, scores: {}, metadata: { metric_errors: {}, metric_reasons: {} } }
  const { metric_errors: errors, metric_reasons: reasons } = result.metadata
  for (const metric of request.metrics) {
    result.scores[metric] = null
    if (!isEligible(metric, record)) continue
    try {
      const scored = await scoreMetric(metric, record, tools, signal)
      reasons[metric] = scored.reasons
      if (Number.isFinite(scored.score)) result.scores[metric] = scored.score
      else errors[metric] = scored.missing ?? 'score_not_finite'
    } catch (error) {
      signal?.throwIfAborted()
      const word = metricError(error)
      if (word === null || request.raise_exceptions || isSetupFault(error, request.metrics)) throw error
      errors[metric] = word
    }
  }
  const refused = await refusalOf(tools, signal)
  if (refused !== null) result.metadata.refused = refused
  return result
}

/** A state beside the scores: its absence fails none of them. */
async function refusalOf({ judgements }: ScoringTools, signal?: AbortSignal): Promise<boolean | null> {
  try {
    return await judgements.refused()
  } catch (error) {
    signal?.throwIfAborted()
    if (metricError(error) === null) throw error
    return null
  }
}

/**
 * Scores every record of a request that its schema has accepted. A metric without its evidence is null; one that failed is null with an
 * entry in `metric_errors`. Throws `HttpError`: 400 for what the caller can correct, 502 for upstream faults that concern everything.
 */
export async function evaluate(
  models: ModelHost,
  raw: EvaluateRequest,
  signal?: AbortSignal,
): Promise<EvaluationResponse> {
  const limit = brokenLimit(raw)
  if (limit !== null) throw new HttpError(400, limit)
  const request = { ...raw, metrics: [...new Set(raw.metrics)] }
  const roles = chooseModels(models, request)
  const meter = meterCalls(models)
  const critic = await criticFor(meter.models, roles.critic)
  const tools = { critic, models: meter.models, embedding: roles.embedding }
  try {
    const results = await mapBounded(request.records, RECORDS_AT_ONCE, (record, index) =>
      scoreRecord(record, index, request, tools, signal),
    )
    const { modelUsage } = meter.counts()
    return {
      metrics: request.metrics,
      record_count: request.records.length,
      evaluator_model: models.modelName(roles.critic),
      embeddings_model: roles.embedding === null ? null : models.modelName(roles.embedding),
      evaluator_version: critic.kind === 'chat' ? `${version}, prompts ${CRITIC_PROMPTS}` : version,
      ...(critic.kind === 'chat' ? { evaluator_prompts: CRITIC_PROMPT_NAMES } : {}),
      results,
      ...(modelUsage.length === 0 ? {} : { model_usage: modelUsage }),
      metadata: { runner: 'rag-ladder', formulas: 'ragas 0.4.3', critic: critic.kind, llm_base_url: null },
    }
  } catch (error) {
    throw evaluationFailure(error)
  }
}

/** The roles whose models judge and embed; no embedding role when no requested metric needs one. */
interface EvaluationModels {
  critic: ChatRole
  embedding: EmbeddingRole | null
}

const EMBEDDING_ROLES: readonly EmbeddingRole[] = ['evaluator_embed', 'embed']

const isChatRole = (role: ModelRole): role is ChatRole => !['embed', 'evaluator_embed', 'rerank'].includes(role)

/** The evaluator first, then every role that another chat model serves; rule-based ones do only their own job. */
function criticRoles(models: ModelHost): ChatRole[] {
  const others = ModelRole.options.filter(isChatRole).filter((role) => role !== 'evaluator' && !models.isBuiltin(role))
  return ['evaluator', ...others]
}

function pick<Role extends ModelRole>(models: ModelHost, roles: readonly Role[], wanted: string | null): Role {
  const configured = models.resolved().roles
  const known = roles.filter((role) => role in configured)
  const role = wanted === null ? known[0] : known.find((candidate) => models.modelName(candidate) === wanted)
  if (role === undefined) throw unknownModel()
  return role
}

/** Which models a request is judged by. Throws 400 when none is configured or an override names none of this platform's. */
function chooseModels(models: ModelHost, request: EvaluateRequest): EvaluationModels {
  const configured = models.resolved().roles
  if (!('evaluator' in configured)) throw new HttpError(400, 'No evaluator model is configured')
  const critic = pick(models, criticRoles(models), request.evaluator_model)
  if (!request.metrics.some(isEmbedded)) return { critic, embedding: null }
  if (!EMBEDDING_ROLES.some((role) => role in configured))
    throw new HttpError(400, 'answer_relevancy needs an embedding model, and none is configured')
  return { critic, embedding: pick(models, EMBEDDING_ROLES, request.embeddings_model) }
}

const bytes = (text: string): number => Buffer.byteLength(text)

/** Which of the limits that no schema can state a request breaks, naming the record; null when none. */
function brokenLimit(request: EvaluateRequest): string | null {
  let evidence = 0
  for (const [index, record] of request.records.entries()) {
    if (bytes(JSON.stringify(record.metadata)) > EVALUATE_LIMITS.metadataBytes)
      return `records[${index}].metadata exceeds ${EVALUATE_LIMITS.metadataBytes} bytes`
    const texts = [record.question, record.answer, ...record.contexts, record.ground_truth ?? '']
    evidence += texts.reduce((sum, text) => sum + bytes(text), 0)
    if (evidence > EVALUATE_LIMITS.evidenceBytes)
      return `records[${index}]: the evidence of the request exceeds ${EVALUATE_LIMITS.evidenceBytes} bytes`
  }
  return null
}
