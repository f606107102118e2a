import { z } from 'zod'
import type { ModelHost } from '../../models/model-host.ts'
import { parseExtractReply, renderExtractTask } from '../../models/prompts/extract-task.ts'
import type { Extraction } from '../../models/prompts/extract-task.ts'
import { GraphEngineError } from '../errors.ts'
import type { StoredChunk } from '../storage/extraction-store.ts'

const replyText = z.string().min(1)

/**
 * What the model finds in one chunk. A reply that cannot be read is asked for again, `attempts` times in all. Throws
 * `ModelCallError`, or `GraphEngineError` `model_answer_invalid`.
 */
export async function extractChunk(
  chunk: Pick<StoredChunk, 'title' | 'content'>,
  models: ModelHost,
  attempts: number,
  signal?: AbortSignal,
): Promise<Extraction> {
  const messages = renderExtractTask({ title: chunk.title, text: chunk.content })
  for (let attempt = 1; ; attempt += 1) {
    const completion = await models.chat('graph_extract', { messages, temperature: 0 }, signal)
    const text = replyText.safeParse(completion.choices[0]?.message.content)
    const reply = text.success
      ? parseExtractReply(text.data)
      : ({ ok: false, message: 'the reply holds no text' } as const)
    if (reply.ok) return reply.value
    if (attempt >= attempts) {
      throw new GraphEngineError(
        'model_answer_invalid',
        `the extraction model's reply cannot be used: ${reply.message}`,
      )
    }
  }
}
