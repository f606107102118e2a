import type { ApproachParameters } from '../../../../contract/index.ts'
import type { TermStatistics } from '../../models/model-host.ts'
import { rerankPool } from '../../tei/reranker.ts'
import type { StoredChunk } from '../../vector-store/vector-store.ts'
import type { ApproachServices, Passage } from '../approach.ts'
import { requireCollection, termStatistics } from './collection.ts'
import { embedQuestion } from './embed.ts'

export interface HybridSearch {
  collection: 'plain' | 'contextual'
  /** What the reranker reads of a chunk. */
  rerankText: (chunk: StoredChunk) => string
}

/** Keyword and dense search fused by relative scores, reranked when asked for; the best `top_n`. Alpha 0 is keyword search alone: nothing is embedded. */
export async function hybridSearch(
  question: string,
  parameters: ApproachParameters['hybrid-rag'],
  search: HybridSearch,
  services: ApproachServices,
  signal?: AbortSignal,
): Promise<Passage[]> {
  const collection = await requireCollection(search.collection, services)
  const statistics = await termStatistics(question, collection.name, services)
  const { alpha, retrieve_k: limit } = parameters
  const hits =
    alpha === 0
      ? await services.store.keyword(collection.name, question, limit)
      : await services.store.hybrid(collection.name, {
          text: question,
          vector: await embedQuestion(question, collection, services, signal, statistics),
          alpha,
          limit,
          fusion: 'relative_score',
        })
  const ordered = parameters.rerank
    ? await rerankPassages(question, hits, search.rerankText, services, statistics, signal)
    : hits
  return ordered.slice(0, parameters.top_n)
}

/** Orders passages by the reranker, best first, equal scores in their former order. One bad batch fails the whole step. */
async function rerankPassages(
  question: string,
  passages: readonly Passage[],
  textOf: (chunk: StoredChunk) => string,
  { reranker }: Pick<ApproachServices, 'reranker'>,
  statistics: TermStatistics | undefined,
  signal?: AbortSignal,
): Promise<Passage[]> {
  const texts = passages.map(({ chunk }) => underTitle({ title: chunk.title, text: textOf(chunk) }))
  const candidates = passages.map(({ chunk, score }) => ({ document: chunk.document, score }))
  const pool = { candidates, ...(statistics === undefined ? {} : { statistics }) }
  const scores = await rerankPool(reranker, question, texts, pool, signal)
  return passages
    .map(({ chunk }, index) => ({ chunk, score: scores[index]!, index }))
    .sort((left, right) => right.score - left.score || left.index - right.index)
    .map(({ chunk, score }) => ({ chunk, score }))
}

/** A chunk from the middle of a document often does not name what it is about; its title does. */
export const underTitle = ({ title, text }: { title: string; text: string }): string =>
  text.slice(0, title.length + 4).includes(title) ? text : `${title}\n${text}`
