import type { ExtractedChunk } from '../document-store.ts'
import { resolvingNames } from '../resolution/resolve-names.ts'
import { runThrough } from '../../sliced-work.ts'
import type { SlicedWork } from '../../sliced-work.ts'
import { createMentionCollector } from './mentions.ts'
import type { Mentions } from './mentions.ts'
import { mergingMentions } from './merged-graph.ts'
import type { MergedGraph } from './merged-graph.ts'

/** The extracted chunks of a corpus, one document after the other; each iteration reads them again. */
export type ExtractedDocuments = Iterable<readonly ExtractedChunk[]>

/**
 * Merges the extractions of all chunks into one graph, entities and relations sorted by id. A pure function of its input: weights, chunk
 * ids and file paths are counted from scratch, so a removed document leaves no trace.
 */
export const mergeExtractions = (chunks: readonly ExtractedChunk[], descriptionsKept: number): MergedGraph =>
  runThrough(mergingExtractions(byDocument(chunks), descriptionsKept))

/** Chunks in the groups of their documents, which are in the order of their first chunks. */
function byDocument(chunks: readonly ExtractedChunk[]): ExtractedChunk[][] {
  const documents = new Map<string, ExtractedChunk[]>()
  for (const chunk of chunks) {
    const known = documents.get(chunk.documentId)
    if (known === undefined) documents.set(chunk.documentId, [chunk])
    else known.push(chunk)
  }
  return [...documents.values()]
}

/** The merge in slices. */
export function* mergingExtractions(documents: ExtractedDocuments, descriptionsKept: number): SlicedWork<MergedGraph> {
  return yield* mergingMentions(yield* collectingMentions(documents), descriptionsKept)
}

/**
 * What the documents mention. They are read twice, one at a time: for the names of the corpus, then for what they mention. On its own, so that the names
 * of the corpus, and the maps of all entities and relations, are not in memory while the mentions are put together.
 */
function* collectingMentions(documents: ExtractedDocuments): SlicedWork<Mentions> {
  const resolverOf = yield* resolvingNames(documents)
  const mentions = createMentionCollector()
  for (const document of documents) {
    const resolve = resolverOf(document)
    for (const chunk of document) {
      yield
      mentions.add(chunk, resolve)
    }
  }
  return mentions.done()
}
