import { GRAPH_QUERY_LIMITS, graphQueryLength } from '../../../../contract/index.ts'
import type { GraphQueryProfile, RagSource } from '../../../../contract/index.ts'
import type { Approach } from '../approach.ts'
import { requireGraph } from '../steps/graph.ts'

const TOO_SHORT = `A question to the knowledge graph needs at least ${GRAPH_QUERY_LIMITS.minLength} characters.`

/**
 * The one source of a graph answer: it says that the graph was asked and nothing else. Its snippet is empty, because a text there would
 * be read as a context, which a graph answer does not have.
 */
export function graphMarker(mode: GraphQueryProfile['mode']): RagSource {
  return { title: `knowledge graph (${mode})`, snippet: '', score: 1, kind: 'knowledge_graph' }
}

/** The graph engine answers by its own query path with a managed query profile. Answer only; too short questions are answered here. */
export const graph: Approach<'graph-rag'> = async (question, parameters, services, signal) => {
  if (graphQueryLength(question) < GRAPH_QUERY_LIMITS.minLength) return { answer: TOO_SHORT, sources: [], chunks: 0 }
  // The table was checked against the declared profiles when the plugin was made.
  const { name: _name, ...profile } = services.graphProfiles.get(parameters.query_profile)!
  const { answer, counts } = await requireGraph(services).answer({ query: question, ...profile }, services, signal)
  return {
    answer,
    sources: [graphMarker(profile.mode)],
    chunks: counts.chunks,
    metadata: { graph: { mode: profile.mode, query_profile: parameters.query_profile, ...counts } },
  }
}
