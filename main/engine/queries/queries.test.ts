import { describe, expect, it } from 'vitest'
import type { Reproducibility } from '../../../contract/index.ts'
import type { RunIndexApi } from '../index-gateway.ts'
import { withFrontier } from './run-result.ts'
import { pairsOfAliases, pairsOfRuns } from './paired-statistics.ts'
import { diffProvenance } from './provenance-diff.ts'

const point = (model: string, quality: number | null, latency_ms: number | null) => ({
  run_id: 'run',
  dataset_id: 'smoke',
  model,
  base_model: null,
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

describe('paired statistics', () => {
  /** An index of one dataset run in which each question has as many rows as answers: by question, then answer, then alias. */
  const indexOf = (answers: (number | null)[][][]) =>
    ({
      query: (_name: 'matrixPage', { aliases = ['a', 'b'], run_id }: { aliases?: string[]; run_id: string }) => {
        const rows = answers.flatMap((repeats, place) =>
          repeats.map((values, at) => ({
            question_id: `q-${place}`,
            repeat: at + 1,
            cells: aliases.map((_alias, column) => {
              const value = values[aliases.length === 1 && run_id === 'second' ? 1 : column] ?? null
              return value === null ? null : { value }
            }),
          })),
        )
        return Promise.resolve({ ok: true, page: { revision: 1, aliases, matching: rows.length, rows } })
      },
    }) as unknown as RunIndexApi
  const source = (answers: (number | null)[][][]) => ({
    index: indexOf(answers),
    goldDocuments: () => Promise.resolve(new Map<string, string[]>()),
    signal: new AbortController().signal,
  })
  const scores = [0.1, 0.4, 0.6, 0.9, 0.3, 0.8, 0.2, 0.7, 0.5, 0.35, 0.65, 0.15]
  const once = scores.map((score) => [[score, score / 2]])
  const twice = scores.map((score) => [
    [score - 0.05, score / 2],
    [score + 0.05, null],
  ])

  it('take the mean of the answers to a question for one observation, within a run and between runs', async () => {
    const within = { run_id: 'first', dataset_id: 'd', metric: 'faithfulness' as const }
    const between = { run_ids: ['first', 'second'], dataset_id: 'd', metric: 'faithfulness' as const, alias: 'a' }
    for (const pairs of [
      (answers: (number | null)[][][]) => pairsOfAliases(source(answers), within),
      (answers: (number | null)[][][]) => pairsOfRuns(source(answers), between),
    ]) {
      const [single, repeated] = [await pairs(once), await pairs(twice)]
      expect(repeated.clusters).toEqual(single.clusters)
      const [of, those] = [single.comparison.pairs[0]!.difference, repeated.comparison.pairs[0]!.difference]
      expect(those).toMatchObject({ n: scores.length, clusters: scores.length })
      expect(those.value).toBeCloseTo(of.value!, 12)
      expect(those.interval?.low).toBeCloseTo(of.interval!.low, 9)
    }
  })
})
