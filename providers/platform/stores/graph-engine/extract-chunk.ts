import { GLEANINGS } from './extractor.ts'
import { isTooLong, type ModelCallError, type ModelHost } from '../../models/model-host.ts'
import { askForJson } from '../../models/ask-for-json.ts'
import type { ChatMessage } from '../../../../contract/http/chat.ts'
import {
  extractReplySchema,
  isFull,
  parseExtractReply,
  renderExtractTask,
  renderGleaning,
} from '../../models/prompts/extract-task.ts'
import type { ReadExtraction } from '../../models/prompts/extract-task.ts'
import { normalName } from './resolution/names.ts'
import type { ChunkExtraction, StoredChunk } from './stored-graph.ts'
import { splitDocument } from './documents.ts'
import { GraphEngineError } from './errors.ts'

/** Text below which a reply that is cut again is no matter of size. */
const LEAST_CHARS = 400

/**
 * Returns what the model finds in one chunk. A reply that cannot be used is asked for again; for each half of the text, down to a few sentences, where it was
 * cut, its lists are as long as they may be, or the text does not fit into the window of the model. Throws `ModelCallError`, or `GraphEngineError` `model_answer_invalid` or `model_answer_cut`.
 */
export async function extractChunk(
  { title, content }: Pick<StoredChunk, 'title' | 'content'>,
  models: ModelHost,
  types: readonly string[] | undefined,
  signal?: AbortSignal,
  gleanings = GLEANINGS,
): Promise<ChunkExtraction> {
  const messages = renderExtractTask({ title, text: content, types })
  const request = { messages, temperature: 0, reply_schema: extractReplySchema(types) }
  let tooLong = null as ModelCallError | null
  const reply = await askForJson(models, 'graph_extract', request, parseExtractReply, signal).catch(
    (error: unknown) => {
      if (!isTooLong(error)) throw error
      tooLong = error
      return { ok: false, code: 'cut_off', message: error.message } as const
    },
  )
  const isWhole = reply.ok && (!isFull(reply.value) || models.isBuiltin('graph_extract'))
  if (isWhole) return { ...(await gleaned(request, reply.value, models, signal, gleanings)), truncated: false }
  if (!reply.ok && reply.code !== 'cut_off')
    throw new GraphEngineError('model_answer_invalid', `the extraction model's reply cannot be used: ${reply.message}`)
  const halves = content.length < 2 * LEAST_CHARS ? [] : splitDocument(content, Math.ceil(content.length / 2))
  if (halves.length < 2 && reply.ok) return { ...reply.value, truncated: true }
  if (halves.length < 2 && tooLong !== null) throw tooLong
  if (halves.length < 2)
    throw new GraphEngineError(
      'model_answer_cut',
      `the extraction model's reply to ${content.length} characters of text cannot be used: ${reply.ok ? '' : reply.message}. Give the model of graph_extract more room (max_tokens), or choose another`,
    )
  const parts: ChunkExtraction[] = []
  for (const half of halves)
    parts.push(await extractChunk({ title, content: half.content }, models, types, signal, gleanings))
  return {
    entities: parts.flatMap(({ entities }) => entities),
    relations: parts.flatMap(({ relations }) => relations),
    dropped: parts.reduce((sum, { dropped }) => sum + dropped, 0),
    truncated: true,
  }
}

/**
 * An extraction with what the model adds when it is asked for what is missing. A further reply that cannot be used, or a request that does not fit into the window,
 * adds nothing, and is counted.
 */
async function gleaned(
  request: { messages: ChatMessage[]; temperature: number; reply_schema: object },
  first: ReadExtraction,
  models: ModelHost,
  signal: AbortSignal | undefined,
  gleanings: number,
): Promise<ReadExtraction> {
  let found = first
  for (let time = 0; time < gleanings && !models.isBuiltin('graph_extract'); time += 1) {
    const messages = renderGleaning(request.messages, found)
    const completion = await models.chat('graph_extract', { ...request, messages }, signal).catch((error: unknown) => {
      if (isTooLong(error)) return null
      throw error
    })
    const reply = parseExtractReply(completion?.choices[0]?.message.content ?? '')
    if (!reply.ok) return { ...found, dropped: found.dropped + 1 }
    found = joined(found, reply.value)
  }
  return found
}

/** Entities and pairs that are known already stay as they are. */
function joined(first: ReadExtraction, more: ReadExtraction): ReadExtraction {
  const pairOf = ({ source, target }: { source: string; target: string }): string =>
    JSON.stringify([normalName(source), normalName(target)].toSorted())
  const names = new Set(first.entities.map(({ name }) => normalName(name)))
  const pairs = new Set(first.relations.map(pairOf))
  return {
    entities: [...first.entities, ...more.entities.filter(({ name }) => !names.has(normalName(name)))],
    relations: [...first.relations, ...more.relations.filter((relation) => !pairs.has(pairOf(relation)))],
    dropped: first.dropped + more.dropped,
  }
}
