import { z } from 'zod'
import type { TokenUsage } from '../../../contract/evidence/canonical-row.ts'
import { joinedUsage, usageOfCall, usageOfTexts, type ModelUsage } from '../../../contract/evidence/model-usage.ts'
import type { ChatCompletion, ChatMessage } from '../../../contract/http/chat.ts'
import type { ModelRole } from '../../../contract/manifests/models.ts'
import type { ChatRole, ModelHost } from '../models/model-host.ts'
import { modelCall, type Tries } from '../models/model-waits.ts'
import { parseJsonReply } from '../models/prompts/json-reply.ts'

/** Calls that a service in another process made for a request, as it reported them. */
export interface RemoteCalls {
  llmCalls: number
  cloudCalls: number
  /** Null when it reported no token counts. */
  usage: TokenUsage | null
  /** Holds what each of its models used; null where it does not report it. */
  models: ModelUsage[] | null
}

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
  /** From the start of the request to the first token of its last chat call; null where it is unknown when its tokens came. */
  firstTokenS: number | null
  /** Of all chat calls of which it is known, without their first tokens; null when none does. */
  tokensPerSecond: number | null
  /** Tokens of reasoning, as the models report them. */
  reasoningTokens: number
  /** Replies of models, not rules, that a JSON schema was sent for, and those that fit it. */
  schemaReplies: number
  validSchemaReplies: number
  /** Holds what each model used; rules are left out. */
  modelUsage: ModelUsage[]
  /** True when the last chat call, which writes the answer, ended at its limit of tokens. */
  isCut: boolean
}

/** Describes when tokens came, in the words of llama.cpp's server; the GGUF backend reports it too. */
const Timed = z.looseObject({
  timings: z.looseObject({ predicted_n: z.int().min(1), predicted_ms: z.number().min(0) }),
})

type TokenCounts = Pick<TokenUsage, 'prompt_tokens' | 'completion_tokens'>

export interface CallMeter {
  models: ModelHost
  /** Adds what another process spent on this request, by its own report. */
  addRemote: (calls: RemoteCalls) => void
  counts(): CallCounts
  /** The last chat call, which writes the answer; null before the first one. */
  lastChat(): { role: ChatRole; messages: readonly ChatMessage[] } | null
}

/** A view of the model host that counts what passes through it. */
export function meterCalls(host: ModelHost): CallMeter {
  const counts = { llmCalls: 0, cloudCalls: 0, embedCalls: 0, rerankCalls: 0, usage: null as TokenUsage | null }
  const replies = { reasoningTokens: 0, schemaReplies: 0, validSchemaReplies: 0, isCut: false }
  const started = performance.now()
  const used: ModelUsage[] = []
  /** Tokens of a call: unknown until its answer reports them, and for good where it fails. */
  const addModel = (role: ModelRole, tokens: TokenCounts | null, { count: tries }: Tries): void => {
    if (host.isBuiltin(role)) return
    // Tries that the service refused are calls of it, but no calls of the approach.
    const usage = usageOfCall(host.modelName(role), host.isCloud(role), tokens)
    used.push({ ...usage, calls: Math.max(1, tries) })
  }
  let lastChat: ReturnType<CallMeter['lastChat']> = null
  const timed = { firstTokenMs: null as number | null, tokens: 0, ms: 0 }
  /** A model's own times are exact; otherwise the arrival of its first piece counts, and what it reports of its usage. */
  const addTimes = (completion: ChatCompletion, firstAt: number | null): void => {
    const now = performance.now()
    const parsed = Timed.safeParse(completion)
    const ms = parsed.success ? parsed.data.timings.predicted_ms : firstAt === null ? null : now - firstAt
    timed.firstTokenMs = ms === null ? null : Math.max(0, now - started - ms)
    const tokens = parsed.success ? parsed.data.timings.predicted_n : (completion.usage?.completion_tokens ?? 0)
    if (ms === null || tokens < 1) return
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
    ...host,
    embed: async (role, texts, side, signal, statistics) => {
      count('embedCalls', role)
      let tokens: TokenCounts | null = null
      const tries = { count: 0 }
      try {
        return await modelCall(
          () =>
            host.embed(role, texts, side, signal, statistics, (total, how) => {
              tokens = usageOfTexts(total, how)
            }),
          tries,
        )
      } finally {
        addModel(role, tokens, tries)
      }
    },
    chat: async (role, request, signal, onText) => {
      count('llmCalls', role)
      lastChat = { role, messages: request.messages }
      let firstAt: number | null = null
      const tries = { count: 0 }
      const asked = modelCall(
        () =>
          host.chat(role, request, signal, (piece) => {
            firstAt ??= performance.now()
            onText?.(piece)
          }),
        tries,
      )
      const completion = await asked.catch((error: unknown) => {
        addModel(role, null, tries)
        throw error
      })
      addUsage(completion.usage)
      addModel(role, completion.usage ?? null, tries)
      addTimes(completion, firstAt)
      replies.isCut = completion.choices[0]?.finish_reason === 'length'
      replies.reasoningTokens += reasoningTokens(completion)
      if (request.reply_schema !== undefined && !host.isBuiltin(role)) {
        replies.schemaReplies += 1
        if (fits(completion, request.reply_schema)) replies.validSchemaReplies += 1
      }
      return completion
    },
    rerank: (query, texts, signal, pool) => {
      count('rerankCalls', 'rerank')
      const tries = { count: 0 }
      return modelCall(() => host.rerank(query, texts, signal, pool), tries).finally(() =>
        addModel('rerank', null, tries),
      )
    },
  }
  const addRemote = ({ llmCalls, cloudCalls, usage, models: named }: RemoteCalls) => {
    counts.llmCalls += llmCalls
    counts.cloudCalls += cloudCalls
    if (named !== null) used.push(...named)
    else if (llmCalls > 0) used.push({ ...usageOfCall(null, cloudCalls > 0, usage), calls: llmCalls })
    addUsage(usage ?? undefined)
  }
  return {
    models,
    addRemote,
    lastChat: () => lastChat,
    counts: () => ({
      ...counts,
      ...replies,
      modelUsage: joinedUsage(used),
      usage: counts.usage === null ? null : { ...counts.usage },
      firstTokenS: timed.firstTokenMs === null ? null : timed.firstTokenMs / 1000,
      tokensPerSecond: timed.tokens === 0 || timed.ms === 0 ? null : (timed.tokens / timed.ms) * 1000,
    }),
  }
}

const Reasoning = z.looseObject({
  usage: z.looseObject({ completion_tokens_details: z.looseObject({ reasoning_tokens: z.int().min(0) }) }),
})

function reasoningTokens(completion: ChatCompletion): number {
  const parsed = Reasoning.safeParse(completion)
  return parsed.success ? parsed.data.usage.completion_tokens_details.reasoning_tokens : 0
}

function fits(completion: ChatCompletion, schema: object): boolean {
  const text = completion.choices[0]?.message.content ?? ''
  return parseJsonReply(text, z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])).ok
}
