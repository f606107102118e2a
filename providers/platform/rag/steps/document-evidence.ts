import type { Passage } from '../approach.ts'

/** Sets what each further passage of a document adds, as a share of what the one before it added, so that many weak passages do not outweigh a strong one. */
const FURTHER_PASSAGE = 0.5
/** Weight of a document beside its passage. */
const DOCUMENT_WEIGHT = 0.5

/**
 * Hits of a search, best first, ordered by their own score and by that of their document: what is asked is often in several places of the right
 * document, each with some of the words, where another document holds one passage that is a little better. A document's score is that of
 * its best passage and a falling share of each further one, relative to the best document.
 */
export function withDocumentEvidence(hits: readonly Passage[]): Passage[] {
  const documents = new Map<string, { score: number; share: number }>()
  for (const { chunk, score } of hits) {
    const known = documents.get(chunk.document) ?? { score: 0, share: 1 }
    documents.set(chunk.document, { score: known.score + known.share * score, share: known.share * FURTHER_PASSAGE })
  }
  const best = Math.max(...[...documents.values()].map(({ score }) => score), Number.MIN_VALUE)
  return hits
    .map(({ chunk, score }) => ({
      chunk,
      score: score + (DOCUMENT_WEIGHT * documents.get(chunk.document)!.score) / best,
    }))
    .sort((left, right) => right.score - left.score)
}
