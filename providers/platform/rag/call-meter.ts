import type { TokenUsage } from '../../../contract/index.ts'
import type { ModelRole } from '../../../contract/index.ts'
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
}

export interface CallMeter {
  models: ModelHost
  /** Adds what another process spent on this request, by its own report. */
  addRemote: (calls: RemoteCalls) => void
  counts(): CallCounts
}

/** A view of the model host that counts what passes through it. */
export function meterCalls(host: ModelHost): CallMeter {
  const counts: CallCounts = { llmCalls: 0, cloudCalls: 0, embedCalls: 0, rerankCalls: 0, usage: null }
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
      return completion
    },
    rerank: (query, texts, signal, pool) => {
      count('rerankCalls', 'rerank')
      return host.rerank(query, texts, signal, pool)
    },
    isCloud: (role) => host.isCloud(role),
    isBuiltin: (role) => host.isBuiltin(role),
    modelName: (role) => host.modelName(role),
    resolved: () => host.resolved(),
    usage: () => host.usage(),
    close: () => host.close(),
  }
  const addRemote = ({ llmCalls, cloudCalls, usage }: RemoteCalls) => {
    counts.llmCalls += llmCalls
    counts.cloudCalls += cloudCalls
    addUsage(usage ?? undefined)
  }
  return { models, addRemote, counts: () => ({ ...counts, usage: counts.usage === null ? null : { ...counts.usage } }) }
}
