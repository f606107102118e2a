import { UndirectedGraph } from 'graphology'
import louvain from 'graphology-communities-louvain'
import type { GraphPicture } from '../../../../../contract/http/graph-picture.ts'
import type { GraphEntity, KnowledgeGraph } from './knowledge-graph.ts'

const DESCRIPTION_CHARS = 400

/**
 * The graph as nodes and edges for drawing. Of more than `limit` entities, the largest component comes first and in it the ones with
 * the most relations; edges are those between the nodes that are shown.
 */
export function pictureOf(graph: KnowledgeGraph, limit: number): GraphPicture {
  const { communities, components: found } = structureOf(graph)
  const components = found.map((members) => [...members])
  const degree = (index: number) => graph.relationsOf(index).length
  const shown = components.flatMap((members) => members.sort((a, b) => degree(b) - degree(a) || a - b)).slice(0, limit)
  const isShown = new Set(shown)
  return {
    nodes: shown.map((index) => {
      const entity = graph.entities.at(index)
      return {
        id: entity.id,
        label: entity.name,
        type: entity.type,
        degree: degree(index),
        community: communities.of[index]!,
        description: describe(entity),
      }
    }),
    edges: edgesBetween(graph, isShown).map((relation) => {
      const { source, target, weight, keywords } = graph.relations.at(relation)
      return { source, target, weight, keywords }
    }),
    communities: communities.count,
    components: components.length,
    total_nodes: graph.entities.length,
    total_edges: graph.relations.length,
    truncated: shown.length < graph.entities.length,
  }
}

/** Positions of the relations between these entities, ascending. */
function edgesBetween({ sources, targets }: KnowledgeGraph, entities: ReadonlySet<number>): number[] {
  const between: number[] = []
  for (let relation = 0; relation < sources.length; relation += 1)
    if (entities.has(sources[relation]!) && entities.has(targets[relation]!)) between.push(relation)
  return between
}

const describe = (entity: GraphEntity): string =>
  entity.statements
    .map(({ text }) => text)
    .join(' ')
    .slice(0, DESCRIPTION_CHARS)

// The package's types promise a default export that its CommonJS file does not have.
const detectCommunities = louvain as unknown as typeof louvain.default

/** A random stream that is the same at each call: pictures of one graph must look alike. Mulberry32, public domain. */
function fixedRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Nodes are positions of entities as text. */
type Topology = UndirectedGraph<{ index: number }, { weight: number }>

interface Structure {
  communities: Communities
  components: readonly (readonly number[])[]
}

const known = new WeakMap<KnowledgeGraph, Structure>()

/** Returns what a picture needs of the whole graph, worked out once for each graph; the library's copy of the topology ends with this call. */
function structureOf(graph: KnowledgeGraph): Structure {
  const found = known.get(graph)
  if (found !== undefined) return found
  const topology: Topology = new UndirectedGraph()
  for (let index = 0; index < graph.entities.length; index += 1) topology.addNode(String(index), { index })
  for (let relation = 0; relation < graph.relations.length; relation += 1) {
    const { sourceIndex, targetIndex, weight } = graph.relations.at(relation)
    topology.addEdge(String(sourceIndex), String(targetIndex), { weight })
  }
  const structure = { communities: communitiesOf(topology), components: componentsOf(topology) }
  known.set(graph, structure)
  return structure
}

interface Communities {
  /** Community of each entity, by position. */
  of: readonly number[]
  count: number
}

/** Louvain communities, numbered by size, largest 0; equal ones by their first entity. */
function communitiesOf(topology: Topology): Communities {
  if (topology.order === 0) return { of: [], count: 0 }
  const raw: Record<string, number> =
    topology.size === 0
      ? Object.fromEntries(topology.nodes().map((node, index) => [node, index]))
      : detectCommunities(topology, { getEdgeWeight: 'weight', rng: fixedRandom(7) })
  const members = new Map<number, number[]>()
  topology.forEachNode((node, { index }) => {
    const community = raw[node]!
    const known = members.get(community)
    if (known === undefined) members.set(community, [index])
    else known.push(index)
  })
  const ordered = [...members.values()].sort(bySize)
  const of = new Array<number>(topology.order).fill(0)
  ordered.forEach((positions, number) => {
    for (const position of positions) of[position] = number
  })
  return { of, count: ordered.length }
}

/** Connected components, largest first, equal ones by their first entity; each a list of entity positions. */
function componentsOf(topology: Topology): number[][] {
  const seen = new Set<string>()
  const components: number[][] = []
  topology.forEachNode((start) => {
    if (seen.has(start)) return
    seen.add(start)
    const members = [start]
    for (const node of members) {
      topology.forEachNeighbor(node, (neighbour) => {
        if (seen.has(neighbour)) return
        seen.add(neighbour)
        members.push(neighbour)
      })
    }
    components.push(members.map((node) => topology.getNodeAttribute(node, 'index')))
  })
  return components.sort(bySize)
}

/** Groups begin with their lowest position, because nodes are visited in that order. */
const bySize = (a: readonly number[], b: readonly number[]): number => b.length - a.length || a[0]! - b[0]!
