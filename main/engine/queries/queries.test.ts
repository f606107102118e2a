import { describe, expect, it } from 'vitest'
import type { Reproducibility } from '../../../contract/index.ts'
import { withFrontier } from './frontier.ts'
import { diffProvenance } from './provenance-diff.ts'

const point = (model: string, quality: number | null, latency_ms: number | null) => ({
  run_id: 'run',
  dataset_id: 'smoke',
  model,
  quality,
  n: 4,
  expected: 4,
  latency_ms,
  total_tokens: null,
  llm_calls: null,
  cloud_calls: null,
})
const onFrontier = (points: ReturnType<typeof withFrontier>) =>
  points.filter((each) => each.on_frontier).map(({ model }) => model)

describe('withFrontier', () => {
  it('keeps what nothing else beats in both, ties included', () => {
    const points = [
      point('fast', 0.5, 100),
      point('good', 0.9, 900),
      point('beaten', 0.5, 200),
      point('same as good', 0.9, 900),
      point('unscored', null, 1),
    ]
    expect(onFrontier(withFrontier(points, 'higher'))).toEqual(['fast', 'good', 'same as good'])
  })

  it('turns round where lower is better', () => {
    const points = [point('low', 0.1, 100), point('high', 0.9, 100)]
    expect(onFrontier(withFrontier(points, 'lower'))).toEqual(['low'])
  })
})

describe('diffProvenance', () => {
  const one = { seed: 'a', config_hashes: { models: 'x' }, ingestion: null, runtime: { base_port: 1 } }
  const as = (value: object) => value as Reproducibility

  it('names the fields that differ and counts those that do not', () => {
    const two = { ...one, seed: 'b', config_hashes: { models: 'x', queries: 'y' } }
    expect(diffProvenance([as(one), null, as(two)])).toEqual({
      same: 3,
      differences: [
        { path: 'seed', values: ['a', null, 'b'] },
        { path: 'config_hashes.queries', values: [null, null, 'y'] },
      ],
    })
  })

  it('finds nothing between equals', () =>
    expect(diffProvenance([as(one), as({ ...one })])).toEqual({ same: 4, differences: [] }))
})
