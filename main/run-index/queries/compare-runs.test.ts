import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changedCells, comparedAliases, type ComparedColumn } from './compare-runs.ts'

const column = (runs: (number | null)[][]): ComparedColumn => ({
  dataset_id: 'd',
  model: 'm',
  questions: [10, 20, 30, 40],
  places: [0, 1, 2, 3].map((question) => ({ question, repeat: 1 })),
  runs: runs.map((values) =>
    values.length === 0
      ? null
      : { values: values.map((value) => value ?? Number.NaN), states: values.map((value) => (value === null ? 3 : 1)) },
  ),
})

describe('comparing runs', () => {
  it('means over common questions exclude questions that one run lacks, and ignore runs without the alias', () => {
    const compared = comparedAliases(column([[0.5, 1, null], [], [0.7, 1, 0.2, 0.9]]), ['a', 'b', 'c'], 1e-9)
    expect(compared).toEqual({
      dataset_id: 'd',
      model: 'm',
      common: 2,
      runs: [
        { run_id: 'a', n: 2, mean: 0.75, common_mean: 0.75, changed: 0 },
        { run_id: 'c', n: 4, mean: 0.7, common_mean: 0.85, changed: 3 },
      ],
    })
  })

  it('the largest changes are listed first, and cells that only some runs have last', () => {
    const { total, cells } = changedCells(
      [
        column([
          [0.5, 1, null],
          [0.7, 1, 0.2],
          [0.6, 1, 0.2, 0.9],
        ]),
      ],
      3,
      0.01,
      10,
    )
    expect(total).toBe(3)
    expect(cells.map(({ question, spread }) => [question, spread])).toEqual([
      [10, expect.closeTo(0.2)],
      [30, 0],
      [40, null],
    ])
    expect(cells[1]).toMatchObject({ values: [null, 0.2, 0.2], states: ['error', 'ok', 'ok'] })
    expect(cells[2]).toMatchObject({ values: [null, null, 0.9], states: ['missing', 'missing', 'ok'] })
  })

  it('counts equal a direct count over the values', () => {
    const value = fc.oneof(fc.constantFrom(0, 0.25, 0.5), fc.constant(null))
    const values = fc.array(fc.array(value, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(values, (runs) => {
        const at = (run: number, index: number) => runs[run]![index] ?? null
        const indexes = [0, 1, 2, 3]
        const { common, runs: compared } = comparedAliases(column(runs), runs.map(String), 0)
        expect(common).toBe(indexes.filter((index) => runs.every((_, run) => at(run, index) !== null)).length)
        for (const [run, { n, changed }] of compared.entries()) {
          expect(n).toBe(indexes.filter((index) => at(run, index) !== null).length)
          expect(changed).toBe(indexes.filter((index) => at(run, index) !== at(0, index)).length)
        }
        const different = indexes.filter((index) => new Set(runs.map((_, run) => at(run, index))).size > 1)
        expect(changedCells([column(runs)], runs.length, 0, 10).total).toBe(different.length)
      }),
    )
  })
})
