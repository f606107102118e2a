import { GRAPH_QUERY_LIMITS, graphQueryLength } from '../../../../contract/index.ts'
import type { ApproachParameters, GraphQueryProfile, RagSource } from '../../../../contract/index.ts'
import type { Approach, ApproachServices } from '../approach.ts'
import type { UsedPassage } from '../graph/graph-queries.ts'
import { snippetOf } from '../response/sources.ts'
import { requireGraph } from '../steps/graph.ts'

const TOO_SHORT = `A question to the knowledge graph needs at least ${GRAPH_QUERY_LIMITS.minLength} characters.`

/**
 * The one source of a graph answer: it records that the graph was asked and nothing else. Its snippet is empty, because a text there would
 * be read as a context, which a graph answer does not have.
 */
function graphMarker(mode: GraphQueryProfile['mode']): RagSource {
  return { title: `knowledge graph (${mode})`, snippet: '', score: 1, kind: 'knowledge_graph' }
}

const usedPassage = ({ document, content, score }: UsedPassage): RagSource => ({
  title: document,
  snippet: snippetOf(content),
  score,
  text: content,
  document,
})

type OwnSettings = Exclude<ApproachParameters['graph-rag'], { query_profile: string }>

/** The settings of an alias, by the name of a managed profile or as they are. */
function settingsOf(
  parameters: ApproachParameters['graph-rag'],
  { graphProfiles }: Pick<ApproachServices, 'graphProfiles'>,
): OwnSettings & { name?: string } {
  // The table was checked against the declared profiles when the plugin was made.
  return 'query_profile' in parameters ? graphProfiles.get(parameters.query_profile)! : parameters
}

/**
 * The graph engine answers by its own query path with a managed query profile. Answer only: what the engine reports as used is passed on beside the
 * sources, for the retrieval metrics. Too short questions are answered here.
 */
export const graph: Approach<'graph-rag'> = async (question, parameters, services, signal) => {
  if (graphQueryLength(question) < GRAPH_QUERY_LIMITS.minLength) return { answer: TOO_SHORT, sources: [], chunks: 0 }
  const { name, instructions, ...settings } = settingsOf(parameters, services)
  const { answer, counts, passages } = await requireGraph(services).answer(
    { query: question, ...settings, ...(instructions === undefined ? {} : { user_prompt: instructions }) },
    services,
    signal,
  )
  return {
    answer,
    sources: [graphMarker(settings.mode)],
    chunks: counts.chunks,
    metadata: {
      ...(passages === null ? {} : { used_passages: passages.map(usedPassage) }),
      graph: { mode: settings.mode, ...(name === undefined ? {} : { query_profile: name }), ...counts },
    },
  }
}
