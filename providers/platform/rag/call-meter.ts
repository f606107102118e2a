import { z } from 'zod'
import type { ChatCompletion, ModelRole, TokenUsage } from '../../../contract/index.ts'
import type { ModelHost } from '../models/model-host.ts'
import type { RemoteCalls } from './graph/graph-queries.ts'

/** Model calls of one request. A call counts when it starts, so that failed ones are in it too. */
export interface CallCounts {
  /** Chat calls. */
  llmCalls: number
  /** Calls of any kind to a model declared as a paid service. */
  cloudCalls: number
  embedCalls: number
  rerankCalls: number
  /** Sum over the chat calls that reported it; null when none did. */
  usage: TokenUsage | null
  /** From the start of the request to the first token of its last chat call; null where that call does not report when its tokens came. */
  firstTokenS: number | null
  /** Of all chat calls that report it, without their first tokens; null when none does. */
  tokensPerSecond: number | null
}

/** When tokens came, in the words of llama.cpp's server; the GGUF backend reports it too. */
const Timed = z.looseObject({
  timings: z.looseObject({ predicted_n: z.int().min(1), predicted_ms: z.number().min(0) }),
})

export interface CallMeter {
  models: ModelHost
  /** Adds what another process spent on this request, by its own report. */
  addRemote: (calls: RemoteCalls) => void
  counts(): CallCounts
}

/** A view of the model host that counts what passes through it. */
export function meterCalls(host: ModelHost): CallMeter {
  const counts = { llmCalls: 0, cloudCalls: 0, embedCalls: 0, rerankCalls: 0, usage: null as TokenUsage | null }
  const started = performance.now()
  const timed = { firstTokenMs: null as number | null, tokens: 0, ms: 0 }
  const addTimings = (completion: ChatCompletion): void => {
    const parsed = Timed.safeParse(completion)
    if (!parsed.success) {
      timed.firstTokenMs = null
      return
    }
    const { predicted_n: tokens, predicted_ms: ms } = parsed.data.timings
    timed.firstTokenMs = Math.max(0, performance.now() - started - ms)
    timed.tokens += tokens - 1
    timed.ms += ms
  }
  const count = (kind: 'llmCalls' | 'embedCalls' | 'rerankCalls', role: ModelRole) => {
    counts[kind] += 1
    if (host.isCloud(role)) counts.cloudCalls += 1
  }
  const addUsage = (usage: TokenUsage | undefined) => {
    if (usage === undefined) return
    counts.usage = {
      prompt_tokens: (counts.usage?.prompt_tokens ?? 0) + usage.prompt_tokens,
      completion_tokens: (counts.usage?.completion_tokens ?? 0) + usage.completion_tokens,
      total_tokens: (counts.usage?.total_tokens ?? 0) + usage.total_tokens,
    }
  }
  const models: ModelHost = {
    embed: (role, texts, side, signal, statistics) => {
      count('embedCalls', role)
      return host.embed(role, texts, side, signal, statistics)
    },
    chat: async (role, request, signal) => {
      count('llmCalls', role)
      const completion = await host.chat(role, request, signal)
      addUsage(completion.usage)
      addTimings(completion)
      return completion
    },
    rerank: (query, texts, signal, pool) => {
      count('rerankCalls', 'rerank')
      return host.rerank(query, texts, signal, pool)
    },
    isCloud: (role) => host.isCloud(role),
    isBuiltin: (role) => host.isBuiltin(role),
    modelName: (role) => host.modelName(role),
    embeddingSpace: () => host.embeddingSpace(),
    resolved: () => host.resolved(),
    usage: () => host.usage(),
    close: () => host.close(),
  }
  const addRemote = ({ llmCalls, cloudCalls, usage }: RemoteCalls) => {
    counts.llmCalls += llmCalls
    counts.cloudCalls += cloudCalls
    addUsage(usage ?? undefined)
  }
  return {
    models,
    addRemote,
    counts: () => ({
      ...counts,
      usage: counts.usage === null ? null : { ...counts.usage },
      firstTokenS: timed.firstTokenMs === null ? null : timed.firstTokenMs / 1000,
      tokensPerSecond: timed.tokens === 0 || timed.ms === 0 ? null : (timed.tokens / timed.ms) * 1000,
    }),
  }
}
