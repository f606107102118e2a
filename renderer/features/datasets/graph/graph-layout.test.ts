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
