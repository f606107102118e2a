import fc from 'fast-check'
import { expect, it } from 'vitest'
import { unitVectors } from './unit-vectors.ts'

it('scales to length 1 and keeps order and direction', () => {
  const vectors = unitVectors(
    'embed',
    [
      [3, 4],
      [0, -2],
    ],
    2,
  )
  expect(vectors.map((vector) => Array.from(vector, (value) => Math.round(value * 1e6) / 1e6))).toEqual([
    [0.6, 0.8],
    [0, -1],
  ])
  const numbers = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 64 })
  fc.assert(
    fc.property(
      numbers.filter((values) => values.some((value) => Math.abs(value) > 1e-3)),
      (values) => {
        expect(Math.hypot(...unitVectors('embed', [values], 1)[0]!)).toBeCloseTo(1, 5)
      },
    ),
  )
})

it.each([
  ['too few', [[1]], 2, 'expected 2 embeddings, received 1'],
  ['ragged', [[1, 0], [1]], 2, 'embedding 1 has 1 dimensions, the first has 2'],
  ['empty', [[]], 1, 'embedding 0 has 0 dimensions'],
  ['zero', [[0, 0]], 1, 'embedding 0 is all zeros'],
  ['not finite', [[1, NaN]], 1, 'embedding 0 holds a value that is not a finite number'],
  ['infinite', [[1, Infinity]], 1, 'embedding 0 holds a value that is not a finite number'],
])('refuses %s vectors', (_name, vectors, count, problem) => {
  expect(() => unitVectors('embed', vectors, count)).toThrow(problem)
})
