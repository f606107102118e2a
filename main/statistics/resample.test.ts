import { describe, expect, it } from 'vitest'
import { seededRandom } from '../../tests/helpers/seeded-random.ts'
import { fillBits, scaledBits, streamState } from './random.ts'
import { resampleSums } from './resample.ts'

const columnsOf = (count: number, clusters: number): Float64Array[] => {
  const random = seededRandom('columns')
  return Array.from({ length: count }, () => new Float64Array(clusters).map(() => random.uniform()))
}

describe('resampleSums', () => {
  it.each([1, 3, 4, 7])('adds %i columns up over the drawn clusters, as the plain definition does', (count) => {
    const clusters = 13
    const columns = columnsOf(count, clusters)
    const state = streamState('s')
    const bits = new Uint32Array(clusters * 2)
    const expected = columns.map((): number[] => [])
    for (let block = 0; block < 3; block += 1) {
      fillBits(state, bits)
      for (const lane of [0, 1]) {
        const drawn = Array.from(bits).flatMap((word, at) => (at % 2 === lane ? [scaledBits(word, clusters)] : []))
        expect(drawn).toHaveLength(clusters)
        for (const [index, column] of columns.entries())
          expected[index]!.push(drawn.reduce((sum, cluster) => sum + column[cluster]!, 0))
      }
    }
    const sums = resampleSums(columns, clusters, 5, 's')
    expect(sums.map((sum) => sum.length)).toEqual(columns.map(() => 5))
    for (const [index, sum] of sums.entries())
      for (const [resample, value] of sum.entries()) expect(value).toBeCloseTo(expected[index]![resample]!, 12)
  })

  it('gives a column the same sums whatever the other columns hold', () => {
    const columns = columnsOf(6, 20)
    const together = resampleSums(columns, 20, 40, 's')
    expect(resampleSums([columns[5]!], 20, 40, 's')[0]).toEqual(together[5])
  })
})
