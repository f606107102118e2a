import { expect, it } from 'vitest'
import { frontierOf } from './frontier-points.ts'

const point = (model: string, cost: number, quality: number) => ({ model, cost, quality })
const names = (points: readonly { model: string }[]): string[] => points.map(({ model }) => model)

it('the frontier holds what no other point beats in both, cheapest first, equal points included', () => {
  const points = [
    point('slow good', 900, 0.9),
    point('fast poor', 10, 0.2),
    point('beaten', 500, 0.3),
    point('middle', 100, 0.5),
    point('as middle', 100, 0.5),
  ]
  expect(names(frontierOf(points, 'higher'))).toEqual(['fast poor', 'middle', 'as middle', 'slow good'])
  expect(names(frontierOf([point('a', 10, 0.4), point('b', 10, 0.6), point('c', 20, 0.6)], 'higher'))).toEqual(['b'])
})

it('the frontier turns round where lower quality is better', () => {
  expect(names(frontierOf([point('a', 10, 0.4), point('b', 20, 0.2), point('c', 30, 0.6)], 'lower'))).toEqual([
    'a',
    'b',
  ])
})
