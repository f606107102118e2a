import { describe, expect, it } from 'vitest'
import { VarianceComponents } from '../../contract/evidence/statistics.ts'
import { seededRandom } from '../../tests/helpers/seeded-random.ts'
import { StatisticsError } from './statistics-error.ts'
import { varianceComponents } from './variance-components.ts'

// Davies 1947, Statistical Methods in Research and Production: yields of dyestuff, six batches of five.
const dyestuff = [
  1545, 1440, 1440, 1520, 1580, 1540, 1555, 1490, 1560, 1495, 1595, 1550, 1605, 1510, 1560, 1445, 1440, 1595, 1465,
  1545, 1595, 1630, 1515, 1635, 1625, 1520, 1455, 1450, 1480, 1445,
]

// Box and Tiao 1973, Bayesian Inference in Statistical Analysis, table 5.1.4: simulated so that the estimate between batches is negative.
const negative = [
  7.298, 3.846, 2.434, 9.566, 7.99, 5.22, 6.556, 0.608, 11.788, -0.892, 0.11, 10.386, 13.434, 5.51, 8.166, 2.212, 4.852,
  7.092, 9.288, 4.98, 0.282, 9.014, 4.458, 9.446, 7.198, 1.722, 4.782, 8.106, 0.758, 3.758,
]

// Shrout and Fleiss 1979, Psychological Bulletin 86, table 2: six targets, four judges; BMS 11.24, JMS 32.49, EMS 1.02.
const targets = [9, 2, 5, 8, 6, 1, 3, 2, 8, 4, 6, 8, 7, 1, 2, 6, 10, 5, 6, 9, 6, 2, 4, 7]

describe('varianceComponents', () => {
  it('splits repeated answers: the published components of the dyestuff data', () => {
    const result = varianceComponents({ questions: 6, repeats: 5, judges: 1, values: Float64Array.from(dyestuff) })
    expect(VarianceComponents.parse(result)).toEqual(result)
    expect(result.question!.variance).toBeCloseTo(1764.05, 6)
    expect(result.generation!.variance).toBeCloseTo(2451.25, 6)
    expect(result.question!.share + result.generation!.share).toBeCloseTo(1, 12)
    expect(result).toMatchObject({ judge_severity: null, judge_question: null, residual: null, dropped: 0, repeats: 5 })
  })

  it('shows a negative estimate as 0 and reports it', () => {
    const result = varianceComponents({ questions: 6, repeats: 5, judges: 1, values: Float64Array.from(negative) })
    expect(result.question).toEqual({ variance: 0, share: 0, clipped: true })
    expect(result.generation).toEqual({ variance: expect.closeTo(14.9459, 4), share: 1, clipped: false })
  })

  it('splits judged answers without repeats: the published mean squares', () => {
    const result = varianceComponents({ questions: 6, repeats: 1, judges: 4, values: Float64Array.from(targets) })
    expect(result.question!.variance).toBeCloseTo((11.24 - 1.02) / 4, 2)
    expect(result.judge_severity!.variance).toBeCloseTo((32.49 - 1.02) / 6, 2)
    expect(result.residual!.variance).toBeCloseTo(1.02, 2)
    expect(result).toMatchObject({ generation: null, judge_question: null })
  })

  it('recovers all five parts of a simulated design', () => {
    const random = seededRandom('parts')
    // Uniform on ±√3·s has the variance s².
    const effect = (variance: number): number => (random.uniform() - 0.5) * Math.sqrt(12 * variance)
    const [questions, repeats, judges] = [600, 3, 40]
    const severity = Array.from({ length: judges }, () => effect(0.5))
    const values: number[] = []
    for (let question = 0; question < questions; question += 1) {
      const level = effect(1)
      const taste = Array.from({ length: judges }, () => effect(0.3))
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        const luck = effect(0.2)
        for (let judge = 0; judge < judges; judge += 1)
          values.push(level + luck + severity[judge]! + taste[judge]! + effect(0.4))
      }
    }
    const result = varianceComponents({ questions, repeats, judges, values: Float64Array.from(values) })
    const expected = { question: 1, generation: 0.2, judge_severity: 0.5, judge_question: 0.3, residual: 0.4 }
    for (const [part, variance] of Object.entries(expected))
      expect(Math.abs(result[part as keyof typeof expected]!.variance / variance - 1), part).toBeLessThan(0.25)
  })

  it('takes unequal numbers of repeats, and drops judged questions with a gap', () => {
    const gappy = Float64Array.from(dyestuff)
    gappy[3] = NaN
    expect(varianceComponents({ questions: 6, repeats: 5, judges: 1, values: gappy })).toMatchObject({
      questions: 6,
      dropped: 0,
      repeats: 29 / 6,
    })
    const judged = Float64Array.from(targets)
    judged[5] = NaN
    expect(varianceComponents({ questions: 6, repeats: 1, judges: 4, values: judged })).toMatchObject({
      questions: 5,
      dropped: 1,
    })
  })

  it('leaves out what a design cannot estimate', () => {
    const single = varianceComponents({ questions: 4, repeats: 1, judges: 1, values: Float64Array.of(1, 2, 3, 4) })
    expect(single).toMatchObject({ question: { variance: 5 / 3, share: 1 }, generation: null })
    const one = varianceComponents({ questions: 1, repeats: 2, judges: 1, values: Float64Array.of(1, 2) })
    expect(one).toMatchObject({ question: null, generation: null })
    expect(() => varianceComponents({ questions: 2, repeats: 2, judges: 2, values: new Float64Array(7) })).toThrow(
      StatisticsError,
    )
  })
})
