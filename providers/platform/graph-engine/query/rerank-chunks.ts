import type { ModelHost } from '../../models/model-host.ts'
import { GraphEngineError } from '../errors.ts'
import type { GraphChunk } from '../graph/knowledge-graph.ts'
import type { Ranked } from './rank.ts'

/**
 * Scores texts against a query, in their order, higher is better; how it batches is its own affair. `models` is the request's metered
 * view, for implementations that call the rerank model through it.
 */
export type GraphRerank = (
  request: { query: string; documents: readonly string[]; models: ModelHost },
  signal?: AbortSignal,
) => Promise<readonly number[]>

/** Orders chunks by the reranker, equal scores in their former order. Any bad score fails the whole step. */
export async function rerankChunks(
  rerank: GraphRerank,
  query: string,
  chunks: readonly Ranked<GraphChunk>[],
  models: ModelHost,
  signal?: AbortSignal,
): Promise<Ranked<GraphChunk>[]> {
  if (chunks.length === 0) return []
  const documents = chunks.map(({ item }) => `${item.title}\n${item.content}`)
  const scores = await rerank({ query, documents, models }, signal)
  if (scores.length !== chunks.length || !scores.every(Number.isFinite)) {
    throw new GraphEngineError('rerank_invalid', 'the reranker did not return one finite score per text')
  }
  return chunks.map(({ item }, index) => ({ item, score: scores[index]! })).sort((a, b) => b.score - a.score)
}
