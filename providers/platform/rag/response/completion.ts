import { randomUUID } from 'node:crypto'
import { TOKEN_ESTIMATE } from '../../../../contract/evidence/context-budget.ts'
import type { RagExtension, RagSource, ServerMetrics } from '../../../../contract/evidence/rag-extension.ts'
import type { ChatCompletion, ChatRequest } from '../../../../contract/http/chat.ts'
import { contentAfter } from '../../http/text-frames.ts'
import type { StreamedText } from '../../http/text-frames.ts'
import type { ApproachAnswer } from '../approach.ts'
import type { CallCounts } from '../call-meter.ts'
import { type AnswerLimits, limitAnswer } from './answer-limits.ts'

/**
 * An approach's answer in chat-completions form with `rag_extension`. `usage` sums what the chat calls reported; when none did it
 * is left out, because unknown is not zero. Sources and metrics are rendered after the answer where the request's limits leave room.
 */
export function completionOf(
  alias: string,
  result: ApproachAnswer,
  calls: CallCounts & { waitedMs?: number },
  seconds: number,
  limits: AnswerLimits & Pick<ChatRequest, 'context_budget'> = {},
): ChatCompletion {
  const { llmCalls, cloudCalls, firstTokenS, tokensPerSecond, reasoningTokens, modelUsage } = calls
  const { schemaReplies, validSchemaReplies, waitedMs = 0 } = calls
  const isCut = calls.isCut || result.isCut === true
  const metrics = {
    seconds,
    chunks: result.chunks,
    llm_calls: llmCalls,
    cloud_calls: cloudCalls,
    ...(firstTokenS === null ? {} : { first_token_s: firstTokenS }),
    ...(tokensPerSecond === null ? {} : { tokens_per_second: tokensPerSecond }),
    ...(reasoningTokens === 0 ? {} : { reasoning_tokens: reasoningTokens }),
    ...(schemaReplies === 0 ? {} : { schema_replies: schemaReplies, schema_replies_valid: validSchemaReplies }),
    ...(modelUsage.length === 0 ? {} : { model_usage: modelUsage }),
    ...(waitedMs === 0 ? {} : { waited_s: waitedMs / 1000 }),
    ...(isCut ? { is_cut: true as const } : {}),
    ...handedOver(result.contextTokens, limits.context_budget),
  }
  const { answer, finishReason, allows } = limitAnswer(result.answer, limits)
  const rendered = renderContent(answer, result.sources, metrics)
  const extension: RagExtension = {
    schema_version: 1,
    answer,
    sources: result.sources,
    metrics,
    ...result.metadata,
  }
  return {
    id: `chatcmpl-${randomUUID()}`,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: alias,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: allows(rendered) ? rendered : answer },
        finish_reason: isCut ? 'length' : finishReason,
      },
    ],
    ...(calls.usage === null ? {} : { usage: calls.usage }),
    rag_extension: extension,
  }
}

/** Returns what the answer was written from; the budget is confirmed only where it was kept. */
function handedOver(tokens: number | null, budget: number | undefined): Partial<ServerMetrics> {
  if (tokens === null) return {}
  const isKept = budget !== undefined && tokens <= budget
  return {
    context_tokens: tokens,
    context_tokens_by: TOKEN_ESTIMATE,
    ...(isKept ? { context_budget: budget } : {}),
  }
}

/**
 * The same completion as server-sent events: one chunk with the whole content, or what is left of it after the text that was streamed, and the
 * evidence, then `[DONE]`.
 */
export function streamFrames(completion: ChatCompletion, streamed: StreamedText | null = null): string[] {
  const { choices, ...head } = completion
  const chunk = {
    ...head,
    object: 'chat.completion.chunk',
    ...streamed?.head,
    choices: choices.map(({ index, message, finish_reason }) => ({
      index,
      delta:
        streamed === null
          ? { role: message.role, content: message.content }
          : { content: contentAfter(message.content ?? '', streamed) },
      finish_reason,
    })),
  }
  return [`data: ${JSON.stringify(chunk)}\n\n`, 'data: [DONE]\n\n']
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** One line of text that cannot end the block it is in, whatever a document contains. */
function inert(text: string): string {
  return text
    .replace(/[&<>]/g, (character) => ENTITIES[character]!)
    .replace(/\s+/g, ' ')
    .trim()
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

function sourceBlock(sources: readonly RagSource[]): string[] {
  if (sources.length === 0) return []
  const entries = sources.map(({ title, snippet, score }, index) => {
    const shown = score === null ? '' : ` (score ${score.toFixed(4)})`
    return `${index + 1}. **${inert(title)}**${shown}\n   > ${inert(snippet)}`
  })
  return [`<details>\n<summary>Sources (${sources.length})</summary>\n\n${entries.join('\n\n')}\n\n</details>`]
}

function metricsFooter(metrics: ServerMetrics): string {
  const parts = [
    `${metrics.seconds.toFixed(2)} s`,
    counted(metrics.chunks, 'chunk', 'chunks'),
    counted(metrics.llm_calls, 'LLM call', 'LLM calls'),
    counted(metrics.cloud_calls, 'cloud call', 'cloud calls'),
  ]
  return `_${parts.join(' · ')}_`
}

/** Returns what a chat window shows: answer, folded sources, one line of cost. The structured evidence beside it is the truth. */
export function renderContent(answer: string, sources: readonly RagSource[], metrics: ServerMetrics): string {
  return [answer, ...sourceBlock(sources), metricsFooter(metrics)].join('\n\n')
}
