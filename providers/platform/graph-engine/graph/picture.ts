import type { GraphPicture } from '../../../../contract/index.ts'
import { communitiesOf, componentsOf } from './communities.ts'
import type { GraphEntity, KnowledgeGraph } from './knowledge-graph.ts'

const DESCRIPTION_CHARS = 400

/**
 * The graph as nodes and edges for drawing. Of more than `limit` entities, the largest component comes first and in it the ones with
 * the most relations; edges are those between the nodes that are shown.
 */
export function pictureOf(graph: KnowledgeGraph, limit: number): GraphPicture {
  const communities = communitiesOf(graph.topology)
  const components = componentsOf(graph.topology)
  const degree = (index: number) => graph.topology.degree(graph.entities[index]!.id)
  const shown = components.flatMap((members) => members.sort((a, b) => degree(b) - degree(a) || a - b)).slice(0, limit)
  const isShown = new Set(shown)
  return {
    nodes: shown.map((index) => {
      const entity = graph.entities[index]!
      return {
        id: entity.id,
        label: entity.name,
        type: entity.type,
        degree: degree(index),
        community: communities.of[index]!,
        description: describe(entity),
      }
    }),
    edges: graph.relations
      .filter(({ sourceIndex, targetIndex }) => isShown.has(sourceIndex) && isShown.has(targetIndex))
      .map(({ source, target, weight, keywords }) => ({ source, target, weight, keywords })),
    communities: communities.count,
    components: components.length,
    total_nodes: graph.entities.length,
    total_edges: graph.relations.length,
    truncated: shown.length < graph.entities.length,
  }
}

const describe = (entity: GraphEntity): string =>
  entity.statements
    .map(({ text }) => text)
    .join(' ')
    .slice(0, DESCRIPTION_CHARS)
