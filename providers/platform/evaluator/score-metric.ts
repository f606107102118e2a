import { metricOfId, type EvaluateRecord, type EvaluationMetric } from '../../../contract/index.ts'
import { ModelCallError, type EmbeddingRole, type ModelHost } from '../models/model-host.ts'
import type { Critic } from './critics/critic.ts'
import {
  answerRelevancy,
  contextPrecision,
  contextRecall,
  cosine,
  faithfulness,
  STRICTNESS,
} from './metrics/formulas.ts'

/** A score with what it was made from. The score may be NaN: that is for the caller to report. */
export interface MetricScore {
  score: number
  /** Why there is none, where that is known better than by its not being a number. */
  missing?: 'no_statements'
  reasons: object
}

export interface ScoringTools {
  critic: Critic
  models: ModelHost
  embedding: EmbeddingRole | null
}

/** Claims judged of one answer; a longer answer is judged by its first ones, and its reason notes that. */
const MAX_STATEMENTS = 50

const flag = (value: boolean): 0 | 1 => (value ? 1 : 0)

async function scoreFaithfulness(
  record: EvaluateRecord,
  { critic }: ScoringTools,
  signal?: AbortSignal,
): Promise<MetricScore> {
  const all = await critic.splitStatements(record.question, record.answer, signal)
  const statements = all.slice(0, MAX_STATEMENTS)
  const verdicts = statements.length === 0 ? [] : await critic.judgeStatements(statements, record.contexts, signal)
  const omitted = all.length - statements.length
  return {
    score: faithfulness(verdicts.map(({ verdict }) => verdict)),
    // A refusal claims nothing that could be true to its contexts or not.
    ...(statements.length === 0 ? { missing: 'no_statements' as const } : {}),
    reasons: {
      statements: verdicts.map(({ statement, reason, verdict }) => ({ statement, reason, verdict: flag(verdict) })),
      ...(omitted === 0 ? {} : { statements_omitted: omitted }),
    },
  }
}

async function scoreRelevancy(record: EvaluateRecord, tools: ScoringTools, signal?: AbortSignal): Promise<MetricScore> {
  const { critic, models, embedding } = tools
  if (embedding === null) throw new ModelCallError('not_configured', 'evaluator_embed', 'no embedding model was chosen')
  const generated = await critic.generateQuestions(record.answer, STRICTNESS, signal)
  const texts = [record.question, ...generated.map(({ question }) => question)]
  const vectors = generated.length === 0 ? [] : await models.embed(embedding, texts, 'query', signal)
  if (generated.length > 0 && vectors.length !== texts.length)
    throw new ModelCallError('invalid_response', embedding, `${vectors.length} vectors for ${texts.length} texts`)
  const [asked, ...others] = vectors
  const similar = generated.map(({ question, noncommittal }, index) => ({
    question,
    noncommittal,
    cosine: cosine(asked!, others[index]!),
  }))
  const reasons = similar.map((entry) => ({
    question: entry.question,
    noncommittal: flag(entry.noncommittal),
    cosine: Number.isFinite(entry.cosine) ? entry.cosine : null,
  }))
  return { score: answerRelevancy(similar), reasons: { questions: reasons } }
}

async function scorePrecision(
  record: EvaluateRecord,
  { critic }: ScoringTools,
  signal?: AbortSignal,
): Promise<MetricScore> {
  const verdicts = []
  for (const context of record.contexts)
    verdicts.push(await critic.judgeUsefulness(record.question, context, record.ground_truth ?? '', signal))
  return {
    score: contextPrecision(verdicts.map(({ verdict }) => verdict)),
    reasons: { contexts: verdicts.map(({ reason, verdict }, index) => ({ index, reason, verdict: flag(verdict) })) },
  }
}

async function scoreRecall(
  record: EvaluateRecord,
  { critic }: ScoringTools,
  signal?: AbortSignal,
): Promise<MetricScore> {
  const verdicts = await critic.attributeReference(record.question, record.ground_truth ?? '', record.contexts, signal)
  return {
    score: contextRecall(verdicts.map(({ verdict }) => verdict)),
    reasons: {
      statements: verdicts.map(({ statement, reason, verdict }) => ({ statement, reason, attributed: flag(verdict) })),
    },
  }
}

/** True when a record holds what a metric needs. */
export function isEligible(metric: EvaluationMetric, record: EvaluateRecord): boolean {
  const { needs } = metricOfId(metric)
  if (needs.includes('contexts') && !record.contexts.some((context) => context.trim() !== '')) return false
  return !needs.includes('ground_truth') || (record.ground_truth ?? '').trim() !== ''
}

/** How each model-graded metric is computed. */
const SCORERS: Readonly<
  Record<EvaluationMetric, (record: EvaluateRecord, tools: ScoringTools, signal?: AbortSignal) => Promise<MetricScore>>
> = {
  faithfulness: scoreFaithfulness,
  answer_relevancy: scoreRelevancy,
  context_precision: scorePrecision,
  context_recall: scoreRecall,
}

/** Scores one metric of an eligible record. Throws what critic and model throw. */
export function scoreMetric(
  metric: EvaluationMetric,
  record: EvaluateRecord,
  tools: ScoringTools,
  signal?: AbortSignal,
): Promise<MetricScore> {
  return SCORERS[metric](record, tools, signal)
}
