import type { ChatCompletion } from '../../../contract/http/chat.ts'
import { contentAfter } from '../http/text-frames.ts'
import type { StreamedText } from '../http/text-frames.ts'

/** About this many characters of content per chunk. */
const PIECE_LENGTH = 80

/**
 * A finished completion as the server-sent events of a streaming model: the role, the content in pieces, tool calls, the finish
 * reason, the usage where it was asked for, `[DONE]`. Text that was streamed before is left out.
 */
export function completionFrames(
  completion: ChatCompletion,
  includeUsage: boolean,
  streamed: StreamedText | null = null,
): string[] {
  const { choices, usage, ...head } = completion
  const chunk = (fields: object) => frame({ ...head, object: 'chat.completion.chunk', ...streamed?.head, ...fields })
  const deltas = choices.flatMap((choice) =>
    deltasOf(choice.message, streamed).map((delta) =>
      chunk({ choices: [{ index: choice.index, delta, finish_reason: null }] }),
    ),
  )
  const ends = choices.map(({ index, finish_reason }) => chunk({ choices: [{ index, delta: {}, finish_reason }] }))
  const usageFrames = includeUsage ? [chunk({ choices: [], usage: usage ?? null })] : []
  return [...deltas, ...ends, ...usageFrames, 'data: [DONE]\n\n']
}

function deltasOf(message: ChatCompletion['choices'][number]['message'], streamed: StreamedText | null): object[] {
  const toolCalls = message.tool_calls?.map((call, index) => ({ index, ...call }))
  const content = message.content ?? ''
  return [
    ...(streamed === null ? [{ role: 'assistant', content: message.content === null ? null : '' }] : []),
    ...pieces(streamed === null ? content : contentAfter(content, streamed)).map((piece) => ({ content: piece })),
    ...(toolCalls === undefined ? [] : [{ tool_calls: toolCalls }]),
  ]
}

/** Pieces that end after white space where there is some; together they are the text again. */
function pieces(text: string): string[] {
  return text.match(new RegExp(`[^]{1,${PIECE_LENGTH}}(?:\\s|$)|[^]{1,${PIECE_LENGTH}}`, 'gu')) ?? []
}

function frame(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`
}
