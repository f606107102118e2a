// This is different from LazyGraphRAG (Microsoft Research, 2024-11-25; prompts and parameters unpublished). See docs/methods.md.
import type { ApproachParameters } from '../../../../contract/approaches.ts'
import type { SearchHit } from '../../stores/vector-store/vector-store.ts'
import { step } from '../../trace/trace.ts'
import { hitsOf } from '../../trace/traced-parts.ts'
import type { Approach, Passage } from '../approach.ts'
import type { ConceptGraph } from '../lazy-graph/concept-graph.ts'
import type { LoadedGraph } from '../lazy-graph/concept-indexes.ts'
import { expand, type Expansion } from '../lazy-graph/expand.ts'
import { requireCollection } from '../steps/collection.ts'
import { embedQuestion } from '../steps/embed.ts'
import { fillBudget } from '../steps/fill-budget.ts'
import { answerFrom } from '../steps/generate.ts'

/** Equal weight for words and vectors: the seeds must not miss a name that only one of them sees. */
const SEED_ALPHA = 0.5
/** Hits beyond the seeds cost nothing more and show how near a candidate is to the question. */
const PRIOR_FACTOR = 6

/** Hits with their scores as shares of the best one, by position in the graph. */
function relativeScores(hits: readonly SearchHit[], graph: ConceptGraph) {
  const best = Math.max(...hits.map((hit) => hit.score), Number.MIN_VALUE)
  return hits.flatMap((hit) => {
    const chunk = graph.positionOf(hit.chunk)
    return chunk === null ? [] : [{ chunk, score: Math.max(0, hit.score / best) }]
  })
}

function metadataOf(parameters: ApproachParameters['lazy-graph-rag'], loaded: LoadedGraph, expansion: Expansion) {
  const { index, chunks } = loaded.graph
  const place = (position: number) => ({
    document: chunks.at(position)!.document,
    chunk_index: chunks.at(position)!.chunkIndex,
  })
  return {
    experimental: true,
    cache_hit: loaded.cacheHit,
    index_seconds: loaded.seconds,
    graph_chunks: chunks.length,
    graph_concepts: index.concepts.length,
    graph_edges: index.edges,
    relevance_tests: expansion.relevanceTests,
    relevance_budget: parameters.relevance_budget,
    seed_k: parameters.seed_k,
    max_context_chunks: parameters.max_context_chunks,
    llm_index_calls: 0,
    cache_namespace: loaded.namespace,
    bridges: expansion.bridges.map(({ chunk, from, via }) => ({
      ...place(chunk),
      from: from === null ? null : place(from),
      via,
    })),
  }
}

/**
 * Hybrid search gives seeds; a walk over the concepts that chunks share adds passages which have no word of the question but a name of
 * a seed. One embedding, one generation, no model call for the index.
 */
export const lazyGraph: Approach<'lazy-graph-rag'> = async (question, parameters, services, signal) => {
  const collection = await requireCollection('plain', services)
  const vector = await embedQuestion(question, collection, services, signal)
  const limit = parameters.seed_k * PRIOR_FACTOR
  const hits = await services.store.hybrid(collection.name, { text: question, vector, alpha: SEED_ALPHA, limit })
  const loaded = await services.conceptIndexes.load(collection, parameters.max_concepts_per_chunk)
  services.onRead?.([loaded.derivation])
  const scored = relativeScores(hits, loaded.graph)
  const walk = (contexts: number, relevanceBudget: number): Expansion =>
    expand(loaded.graph, question, scored, { seedK: parameters.seed_k, relevanceBudget, maxContextChunks: contexts })
  const passagesOf = ({ chosen }: Expansion): Passage[] =>
    chosen.map(({ chunk, score }) => ({ chunk: loaded.graph.chunks.at(chunk)!, score }))

  const { contextBudget } = services
  async function choose(): Promise<{ expansion: Expansion; passages: Passage[] }> {
    const expansion = walk(parameters.max_context_chunks, parameters.relevance_budget)
    if (contextBudget === null) return { expansion, passages: passagesOf(expansion) }
    let last = expansion
    const passages = await fillBudget(contextBudget, parameters.max_context_chunks, async (most) => {
      last = walk(most, Math.max(parameters.relevance_budget, most))
      return passagesOf(last)
    })
    const chosen = last.chosen.slice(0, passages.length)
    const handed = new Set(chosen.map(({ chunk }) => chunk))
    const bridges = last.bridges.filter(({ chunk }) => handed.has(chunk))
    return { expansion: { ...last, chosen, bridges }, passages }
  }
  const { expansion, passages } = await step(
    { kind: 'search', name: 'walk over shared concepts', request: () => ({ question, ...parameters }) },
    choose,
    (found) => hitsOf(found.passages),
  )
  const answer = await answerFrom(question, passages, services, signal)
  return { ...answer, metadata: { lazy_graph: metadataOf(parameters, loaded, expansion) } }
}
