import { expect, it } from 'vitest'
import type { FrontierPoint } from '../../../contract/control/comparison.ts'
import { frontierOf } from './cost-axis.ts'

const point = (
  model: string,
  quality: number | null,
  latency_ms: number,
  total_tokens: number | null,
): FrontierPoint => ({
  ...{ run_id: 'r', dataset_id: 'd', model, quality, n: 4, expected: 4, latency_ms, total_tokens },
  ...{ llm_calls: null, cloud_calls: null, on_frontier: false },
})
const POINTS = [point('a', 0.5, 100, 900), point('b', 0.7, 300, 500), point('c', 0.6, 400, 600), point('d', null, 1, 1)]

it('the frontier is of the cost that is looked at', () => {
  expect([...frontierOf(POINTS, 'latency_ms', 'higher')]).toEqual(['a', 'b'])
  expect([...frontierOf(POINTS, 'total_tokens', 'higher')]).toEqual(['b'])
  expect([...frontierOf(POINTS, 'latency_ms', 'lower')]).toEqual(['a'])
  expect([...frontierOf(POINTS, 'cloud_calls', 'higher')]).toEqual([])
})
