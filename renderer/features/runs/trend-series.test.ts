import { expect, it } from 'vitest'
import type { FrontierPoint } from '../../../contract/control/comparison.ts'
import { trendSeries } from './trend-series.ts'

const point = (run: string, quality: number | null, n: number, model = 'hybrid-rag'): FrontierPoint => ({
  run_id: run,
  dataset_id: 'hand',
  model,
  base_model: null,
  quality,
  n,
  expected: 24,
  latency_ms: 3,
  total_tokens: null,
  llm_calls: null,
  cloud_calls: null,
  by_hops: [],
})

it('each approach has a point per run in the order of the runs, with its interval, and a gap where it did not run', () => {
  const points = [point('new', 0.75, 21), point('old', 0.5, 21), point('new', 0.25, 21, 'graph-rag')]
  const series = trendSeries(['old', 'new'], points, (run, alias) =>
    run === 'old' && alias === 'hybrid-rag' ? { low: 0.25, high: 0.625 } : null,
  )
  expect(series.map(({ look, points: own }) => [look.short, own.map((each) => each?.mean ?? null)])).toEqual([
    ['hybrid', [0.5, 0.75]],
    ['graph', [null, 0.25]],
  ])
  expect(series[0]!.points[0]).toEqual({
    mean: 0.5,
    interval: { low: 0.25, high: 0.625 },
    title: 'hybrid-rag in old: 0.50 [0.25, 0.63], 21/24',
    thin: null,
  })
})

it('a run that scored fewer questions of an approach is marked with its count, so that no line joins it', () => {
  const [series] = trendSeries(
    ['a', 'b', 'c'],
    [point('a', 0.5, 21), point('b', 0.9, 7), point('c', 0.6, 21)],
    () => null,
  )
  expect(series!.points.map((each) => each?.thin)).toEqual([null, '7/24', null])
})

it('a run without a value of the metric leaves a gap', () => {
  const [series] = trendSeries(['a', 'b'], [point('a', null, 0), point('b', 0.6, 21)], () => null)
  expect(series!.points.map((each) => each?.mean ?? null)).toEqual([null, 0.6])
})
