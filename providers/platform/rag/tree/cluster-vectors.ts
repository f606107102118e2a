import type { SlicedWork } from '../../../../core/sliced-work.ts'

/** A node to be clustered: its vector of length 1, and how long its text is. */
export interface ClusterNode {
  vector: Float32Array
  tokens: number
}

export interface ClusterLimits {
  /** Most nodes of a cluster. */
  members: number
  /** Most tokens of the texts of a cluster; a single longer text is a cluster of its own. */
  tokens: number
}

const MOST_ROUNDS = 10

/**
 * Nodes by their place in the list, in clusters of those that are near each other by cosine: the whole list is halved by 2-means until each part is within the
 * limits. Deterministic: the first two centres are the node farthest from the mean, and the node farthest from that one. Every node is in exactly one
 * cluster; the clusters are in the order of their first nodes. Pauses between halvings.
 */
export function* clusterVectors(nodes: readonly ClusterNode[], limits: ClusterLimits): SlicedWork<number[][]> {
  const clusters: number[][] = []
  const waiting = nodes.length === 0 ? [] : [nodes.map((_, at) => at)]
  for (let part = waiting.pop(); part !== undefined; part = waiting.pop()) {
    const tokens = part.reduce((sum, at) => sum + nodes[at]!.tokens, 0)
    if (part.length === 1 || (part.length <= limits.members && tokens <= limits.tokens)) clusters.push(part)
    else waiting.push(...(yield* halved(part, nodes)))
    yield
  }
  return clusters.sort((one, other) => one[0]! - other[0]!)
}

/** Two parts, neither of them empty; equal vectors are halved by their place. */
function* halved(part: readonly number[], nodes: readonly ClusterNode[]): SlicedWork<[number[], number[]]> {
  const vectorOf = (at: number): Float32Array => nodes[at]!.vector
  const farthest = (from: Float32Array): number =>
    part.reduce((best, at) => (dot(vectorOf(at), from) < dot(vectorOf(best), from) ? at : best), part[0]!)
  const first = farthest(sumOf(part, nodes))
  let centres: [Float32Array, Float32Array] = [vectorOf(first), vectorOf(farthest(vectorOf(first)))]
  let parts: [number[], number[]] = [[], []]
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    yield
    const next: [number[], number[]] = [[], []]
    for (const at of part) next[dot(vectorOf(at), centres[0]) >= dot(vectorOf(at), centres[1]) ? 0 : 1].push(at)
    const isSame = next[0].length === parts[0].length && next[0].every((at, index) => at === parts[0][index])
    parts = next
    if (isSame || parts[0].length === 0 || parts[1].length === 0) break
    centres = [unit(sumOf(parts[0], nodes)), unit(sumOf(parts[1], nodes))]
  }
  if (parts[0].length > 0 && parts[1].length > 0) return parts
  const middle = Math.ceil(part.length / 2)
  return [part.slice(0, middle), part.slice(middle)]
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let at = 0; at < one.length; at += 1) sum += one[at]! * other[at]!
  return sum
}

function sumOf(part: readonly number[], nodes: readonly ClusterNode[]): Float32Array {
  const sum = new Float32Array(nodes[part[0]!]!.vector.length)
  for (const at of part) {
    const { vector } = nodes[at]!
    for (let index = 0; index < sum.length; index += 1) sum[index]! += vector[index]!
  }
  return sum
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  return length === 0 ? vector : vector.map((value) => value / length)
}
