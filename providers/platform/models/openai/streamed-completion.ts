import { z } from 'zod'
import { DONE } from '../../../../core/http/event-stream.ts'
import { Content } from '../../../../core/received-completion.ts'

const Chunk = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        index: z.int().nullish(),
        finish_reason: z.string().nullish(),
        error: z.unknown().optional(),
        delta: z
          .looseObject({
            content: Content.nullish(),
            /** Reasoning apart from the answer: DeepSeek's name, and that of OpenRouter and vLLM. */
            reasoning_content: z.string().nullish(),
            reasoning: z.string().nullish(),
          })
          .nullish(),
      }),
    )
    .nullish(),
})

export class StreamFault extends Error {
  override readonly name = 'StreamFault'
}

/**
 * Puts the chunks of one streamed chat completion together. Pieces of text go to `onText` as they arrive, but for those of the chunk that ends the
 * answer. Choices other than the first and tool calls are not read: no caller that streams asks for them.
 */
export function createStreamedCompletion(onText: (piece: string) => void) {
  const head: Record<string, unknown> = {}
  const text = { answer: '', reasoning: '' }
  let finish: string | null = null
  let isDone = false
  return {
    /** Takes the data of one event. Throws `StreamFault` for an error that the service reports, and for what is not a chunk. */
    add(data: string): void {
      // Some services send events without data between the others.
      if (data.trim() === '') return
      if (data === DONE) {
        isDone = true
        return
      }
      const { choices, ...fields } = parseChunk(data)
      // Chunks repeat these; usage and evidence are in the last one.
      for (const [name, value] of Object.entries(fields)) if (value !== null && value !== undefined) head[name] = value
      const choice = choices?.find(({ index }) => (index ?? 0) === 0)
      if (choice === undefined) return
      if (choice.finish_reason === 'error')
        throw new StreamFault(faultOf(choice.error) ?? 'the service reported an error')
      const piece = choice.delta?.content ?? ''
      text.answer += piece
      text.reasoning += choice.delta?.reasoning_content ?? choice.delta?.reasoning ?? ''
      finish = choice.finish_reason ?? finish
      if (piece !== '' && (choice.finish_reason ?? null) === null) onText(piece)
    },
    /** True once the service has said why the answer ends: only its usage can follow. */
    get isFinished(): boolean {
      return finish !== null
    },
    /** The whole completion in the form of an answer that was not streamed. Throws `StreamFault` when the stream broke off. */
    whole(): object {
      if (finish === null && !isDone) throw new StreamFault('the stream ended before the answer did')
      const { object: _object, ...fields } = head
      const reasoning = text.reasoning === '' ? {} : { reasoning_content: text.reasoning }
      const message = { role: 'assistant', content: text.answer, ...reasoning }
      return { ...fields, choices: [{ index: 0, finish_reason: finish ?? 'stop', message }] }
    },
  }
}

/** The sentence of an error that a service reports inside an answer; null where it has none. */
export function faultOf(error: unknown): string | null {
  const message = typeof error === 'string' ? error : (error as { message?: unknown } | null | undefined)?.message
  return typeof message === 'string' ? message.slice(0, 300) : null
}

function parseChunk(data: string): z.output<typeof Chunk> {
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    throw new StreamFault('an event of the stream is not JSON')
  }
  const error = (value as { error?: unknown } | null)?.error
  if (error !== undefined && error !== null) throw new StreamFault(faultOf(error) ?? 'the stream reported an error')
  const chunk = Chunk.safeParse(value)
  if (!chunk.success) throw new StreamFault('an event of the stream is not a completion chunk')
  return chunk.data
}
