import { expect, it } from 'vitest'
import { graphLayout } from './graph-layout.ts'

/** Two triangles with one edge between them, and a node without any. */
const GRAPH = {
  communities: [0, 0, 0, 1, 1, 1, 2],
  edges: [
    [0, 1, 1],
    [1, 2, 1],
    [2, 0, 1],
    [3, 4, 1],
    [4, 5, 1],
    [5, 3, 1],
    [2, 3, 1],
  ] as const,
}
const places = graphLayout(GRAPH)
const apart = (a: number, b: number): number =>
  Math.hypot(places[2 * a]! - places[2 * b]!, places[2 * a + 1]! - places[2 * b + 1]!)

it('gives equal pictures of equal graphs, with finite places', () => {
  expect([...graphLayout(GRAPH)]).toEqual([...places])
  expect(places.every(Number.isFinite)).toBe(true)
})

it('keeps what is linked nearer than what is not, and no two nodes on one place', () => {
  expect(apart(0, 1)).toBeLessThan(apart(0, 4))
  expect(apart(3, 5)).toBeLessThan(apart(1, 5))
  for (let a = 0; a < 7; a += 1) for (let b = a + 1; b < 7; b += 1) expect(apart(a, b)).toBeGreaterThan(0.5)
})

it('has nothing to place in an empty graph', () => {
  expect(graphLayout({ communities: [], edges: [] })).toHaveLength(0)
})

it('gives most of the picture to what is linked, however many nodes have no edge', () => {
  const linked = 60
  const graph = {
    communities: Array.from({ length: 244 }, (_, node) => (node < linked ? node % 4 : 4 + node)),
    edges: Array.from({ length: linked }, (_, node) => [node, (node * 7 + 3) % linked, 1] as const),
  }
  const at = graphLayout(graph)
  const size = (nodes: number, axis: 0 | 1): number => {
    const ends = Array.from({ length: nodes }, (_, node) => at[2 * node + axis]!)
    return Math.max(...ends) - Math.min(...ends)
  }
  expect(at.every(Number.isFinite)).toBe(true)
  expect(size(linked, 0) / size(244, 0)).toBeGreaterThan(0.9)
  expect(size(linked, 1) / size(244, 1)).toBeGreaterThan(0.5)
})
