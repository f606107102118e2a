import { describe, expect, it } from 'vitest'
import { FlipRates, LengthCorrelation, PositionEffect } from '../../../contract/evidence/statistics.ts'
import { judgedByBiased } from '../../../tests/helpers/simulated-scores.ts'
import { type BestVote, flipRates, lengthCorrelation, positionEffect, type PlacedScore } from './judge-bias.ts'
import { seededRandom } from '../../../tests/helpers/seeded-random.ts'

const options = { seed: 's', resamples: 1000 }
const judged = { questions: 40, approaches: 6 }

describe('positionEffect', () => {
  it('recovers an exact slope within answers, whatever their quality', () => {
    const exact = judgedByBiased('exact', { ...judged, bias: 0, rotations: 3 }).map((score, at) => ({
      ...score,
      score: Number(score.approach.slice(1)) + score.position * 0.25 + (at % 2 === 0 ? 1e-6 : 0),
    }))
    const effect = positionEffect(exact, options)
    expect(PositionEffect.parse(effect)).toEqual(effect)
    expect(effect).toMatchObject({ basis: 'within_answer', slope: { n: 720, clusters: 40 } })
    expect(effect.slope.value).toBeCloseTo(0.25, 5)
  })

  it.each([1, 2])('finds a bias with %i rotation(s), and none where there is none', (rotations) => {
    const biased = positionEffect(judgedByBiased('bias', { ...judged, bias: -0.25, rotations }), options)
    expect(biased.basis).toBe(rotations === 1 ? 'within_question' : 'within_answer')
    expect(biased.slope.interval!.high).toBeLessThan(0)
    const fair = positionEffect(judgedByBiased('fair', { ...judged, bias: 0, rotations }), options)
    expect(fair.slope.interval!.low).toBeLessThan(0)
    expect(fair.slope.interval!.high).toBeGreaterThan(0)
  })

  it('removes the level of approaches that are always in one region', () => {
    // Good answers mostly first: without the approach's level this would look like a bias.
    const random = seededRandom('level')
    const scores = judgedByBiased('level', { ...judged, bias: 0, rotations: 1 }).map((score) => ({
      ...score,
      score: 5 - Number(score.approach.slice(1)) / 2,
      position: Math.round(1 + Number(score.approach.slice(1)) + random.uniform() * 2),
    }))
    expect(Math.abs(positionEffect(scores, options).slope.value!)).toBeLessThan(1e-9)
  })

  it('has no value without places that differ', () => {
    const nowhere = judgedByBiased('x', { ...judged, bias: 0, rotations: 1 }).map((score) => ({
      ...score,
      position: 1,
    }))
    expect(positionEffect(nowhere, options)).toMatchObject({
      basis: 'none',
      slope: { value: null, no_interval: 'no_data' },
    })
    expect(positionEffect([], options)).toMatchObject({ basis: 'none', slope: { n: 0 } })
  })
})

describe('lengthCorrelation', () => {
  it('distinguishes a preference for length from approaches that are long and good', () => {
    const long = judgedByBiased('long', { ...judged, bias: 0.1, rotations: 2 }).map((score) => ({
      ...score,
      length: 100 + 200 * Number(score.approach.slice(1)) + (score.length % 50),
      score: Number(score.approach.slice(1)) + (score.length % 7) / 7 + 0.1 * score.position,
    }))
    const correlation = lengthCorrelation(long, options)
    expect(LengthCorrelation.parse(correlation)).toEqual(correlation)
    expect(correlation.within_question.value).toBeGreaterThan(0.8)
    expect(correlation.within_approach.interval!.low).toBeLessThan(0.1)
    expect(Math.abs(correlation.within_approach.value!)).toBeLessThan(0.2)
  })

  it('is 1 when the score is the logarithm of the length, the place removed', () => {
    const scores = judgedByBiased('log', { ...judged, bias: 0, rotations: 2 }).map((score) => ({
      ...score,
      score: Math.log1p(score.length) - 0.3 * score.position,
    }))
    expect(lengthCorrelation(scores, options).within_question.value).toBeCloseTo(1, 10)
  })

  it('is not defined for equal lengths', () => {
    const equal = judgedByBiased('eq', { ...judged, bias: 0, rotations: 1 }).map((score) => ({ ...score, length: 300 }))
    expect(lengthCorrelation(equal, options).within_question).toMatchObject({ value: null, no_interval: 'not_defined' })
  })
})

describe('the ends of a prompt', () => {
  const favouring = (judge: 'ends' | 'middle') =>
    judgedByBiased(judge, { questions: 40, approaches: 6, rotations: 2, bias: 0 }).map((score) => {
      const isEnd = score.position === 1 || score.position === 6
      return { ...score, score: score.score + (isEnd === (judge === 'ends') ? 0.6 : 0) }
    })

  it.each(['ends', 'middle'] as const)('show a judge that favours the %s, where the slope shows nothing', (judge) => {
    const { slope, first, last } = positionEffect(favouring(judge), options)
    const sign = judge === 'ends' ? 1 : -1
    expect(slope.interval!.low).toBeLessThan(0)
    expect(slope.interval!.high).toBeGreaterThan(0)
    for (const end of [first!, last!]) expect(sign * end.value!).toBeGreaterThan(0.3)
    for (const end of [first!, last!])
      expect(sign * (sign > 0 ? end.interval!.low : end.interval!.high)).toBeGreaterThan(0)
  })
})

describe('flipRates', () => {
  const scoreOf = (question: string, rotation: number, approach: string, score: number): PlacedScore => ({
    question,
    cluster: question,
    rotation,
    approach,
    score,
    position: 1,
    length: 100,
  })
  const voteOf = (question: string, rotation: number, best: string | null): BestVote => ({
    question,
    cluster: question,
    rotation,
    best,
  })

  it('counts votes that change and strict preferences that reverse', () => {
    const votes = [
      voteOf('q1', 0, 'a'),
      voteOf('q1', 1, 'b'),
      voteOf('q1', 2, null),
      voteOf('q2', 0, 'a'),
      voteOf('q2', 1, 'a'),
    ]
    const scores = [
      scoreOf('q1', 0, 'a', 4),
      scoreOf('q1', 0, 'b', 3),
      scoreOf('q1', 0, 'c', 3),
      scoreOf('q1', 1, 'a', 3),
      scoreOf('q1', 1, 'b', 4),
      scoreOf('q1', 1, 'c', 2),
      scoreOf('q2', 0, 'a', 4),
      scoreOf('q2', 0, 'b', 1),
      scoreOf('q2', 0, 'c', 2),
      scoreOf('q2', 1, 'a', 4),
      scoreOf('q2', 1, 'b', 1),
    ]
    const rates = flipRates(votes, scores, options)
    expect(FlipRates.parse(rates)).toEqual(rates)
    expect(rates.best).toMatchObject({ value: 0.5, n: 2, clusters: 2 })
    expect(rates.order).toMatchObject({ value: 1 / 3, n: 3, clusters: 2 })
  })

  it('has no value without rotations', () => {
    const rates = flipRates([voteOf('q1', 0, 'a')], [scoreOf('q1', 0, 'a', 3), scoreOf('q1', 0, 'b', 2)], options)
    expect([rates.best.no_interval, rates.order.no_interval]).toEqual(['no_data', 'no_data'])
  })
})
