import type { ApproachParameters } from '../../../../contract/approaches.ts'
import type { TermStatistics } from '../../models/model-host.ts'
import { shareOfRepeated, spread } from '../../models/builtin/relevance/repetition.ts'
import { rerankPool } from '../../models/tei/reranker.ts'
import type { CollectionInfo } from '../../stores/vector-store/vector-store.ts'
import type { ApproachServices, Passage } from '../approach.ts'
import { requireCollection, termStatistics } from './collection.ts'
import { withDocumentEvidence } from './document-evidence.ts'
import { embedQuestion } from './embed.ts'
import { fillBudget } from './fill-budget.ts'
import { fuseHashed } from './hashed-fusion.ts'

/** Chunks alone, or chunks after what a model wrote of them, which the reranker reads too. */
type Searched = 'plain' | 'contextual'

/** The weight that the shipped flavors have. Another one was chosen by a person and holds exactly, whatever the vectors are. */
const DEFAULT_ALPHA = 0.5
/** Sets how deep a search looks where its hits are weighed here. */
const LEG_DEPTH = 100

/**
 * Keyword and dense search fused by relative scores, reranked when asked for; the best `top_n`. Alpha 0 is keyword search alone: nothing is embedded.
 * Hashed vectors without a reranker are fused by what they add to the keywords, unless a person set the weight. The built-in reranker gets passages
 * that were chosen by their documents too.
 */
export async function hybridSearch(
  question: string,
  parameters: ApproachParameters['hybrid-rag'],
  searched: Searched,
  services: ApproachServices,
  signal?: AbortSignal,
): Promise<Passage[]> {
  const collection = await requireCollection(searched, services)
  const statistics = await termStatistics(question, collection.name, services)
  const hits = await retrieve(question, parameters, collection, services, statistics, signal)
  if (!parameters.rerank) return withoutRepetition(hits, collection).slice(0, parameters.top_n)
  const ordered = await rerankPassages(question, hits, searched, services, statistics, signal)
  // The built-in reranker has lowered what repeats a document.
  const isDone = isRuleReranker(services)
  return (isDone ? ordered : withoutRepetition(ordered, collection)).slice(0, parameters.top_n)
}

/** The passages that an answer is written from: as many as the parameters name, or as a budget holds. */
export async function hybridContext(
  question: string,
  parameters: ApproachParameters['hybrid-rag'],
  searched: Searched,
  services: ApproachServices,
  signal?: AbortSignal,
): Promise<Passage[]> {
  const { contextBudget } = services
  if (contextBudget === null) return hybridSearch(question, parameters, searched, services, signal)
  return fillBudget(contextBudget, parameters.retrieve_k, (limit) =>
    hybridSearch(question, { ...parameters, retrieve_k: limit, top_n: limit }, searched, services, signal),
  )
}

async function retrieve(
  question: string,
  { alpha, retrieve_k: limit, rerank }: ApproachParameters['hybrid-rag'],
  collection: CollectionInfo,
  services: ApproachServices,
  statistics: TermStatistics | undefined,
  signal?: AbortSignal,
): Promise<Passage[]> {
  const { store, models } = services
  const { name, dimensions } = collection
  if (alpha === 0) return store.keyword(name, question, Math.max(limit, LEG_DEPTH))
  const vector = await embedQuestion(question, collection, services, signal, statistics)
  const depth = Math.max(limit, LEG_DEPTH)
  const relative = async (most: number): Promise<Passage[]> =>
    store.hybrid(name, { text: question, vector, alpha, limit: most, fusion: 'relative_score' })
  // A reranker needs the passages, not their order, and relative scores bring more of the right ones.
  if (rerank && isRuleReranker(services)) return withDocumentEvidence(await relative(depth)).slice(0, limit)
  if (rerank) return relative(limit)
  if (alpha !== DEFAULT_ALPHA || !models.isBuiltin('embed')) return relative(depth)
  const legs = await Promise.all([store.dense(name, vector, depth), store.keyword(name, question, depth)])
  return fuseHashed(...legs, dimensions)
}

const isRuleReranker = ({ reranker, models }: Pick<ApproachServices, 'reranker' | 'models'>): boolean =>
  reranker.ranksPools === true && models.isBuiltin('rerank')

/** Passages by a score that knows nothing of documents: a further one of a document gives way to a nearly as good one of another. */
function withoutRepetition(passages: readonly Passage[], { chunkCount }: CollectionInfo): Passage[] {
  const places = passages.map(({ chunk }) => chunk.chunkIndex)
  return spread(passages, ({ chunk }) => chunk.document, shareOfRepeated(places, passages.length, chunkCount))
}

/** Orders passages by the reranker, best first, equal scores in their former order. One bad batch fails the whole step. */
async function rerankPassages(
  question: string,
  passages: readonly Passage[],
  searched: Searched,
  { reranker }: Pick<ApproachServices, 'reranker'>,
  statistics: TermStatistics | undefined,
  signal?: AbortSignal,
): Promise<Passage[]> {
  const texts = passages.map(({ chunk: { title, content, indexText } }) =>
    underTitle({ title, text: searched === 'plain' ? content : indexText }),
  )
  const candidates = passages.map(({ chunk, score }) => ({
    document: chunk.document,
    chunkIndex: chunk.chunkIndex,
    score,
  }))
  const scores = await rerankPool(reranker, question, texts, { candidates, statistics }, signal)
  return passages
    .map(({ chunk }, index) => ({ chunk, score: scores[index]!, index }))
    .sort((left, right) => right.score - left.score || left.index - right.index)
    .map(({ chunk, score }) => ({ chunk, score }))
}

/** A chunk from the middle of a document often does not name what it is about; its title does. */
export const underTitle = ({ title, text }: { title: string; text: string }): string =>
  text.slice(0, title.length + 4).includes(title) ? text : `${title}\n${text}`
