import type { GraphRelation, KnowledgeGraph } from '../graph/knowledge-graph.ts'

/** Share of the walkers that go on; the rest return to where the question started. */
const DAMPING = 0.6
const ITERATIONS = 30
const SETTLED = 1e-7

/**
 * How much of a random walk from the seeds ends up at each entity, by position, summing to 1 (personalised PageRank, Haveliwala
 * 2002). Relations are taken in proportion to `attraction`, which must be positive. The walk stays among the `reach` entities
 * nearest to the seeds; nothing is reached without seeds.
 */
export function personalisedPagerank(
  graph: KnowledgeGraph,
  seeds: ReadonlyMap<number, number>,
  attraction: (relation: GraphRelation) => number,
  reach: number,
): Map<number, number> {
  const total = [...seeds.values()].reduce((sum, weight) => sum + weight, 0)
  if (total === 0) return new Map()
  const { entities, relations } = neighbourhood(graph, [...seeds.keys()], reach)
  const place = new Map(entities.map((entity, at) => [entity, at]))
  const start = Float64Array.from(entities, (entity) => (seeds.get(entity) ?? 0) / total)
  const links = relations.map((relation) => ({
    from: place.get(relation.sourceIndex)!,
    to: place.get(relation.targetIndex)!,
    pull: attraction(relation),
  }))
  const outgoing = new Float64Array(entities.length)
  for (const { from, to, pull } of links) {
    outgoing[from]! += pull
    outgoing[to]! += pull
  }
  let ranks = start
  for (let round = 0; round < ITERATIONS; round += 1) {
    const stranded = ranks.reduce((sum, rank, at) => sum + (outgoing[at] === 0 ? rank : 0), 0)
    const next = start.map((share) => share * (1 - DAMPING + DAMPING * stranded))
    for (const { from, to, pull } of links) {
      next[to]! += (DAMPING * ranks[from]! * pull) / outgoing[from]!
      next[from]! += (DAMPING * ranks[to]! * pull) / outgoing[to]!
    }
    const moved = next.reduce((sum, rank, at) => sum + Math.abs(rank - ranks[at]!), 0)
    ranks = next
    if (moved < SETTLED) break
  }
  return new Map(entities.map((entity, at) => [entity, ranks[at]!]))
}

/** The entities nearest to the seeds, counted in relations, and the relations among them. */
function neighbourhood(
  graph: KnowledgeGraph,
  seeds: readonly number[],
  reach: number,
): { entities: number[]; relations: GraphRelation[] } {
  const seen = new Set(seeds)
  for (const entity of seen) {
    if (seen.size >= reach) break
    graph.topology.forEachNeighbor(graph.entities[entity]!.id, (_, { index }) => {
      if (seen.size < reach) seen.add(index)
    })
  }
  const relations = new Set<GraphRelation>()
  for (const entity of seen) {
    graph.topology.forEachEdge(graph.entities[entity]!.id, (_, { index }) => {
      const relation = graph.relations[index]!
      if (seen.has(relation.sourceIndex) && seen.has(relation.targetIndex)) relations.add(relation)
    })
  }
  return { entities: [...seen], relations: [...relations].sort((a, b) => a.index - b.index) }
}
