import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../tests/helpers/seeded-random.ts'
import { fillBits, streamState } from './random.ts'

it('fillBits gives the published outputs of xoshiro128** 1.1 from the state 1, 2, 3, 4', () => {
  const state = Int32Array.of(1, 2, 3, 4)
  const [first, second] = [new Uint32Array(3), new Uint32Array(5)]
  fillBits(state, first)
  fillBits(state, second)
  expect([...first, ...second]).toEqual([11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849])
})

describe('seededRandom', () => {
  it('starts from the SHA-256 of the seed, little-endian', () => {
    // SHA-256 of the empty text is e3b0c442 98fc1c14 9afbf4c8 996fb924 …
    expect([...streamState('')].map((word) => (word >>> 0).toString(16))).toEqual([
      '42c4b0e3',
      '141cfc98',
      'c8f4fb9a',
      '24b96f99',
    ])
  })

  it('repeats for one seed and differs for another', () => {
    const draw = (seed: string): number[] => {
      const random = seededRandom(seed)
      return Array.from({ length: 200 }, () => random.nextUint32())
    }
    expect(draw('a')).toEqual(draw('a'))
    expect(draw('a')).not.toEqual(draw('b'))
  })

  it('spreads evenly', () => {
    const random = seededRandom('even')
    const counts = new Array<number>(10).fill(0)
    for (let draw = 0; draw < 100_000; draw += 1) counts[random.below(10)]! += 1
    const chiSquare = counts.reduce((sum, count) => sum + (count - 10_000) ** 2 / 10_000, 0)
    expect(chiSquare).toBeLessThan(27.9)
    let sum = 0
    for (let draw = 0; draw < 100_000; draw += 1) sum += random.uniform()
    expect(Math.abs(sum / 100_000 - 0.5)).toBeLessThan(0.004)
  })
})
