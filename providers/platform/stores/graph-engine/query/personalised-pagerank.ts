import type { KnowledgeGraph } from '../graph/knowledge-graph.ts'

/** Share of the walkers that go on; the rest return to where the question started. */
const DAMPING = 0.6
const ITERATIONS = 30
const SETTLED = 1e-7

/**
 * Returns how much of a random walk from the seeds ends up at each entity, by position, summing to 1 (personalised PageRank, Haveliwala
 * 2002). Relations are taken in proportion to `attraction`, which must be positive. The walk stays among the `reach` entities
 * nearest to the seeds; nothing is reached without seeds.
 */
export function personalisedPagerank(
  graph: KnowledgeGraph,
  seeds: ReadonlyMap<number, number>,
  attraction: (relation: number) => number,
  reach: number,
): Map<number, number> {
  const total = [...seeds.values()].reduce((sum, weight) => sum + weight, 0)
  if (total === 0) return new Map()
  const { entities, relations } = neighbourhood(graph, [...seeds.keys()], reach)
  const place = new Map(entities.map((entity, at) => [entity, at]))
  const start = Float64Array.from(entities, (entity) => (seeds.get(entity) ?? 0) / total)
  const links = relations.map((relation) => ({
    from: place.get(graph.sources[relation]!)!,
    to: place.get(graph.targets[relation]!)!,
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
): { entities: number[]; relations: number[] } {
  const { sources, targets } = graph
  const seen = new Set(seeds)
  for (const entity of seen) {
    if (seen.size >= reach) break
    for (const relation of graph.relationsOf(entity))
      if (seen.size < reach) seen.add(sources[relation] === entity ? targets[relation]! : sources[relation]!)
  }
  const relations = new Set<number>()
  for (const entity of seen)
    for (const relation of graph.relationsOf(entity))
      if (seen.has(sources[relation]!) && seen.has(targets[relation]!)) relations.add(relation)
  return { entities: [...seen], relations: [...relations].sort((a, b) => a - b) }
}
