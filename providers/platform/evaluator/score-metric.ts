import type { EvaluationMetric } from '../../../contract/common.ts'
import type { EvaluateRecord } from '../../../contract/http/evaluate.ts'
import type { Metric } from '../../../contract/metrics/metric.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { ModelCallError, type EmbeddingRole, type ModelHost } from '../models/model-host.ts'
import type { Critic, StatementVerdict, Verdict } from './critics/critic.ts'
import { distinct, type RecordJudgements } from './record-judgements.ts'
import type { JudgedSentence } from './score-citations.ts'
import {
  answerRelevancy,
  claimsF1,
  contextPrecision,
  contextRecall,
  cosine,
  faithfulness,
  hallucinationRate,
  share,
  STRICTNESS,
} from './metrics/formulas.ts'

/** A score with what it was made from. The score may be NaN: that is for the caller to report. */
export interface MetricScore {
  score: number
  /** Why there is none, where that is known better than by its not being a number. */
  missing?: 'no_statements' | 'needs_language_model'
  reasons: object
}

export interface ScoringTools {
  critic: Critic
  models: ModelHost
  embedding: EmbeddingRole | null
  judgements: RecordJudgements
}

const flag = (value: boolean): 0 | 1 => (value ? 1 : 0)
const verdictsOf = (judged: readonly { verdict: boolean }[]): boolean[] => judged.map(({ verdict }) => verdict)
const statementReasons = (judged: readonly StatementVerdict[]) =>
  judged.map(({ statement, reason, verdict }) => ({ statement, reason, verdict: flag(verdict) }))

/** An answer that claims nothing, such as a refusal, has nothing that could be graded. */
const missingOf = (judged: readonly unknown[]) => (judged.length === 0 ? { missing: 'no_statements' as const } : {})
const omittedOf = (omitted: number) => (omitted === 0 ? {} : { statements_omitted: omitted })
const unreadOf = (judged: readonly Verdict[]) => {
  const omitted = Math.max(0, ...judged.map(({ contextsOmitted = 0 }) => contextsOmitted))
  return omitted === 0 ? {} : { contexts_omitted: omitted }
}

async function scoreFaithfulness(_record: EvaluateRecord, { judgements }: ScoringTools): Promise<MetricScore> {
  const verdicts = await judgements.againstContexts()
  const { omitted } = await judgements.claims()
  return {
    score: faithfulness(verdictsOf(verdicts)),
    ...missingOf(verdicts),
    reasons: { statements: statementReasons(verdicts), ...omittedOf(omitted), ...unreadOf(verdicts) },
  }
}

async function scoreCorrectness(
  { question, answer }: EvaluateRecord,
  { critic, judgements }: ScoringTools,
  signal?: AbortSignal,
): Promise<MetricScore> {
  if (critic.judgeReference === undefined) return { score: Number.NaN, missing: 'needs_language_model', reasons: {} }
  const claims = await judgements.claims()
  const { statements, omitted } = await judgements.claimsOfReference()
  const ofAnswer = await judgements.againstReference()
  const states =
    claims.statements.length === 0
      ? statements.map((statement) => ({ statement, state: 'missing' as const, reason: 'the answer states nothing' }))
      : await critic.judgeReference(statements, question, answer, signal)
  return {
    score: claimsF1(
      verdictsOf(ofAnswer),
      states.map(({ state }) => state === 'supported'),
    ),
    reasons: {
      reference: states,
      answer: statementReasons(ofAnswer),
      ...omittedOf(omitted + claims.omitted),
    },
  }
}

async function scoreHallucination(_record: EvaluateRecord, { judgements }: ScoringTools): Promise<MetricScore> {
  const inContexts = await judgements.againstContexts()
  const correct = await judgements.againstReference()
  const { omitted } = await judgements.claims()
  const supported = inContexts.map((judged, index) => ({
    ...judged,
    ...(correct[index]!.verdict ? correct[index] : {}),
  }))
  return {
    score: hallucinationRate(verdictsOf(correct), verdictsOf(inContexts)),
    ...missingOf(inContexts),
    reasons: { statements: statementReasons(supported), ...omittedOf(omitted), ...unreadOf(inContexts) },
  }
}

/** The judged sentences of an answer; none of a refusal, which cites nothing because it claims nothing. */
async function sentencesOf({ judgements }: ScoringTools): Promise<JudgedSentence[]> {
  return (await judgements.refused()) === true ? [] : judgements.citations()
}

async function scoreCitationRecall(_record: EvaluateRecord, tools: ScoringTools): Promise<MetricScore> {
  const sentences = await sentencesOf(tools)
  const reasons = sentences.map(({ text, numbers, reason, verdict }) => ({
    statement: `${text}${numbers.map((number) => ` [${number}]`).join('')}`,
    reason,
    verdict: flag(verdict),
  }))
  return {
    score: share(verdictsOf(sentences)),
    ...missingOf(sentences),
    reasons: { statements: reasons, ...unreadOf(sentences) },
  }
}

async function scoreCitationPrecision(_record: EvaluateRecord, tools: ScoringTools): Promise<MetricScore> {
  const sentences = await sentencesOf(tools)
  const citations = sentences.flatMap(({ text, numbers, isNeeded }) =>
    numbers.map((number, at) => ({ statement: `[${number}] ${text}`, verdict: flag(isNeeded[at]!) })),
  )
  return {
    score:
      sentences.length === 0
        ? Number.NaN
        : citations.length === 0
          ? 0
          : share(citations.map(({ verdict }) => verdict === 1)),
    ...missingOf(sentences),
    reasons: { citations, ...unreadOf(sentences) },
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
  const { question, ground_truth: reference, contexts } = record
  const all = await critic.attributeReference(question, reference ?? '', contexts, signal)
  const verdicts = distinct(all, ({ statement }) => statement)
  return {
    score: contextRecall(verdicts.map(({ verdict }) => verdict)),
    reasons: {
      statements: verdicts.map(({ statement, reason, verdict }) => ({ statement, reason, attributed: flag(verdict) })),
      ...unreadOf(all),
    },
  }
}

/** True when a record holds what a metric needs. */
export function isEligible(metric: EvaluationMetric, record: EvaluateRecord): boolean {
  const { needs }: Metric = metricOfId(metric)
  if (needs.includes('contexts') && !record.contexts.some((context) => context.trim() !== '')) return false
  if (needs.includes('citations') && record.cited_answer === null) return false
  return !needs.includes('ground_truth') || (record.ground_truth ?? '').trim() !== ''
}

/** Defines how each model-graded metric is computed. */
const SCORERS: Readonly<
  Record<EvaluationMetric, (record: EvaluateRecord, tools: ScoringTools, signal?: AbortSignal) => Promise<MetricScore>>
> = {
  faithfulness: scoreFaithfulness,
  answer_relevancy: scoreRelevancy,
  context_precision: scorePrecision,
  context_recall: scoreRecall,
  answer_correctness: scoreCorrectness,
  hallucination_rate: scoreHallucination,
  citation_recall: scoreCitationRecall,
  citation_precision: scoreCitationPrecision,
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
