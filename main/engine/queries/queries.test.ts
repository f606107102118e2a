import { describe, expect, it } from 'vitest'
import type { Reproducibility } from '../../../contract/evidence/provenance.ts'
import type { RunIndexApi } from '../index-gateway.ts'
import { changesOfRuns, pairsOfAliases } from './paired-statistics.ts'
import { diffProvenance } from './provenance-diff.ts'

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
      query: (name: string, { aliases = ['a', 'b'], run_id }: { aliases?: string[]; run_id: string }) => {
        if (name === 'compareRuns')
          return Promise.resolve({
            better: 'higher',
            aliases: [{ model: 'a', runs: [{ run_id: 'first' }, { run_id: 'second' }] }],
          })
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
    gold: () => Promise.resolve(new Map()),
    testing: () => Promise.resolve({}),
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
    const between = { run_ids: ['first', 'second'], dataset_id: 'd', metric: 'faithfulness' as const }
    const ofAliases = async (answers: (number | null)[][][]) =>
      (await pairsOfAliases(source(answers), within)).comparison.pairs[0]!.difference
    const ofRuns = async (answers: (number | null)[][][]) =>
      (await changesOfRuns(source(answers), between)).changes[0]!.pair!.difference
    for (const differenceOf of [ofAliases, ofRuns]) {
      const [of, those] = [await differenceOf(once), await differenceOf(twice)]
      expect(those).toMatchObject({ n: scores.length, clusters: scores.length })
      expect(those.value).toBeCloseTo(of.value!, 12)
      expect(those.interval?.low).toBeCloseTo(of.interval!.low, 9)
    }
  })

  it.each([[['a']], [[]]])('of the aliases %j have their means with intervals and no pair', async (aliases) => {
    const input = { run_id: 'first', dataset_id: 'd', metric: 'faithfulness' as const, aliases }
    const { comparison } = await pairsOfAliases(source(once), input)
    expect(comparison.approaches.map(({ model }) => model)).toEqual(aliases)
    expect(comparison.approaches.every(({ mean }) => mean.n === scores.length && mean.interval !== null)).toBe(true)
    expect(comparison.pairs).toEqual([])
  })

  /** Two runs of aliases: by alias, then question, the scores of the first and of the second run. */
  const runsOf = (byAlias: Record<string, [number, number][]>): RunIndexApi =>
    ({
      query: (name: string, { run_id, aliases }: { run_id: string; aliases: string[] }) => {
        if (name === 'compareRuns')
          return Promise.resolve({
            better: 'higher',
            aliases: Object.keys(byAlias).map((model) => ({
              model,
              runs: [{ run_id: 'now' }, { run_id: 'before' }],
            })),
          })
        const rows = byAlias[aliases[0]!]!.map((scores, place) => ({
          question_id: `q-${place}`,
          repeat: 1,
          cells: [{ value: scores[run_id === 'now' ? 0 : 1] }],
        }))
        return Promise.resolve({ page: { revision: 1, aliases, matching: rows.length, rows } })
      },
    }) as unknown as RunIndexApi
  const changesOf = (byAlias: Record<string, [number, number][]>) =>
    changesOfRuns(
      { ...source([]), index: runsOf(byAlias) },
      { run_ids: ['now', 'before'], dataset_id: 'd', metric: 'facts_found' },
    )

  it('between runs make no claim from three questions, however far the scores fall', async () => {
    const { changes, headline } = await changesOf({
      graph: [
        [0, 1],
        [0, 1],
        [0, 1],
      ],
    })
    expect(changes).toMatchObject([{ from: 1, to: 0, difference: -1, pair: { decision: 'undecided' } }])
    expect(headline).toBe('Too few questions to test: 3 shared questions')
  })

  it('between runs are corrected over all approaches: what one alone would show as worse is open among many', async () => {
    const faint: [number, number][] = scores.map((_, place) => (place < 6 ? [0, 1] : [place % 2, place % 2]))
    const noise: [number, number][] = scores.map((_, place) => [place % 2, (place + Math.floor(place / 2)) % 2])
    const alone = await changesOf({ faint })
    expect(alone.changes[0]!.pair!.decision).toBe('worse')
    const names = Array.from({ length: 12 }, (_, place) => `noise-${place}`)
    const many = await changesOf({ faint, ...Object.fromEntries(names.map((name) => [name, noise])) })
    const [first] = many.changes
    expect(first!.pair!.p_adjusted).toBeCloseTo(13 * alone.changes[0]!.pair!.p!, 9)
    expect(first!.pair!.decision).toBe('undecided')
    expect(many.headline).toMatch(/^No approach is better or worse: /)
  })
})
