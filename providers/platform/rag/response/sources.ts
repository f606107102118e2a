import type { RagSource } from '../../../../contract/index.ts'
import type { Passage } from '../approach.ts'
import { snippetOf } from './snippet.ts'

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
