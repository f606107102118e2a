import type { RagSource } from '../../../../contract/evidence/rag-extension.ts'
import type { Passage } from '../approach.ts'

/** Longest snippet of a source, in UTF-16 units. */
const SNIPPET_MAX = 240

/** The start of a text, at most 240 units; a character outside the basic plane is kept whole or left out. */
export function snippetOf(text: string): string {
  if (text.length <= SNIPPET_MAX) return text
  const last = text.charCodeAt(SNIPPET_MAX - 1)
  const splitsPair = last >= 0xd800 && last <= 0xdbff
  return text.slice(0, splitsPair ? SNIPPET_MAX - 1 : SNIPPET_MAX)
}

/** Passages as evidence. The text is the document's own chunk, never what an index put in front of it. */
export function sourcesOf(passages: readonly Passage[]): RagSource[] {
  return passages.map(({ chunk, score }) => ({
    title: chunk.document,
    snippet: snippetOf(chunk.content),
    score,
    text: chunk.content,
    document: chunk.document,
    chunk_index: chunk.chunkIndex,
    start_char: chunk.startChar,
    end_char: chunk.endChar,
  }))
}
