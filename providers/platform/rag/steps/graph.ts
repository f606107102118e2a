import type { ApproachServices } from '../approach.ts'
import type { GraphQueries } from '../graph/graph-queries.ts'
import { RagError } from '../rag-error.ts'

/** The graph engine; throws when this platform has none. */
export function requireGraph({ graph }: Pick<ApproachServices, 'graph'>): GraphQueries {
  if (graph !== null) return graph
  throw new RagError('approach_unavailable', 'no graph engine is configured')
}
