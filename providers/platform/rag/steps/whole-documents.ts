import type { StoredChunk } from '../../stores/vector-store/vector-store.ts'
import type { Passage } from '../approach.ts'

/** The documents of a collection from its chunks, which overlap, in the order of the corpus. */
export function wholeDocuments(chunks: readonly StoredChunk[]): Passage[] {
  const documents = Map.groupBy(chunks, ({ document }) => document)
  return [...documents.values()].map((parts) => {
    const [first] = parts
    let content = ''
    let endChar = first!.startChar
    for (const part of parts) {
      // What two chunks share is there once; what none has is a gap.
      if (part.startChar > endChar) content += '\n'
      content += part.content.slice(Math.max(0, endChar - part.startChar))
      endChar = Math.max(endChar, part.endChar)
    }
    return { chunk: { ...first!, chunkIndex: 0, content, indexText: content, endChar }, score: 0 }
  })
}
