// This is similar to LightRAG (arXiv 2410.05779; HKUDS/LightRAG, defaults of mid-2026). See docs/methods.md.
import { GRAPH_QUERY_LIMITS, graphQueryLength } from '../../../../contract/http/graph-engine.ts'
import type { ApproachParameters } from '../../../../contract/approaches.ts'
import type { RagSource } from '../../../../contract/evidence/rag-extension.ts'
import type { GraphQueryProfile } from '../../../../contract/manifests/consumer.ts'
import type { Approach, ApproachAnswer, ApproachServices } from '../approach.ts'
import type { UsedPassage } from '../graph/graph-queries.ts'
import { snippetOf } from '../response/sources.ts'
import type { PassageSearch } from '../../stores/graph-engine/query/around-passages.ts'
import { hybridSearch } from '../steps/hybrid-search.ts'

const TOO_SHORT_ANSWER: ApproachAnswer = {
  answer: `A question to the knowledge graph needs at least ${GRAPH_QUERY_LIMITS.minLength} characters.`,
  sources: [],
  chunks: 0,
  contextTokens: 0,
}

/**
 * The one source of a graph answer: it records that the graph was asked and nothing else. Its snippet is empty, because a text there would
 * be read as a context, which a graph answer does not have.
 */
function graphMarker(mode: GraphQueryProfile['mode']): RagSource {
  return { title: `knowledge graph (${mode})`, snippet: '', score: 1, kind: 'knowledge_graph' }
}

const usedPassage = ({ document, content, score, via }: UsedPassage): RagSource => ({
  title: document ?? STATEMENTS,
  snippet: snippetOf(content),
  score,
  text: content,
  ...(document === null ? {} : { document }),
  ...(via === undefined ? {} : { via }),
})

/** Title of what the graph itself states, which is from several documents. */
const STATEMENTS = 'Knowledge graph'

type OwnSettings = Exclude<ApproachParameters['graph-rag'], { query_profile: string }>

/** The settings of an alias, by the name of a managed profile or as they are. */
function settingsOf(
  parameters: ApproachParameters['graph-rag'],
  { graphProfiles }: Pick<ApproachServices, 'graphProfiles'>,
): OwnSettings & { name?: string } {
  // The table was checked against the declared profiles when the plugin was made.
  return 'query_profile' in parameters ? graphProfiles.get(parameters.query_profile)! : parameters
}

/** The search before the graph, which is that of hybrid-rag. Nothing is reranked twice: a profile may have the engine do it. */
const searchOf =
  (question: string, rerank: boolean, services: ApproachServices, signal: AbortSignal | undefined): PassageSearch =>
  async (most) => {
    const parameters = { alpha: 0.5, rerank, retrieve_k: most, top_n: most }
    const passages = await hybridSearch(question, parameters, 'plain', services, signal)
    return passages.map(({ chunk: { document, content }, score }) => ({ document, content, score }))
  }

/**
 * The graph engine answers by its own query path with a managed query profile, from the passages of a hybrid search and those that the graph leads to from
 * there; an engine in another process has its own search. Answer only: what the engine reports as used is passed on beside the
 * sources, for the retrieval metrics. Too short questions are answered here.
 */
export const graph: Approach<'graph-rag'> = async (question, parameters, services, signal) => {
  if (graphQueryLength(question) < GRAPH_QUERY_LIMITS.minLength) return TOO_SHORT_ANSWER
  const { name, instructions, answer_prompt: prompt, ...settings } = settingsOf(parameters, services)
  const {
    answer,
    counts,
    passages,
    contextTokens = null,
  } = await services.graph.answer(
    {
      query: question,
      ...settings,
      ...(services.contextBudget === null ? {} : { context_budget: services.contextBudget }),
      ...(instructions === undefined ? {} : { user_prompt: instructions }),
      ...(prompt === undefined ? {} : { answer_prompt: prompt }),
    },
    services,
    signal,
    searchOf(question, !settings.enable_rerank, services, signal),
  )
  return {
    answer,
    sources: [graphMarker(settings.mode)],
    chunks: counts.chunks,
    contextTokens,
    metadata: {
      ...(passages === null ? {} : { used_passages: passages.map(usedPassage) }),
      graph: { mode: settings.mode, ...(name === undefined ? {} : { query_profile: name }), ...counts },
    },
  }
}
