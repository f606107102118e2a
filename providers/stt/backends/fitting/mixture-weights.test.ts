import { describe, expect, it } from 'vitest'
import { expandMixtureWeights } from './mixture-weights.ts'

/** A compressed file of two streams, two densities and three senones, with these steps: streams by densities by senones. */
function sendump(steps: readonly number[], header: readonly string[] = ['cluster_count 0', 'feature_count 2']): Buffer {
  const lines = ['BEGIN FILE FORMAT DESCRIPTION', ...header].map((line) => {
    const text = Buffer.from(`${line}\0`)
    const length = Buffer.alloc(4)
    length.writeInt32LE(text.length)
    return Buffer.concat([length, text])
  })
  const end = Buffer.alloc(12)
  end.writeInt32LE(2, 4)
  end.writeInt32LE(3, 8)
  return Buffer.concat([...lines, end, Buffer.from(steps)])
}

/** Steps of 1,024 powers of 1.0001: 0 is one, 7 is about a half (0.488). */
const STEPS = [0, 7, 0, 0, 0, 7, /* second stream */ 0, 0, 0, 255, 0, 0]

describe('mixture weights', () => {
  it('come out by senone and stream, as shares of a fixed count', () => {
    const file = expandMixtureWeights(sendump(STEPS))
    const start = file.indexOf('endhdr\n') + 7
    expect(file.toString('latin1', 0, start)).toBe('s3\nversion 1.0\nendhdr\n')
    expect([0, 1, 2, 3, 4].map((i) => file.readUInt32LE(start + 4 * i))).toEqual([0x1122_3344, 3, 2, 2, 12])
    const weight = (senone: number, stream: number, density: number) =>
      file.readFloatLE(start + 20 + 4 * ((senone * 2 + stream) * 2 + density))
    const half = 1.0001 ** -(7 * 1024)
    expect(weight(0, 0, 0)).toBeCloseTo(50_000, 0)
    expect(weight(1, 0, 0)).toBeCloseTo((100_000 * half) / (1 + half), 0)
    expect(weight(2, 0, 1)).toBeCloseTo((100_000 * half) / (1 + half), 0)
    expect(weight(0, 1, 0)).toBeCloseTo(100_000, 0)
    expect(weight(0, 1, 1)).toBeLessThan(1)
    expect(file.length).toBe(start + 20 + 4 * 12)
  })

  it('are refused in another form', () => {
    expect(() => expandMixtureWeights(sendump(STEPS, ['cluster_count 16']))).toThrow('clustered')
    expect(() => expandMixtureWeights(sendump(STEPS.slice(1)))).toThrow('12 weights are declared, but 11 are stored')
    expect(() => expandMixtureWeights(sendump([]).subarray(0, 20))).toThrow('header has no end')
  })
})
