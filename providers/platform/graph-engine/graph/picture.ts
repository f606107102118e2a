import louvain from 'graphology-communities-louvain'
import type { GraphPicture } from '../../../../contract/index.ts'
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

const found = new WeakMap<KnowledgeGraph['topology'], Communities>()

export interface Communities {
  /** Community of each entity, by position. */
  of: readonly number[]
  count: number
}

/** Louvain communities, worked out once per graph and numbered by size, largest 0; equal ones by their first entity. */
export function communitiesOf(topology: KnowledgeGraph['topology']): Communities {
  const known = found.get(topology) ?? detect(topology)
  found.set(topology, known)
  return known
}

function detect(topology: KnowledgeGraph['topology']): Communities {
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
export function componentsOf(topology: KnowledgeGraph['topology']): number[][] {
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
