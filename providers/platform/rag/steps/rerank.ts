import { rerankInBatches } from '../../rerank-adapter/rerank-batches.ts'
import type { StoredChunk } from '../../vector-store/vector-store.ts'
import type { ApproachServices, Passage } from '../approach.ts'

/** Orders passages by the reranker, best first, equal scores in their former order. One bad batch fails the whole step. */
export async function rerankPassages(
  question: string,
  passages: readonly Passage[],
  textOf: (chunk: StoredChunk) => string,
  { reranker }: Pick<ApproachServices, 'reranker'>,
  signal?: AbortSignal,
): Promise<Passage[]> {
  const texts = passages.map(({ chunk }) => textOf(chunk))
  const scores = await rerankInBatches(reranker, question, texts, signal)
  return passages
    .map(({ chunk }, index) => ({ chunk, score: scores[index]!, index }))
    .sort((left, right) => right.score - left.score || left.index - right.index)
    .map(({ chunk, score }) => ({ chunk, score }))
}
