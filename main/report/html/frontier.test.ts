import { describe, expect, it } from 'vitest'
import { frontierOf } from './frontier.ts'

const dot = (model: string, latencyMs: number, mean: number) => ({
  model,
  latencyMs,
  quality: { mean, interval: null, n: 1, expected: 1, unequal: false, common: null, failed: 0 },
})

describe('frontierOf', () => {
  it('holds who is not beaten in both, fastest first', () => {
    const dots = [
      dot('slow good', 900, 0.9),
      dot('fast poor', 10, 0.2),
      dot('beaten', 500, 0.3),
      dot('middle', 100, 0.5),
    ]
    expect(frontierOf(dots).map(({ model }) => model)).toEqual(['fast poor', 'middle', 'slow good'])
    expect(frontierOf([dot('a', 10, 0.4), dot('b', 10, 0.6), dot('c', 20, 0.6)]).map(({ model }) => model)).toEqual([
      'b',
    ])
  })
})
