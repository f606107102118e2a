import type { StoredChunk } from '../../providers/platform/stores/vector-store/vector-store.ts'

/** A chunk of a document that is called like its path. */
export const storedChunk = (document: string, content: string, chunkIndex = 0): StoredChunk => ({
  document,
  title: document,
  chunkIndex,
  startChar: 0,
  endChar: content.length,
  content,
  indexText: content,
})
