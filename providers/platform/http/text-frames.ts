import { randomUUID } from 'node:crypto'

/** Describes what a stream has sent of its answer: the fields that all its chunks share, and the text. */
export interface StreamedText {
  head: { id: string; object: 'chat.completion.chunk'; created: number; model: string }
  text: string
}

/** Chunks of one streamed completion with the text of its answer, before its last ones. */
export function createTextFrames(model: string) {
  const created = Math.floor(Date.now() / 1000)
  const head = { id: `chatcmpl-${randomUUID()}`, object: 'chat.completion.chunk' as const, created, model }
  let text = ''
  return {
    /** The frame of one piece of text. */
    of(piece: string): string {
      const delta = text === '' ? { role: 'assistant', content: piece } : { content: piece }
      text += piece
      const chunk = { ...head, choices: [{ index: 0, delta, finish_reason: null }] }
      return `data: ${JSON.stringify(chunk)}\n\n`
    },
    /** Null while nothing was sent. */
    sent: (): StreamedText | null => (text === '' ? null : { head, text }),
  }
}

/** Returns what is left of a content after the text that was sent. A content that does not begin with it, as after a repair, is sent whole. */
export function contentAfter(content: string, { text }: StreamedText): string {
  return content.startsWith(text) ? content.slice(text.length) : `\n\n${content}`
}
