import { setTimeout as delay } from 'node:timers/promises'
import { ChatCompletion } from '../../../contract/http/chat.ts'
import { TrialReport, type Trial } from '../../../contract/http/trial.ts'
import type { RagExtension } from '../../../contract/evidence/rag-extension.ts'
import type { TrialFigures, TunedMetric } from '../../../contract/evidence/tuning.ts'
import type { EvidenceCapability } from '../../../contract/common.ts'
import type { Question } from '../../../contract/manifests/queries.ts'
import { RETRIEVAL_METRICS } from '../../../contract/metrics/metrics.ts'
import { canonicalJson } from '../../../core/canonical-json.ts'
import { describeIssues } from '../../../core/issues.ts'
import { scoreAnswer } from '../../evaluation/answer-scores.ts'
import { scoreRetrieval } from '../../evaluation/retrieval-scores.ts'
import type { GatewayClient } from '../../lib/services/gateway-client.ts'
import { rowQuestion } from '../cells/ladder-cells.ts'

export const isRetrievalMetric = (metric: string): metric is (typeof RETRIEVAL_METRICS)[number] =>
  RETRIEVAL_METRICS.some((each) => each === metric)

export interface TrialCall {
  client: GatewayClient
  alias: string
  capability: EvidenceCapability
  contextBudget: number
  metric: TunedMetric
  questions: readonly Question[]
  concurrency: number
  timeoutMs: number
  retries: number
  ready: () => Promise<void>
  stop: AbortSignal
}

interface Asked {
  score: number | null
  tokens: number | null
  seconds: number | null
  failure: string | null
  report: TrialReport | null
  chats: number
  wallMs: number
}

const RETRY_PAUSE_MS = 500

/**
 * Asks all questions of some trials, question by question, some at once: what the platform remembers of a question serves all of its trials. They take turns in being the first, so that
 * none pays for the others. Throws the signal's reason: what is not finished is not kept.
 */
export async function askTrials(call: TrialCall, trials: readonly Trial[]): Promise<TrialFigures[]> {
  const asked = trials.map((): Asked[] => [])
  let next = 0
  const work = async (): Promise<void> => {
    for (let at = next++; at < call.questions.length; at = next++)
      for (let turn = 0; turn < trials.length; turn += 1) {
        call.stop.throwIfAborted()
        const trial = (at + turn) % trials.length
        asked[trial]![at] = await askQuestion(call, trials[trial]!, call.questions[at]!)
      }
  }
  await Promise.all(Array.from({ length: Math.min(call.concurrency, call.questions.length) }, work))
  call.stop.throwIfAborted()
  return asked.map(figuresOf)
}

function figuresOf(asked: readonly Asked[]): TrialFigures {
  const failures = asked.flatMap(({ failure }) => failure ?? [])
  const sum = (of: (each: Asked) => number): number => asked.reduce((total, each) => total + of(each), 0)
  return {
    scores: asked.map(({ score }) => score),
    tokens: asked.map(({ tokens }) => tokens),
    seconds: asked.map(({ seconds }) => seconds),
    failed: failures.length,
    failure: failures[0] ?? null,
    calls: {
      questions: asked.length,
      embedded: sum(({ report }) => report?.embedded ?? 0),
      reranked: sum(({ report }) => report?.reranked ?? 0),
      chats: sum(({ chats }) => chats),
    },
    wall_ms: Math.round(sum(({ wallMs }) => wallMs)),
  }
}

async function askQuestion(call: TrialCall, trial: Trial, question: Question): Promise<Asked> {
  const started = performance.now()
  const asked = await askPlatform(call, trial, question)
  return { ...asked, wallMs: performance.now() - started }
}

type Reply = Omit<Asked, 'wallMs'>

async function askPlatform(call: TrialCall, trial: Trial, question: Question): Promise<Reply> {
  const { client, alias, contextBudget, timeoutMs, retries, ready, stop } = call
  const payload = {
    model: alias,
    messages: [{ role: 'user', content: question.query }],
    stream: false,
    cache: { 'no-cache': true, 'no-store': true },
    context_budget: contextBudget,
    trial,
  }
  for (let attempt = 0; ; attempt += 1) {
    await ready()
    const reply = await client.chat(payload, timeoutMs, stop)
    stop.throwIfAborted()
    if (reply.ok) return readReply(reply.body, call, trial, question)
    const mayPass = reply.status === null || reply.status === 429 || reply.status >= 500
    if (!mayPass || attempt >= retries) return failed(`${question.id}: ${reply.message}`)
    await delay(reply.retryAfterMs ?? RETRY_PAUSE_MS * 2 ** attempt, undefined, { signal: stop })
  }
}

const failed = (failure: string): Reply => ({
  score: null,
  tokens: null,
  seconds: null,
  failure,
  report: null,
  chats: 0,
})

function readReply(body: unknown, call: TrialCall, trial: Trial, question: Question): Reply {
  const parsed = ChatCompletion.safeParse(body)
  const extension = parsed.data?.rag_extension
  if (extension === undefined)
    return failed(
      `${question.id}: ${parsed.success ? 'no evidence' : describeIssues(parsed.error).slice(0, 3).join('; ')}`,
    )
  const report = TrialReport.safeParse(extension['trial'])
  if (!report.success || !isAsAsked(report.data, trial))
    return failed(`${question.id}: the platform did not confirm the parameters of the trial`)
  const { context_tokens: tokens = null, context_budget: budget, seconds, llm_calls: chats } = extension.metrics
  if (budget !== call.contextBudget)
    return failed(`${question.id}: the approach did not confirm the budget of ${call.contextBudget} tokens`)
  return {
    score: scoreOf(extension, call, question),
    tokens,
    seconds: Math.max(0, seconds - report.data.embed_seconds),
    failure: null,
    report: report.data,
    chats,
  }
}

const isAsAsked = ({ parameters, profile, answer }: TrialReport, trial: Trial): boolean =>
  canonicalJson({ parameters, profile, answer }) === canonicalJson(trial)

/** The score of the metric; null where the question cannot be scored by it. */
function scoreOf(extension: RagExtension, { metric, capability }: TrialCall, question: Question): number | null {
  if (!isRetrievalMetric(metric)) return scoreAnswer(extension.answer, rowQuestion(question)).scores[metric] ?? null
  const texts = extension.sources.map((source) => source.text ?? source.snippet)
  const hasContexts = capability !== 'answer_only' && texts.some((text) => text.trim() !== '')
  const { scores } = scoreRetrieval({
    capability,
    gold: question.gold,
    sources: hasContexts ? extension.sources : [],
    contexts: hasContexts ? texts : [],
    usedPassages: extension.used_passages ?? null,
  })
  return scores[metric] ?? null
}
