import { expect, it } from 'vitest'
import type { MeasuredLevel } from '../contract/evidence/measured-level.ts'
import { inversionWords, measuredLevelWords } from './measured-level-words.ts'

const level = (value: number, interval: [number, number] | null): MeasuredLevel => ({
  questions: 98,
  recall: 0.7,
  by_hops: [],
  slope: {
    value,
    n: 98,
    clusters: 20,
    effective_clusters: 12,
    se: interval === null ? null : 0.02,
    interval: interval === null ? null : { low: interval[0], high: interval[1] },
    no_interval: interval === null ? 'too_few_clusters' : null,
  },
  reason: interval === null ? 'too_few_questions' : null,
})

it.each([
  [level(-0.14, [-0.25, -0.03]), 'finds less the more passages'],
  [level(0.09, [0.03, 0.15]), 'finds more the more passages'],
  [level(0.01, [-0.04, 0.06]), 'it is not shown that keyword search finds less'],
  [level(-0.2, null), 'no test is possible, because its questions are in fewer than 8 independent groups'],
])('what a slope shows is what its interval carries (%#)', (measured, words) => {
  expect(measuredLevelWords(measured)).toContain(words)
})

it('a level that is not measured has its reason', () => {
  expect(measuredLevelWords({ questions: 0, recall: null, by_hops: [], slope: null, reason: 'not_text' })).toBe(
    'measured level: none, because a converter or a recognizer reads some of its documents, so their text is not known before a run',
  )
})

const rung = (complexity_level: number, measured_level?: MeasuredLevel) => ({
  complexity_level,
  label: `Set ${complexity_level}`,
  measured_level,
})

it('names a level that measures less relational than the one before it, and whether the intervals are apart', () => {
  expect(inversionWords([rung(1, level(0.01, [-0.04, 0.06])), rung(2, level(-0.14, [-0.25, -0.03]))])).toEqual([])
  const [overlapping] = inversionWords([rung(2, level(-0.05, [-0.1, 0])), rung(1, level(-0.1, [-0.15, -0.05]))])
  expect(overlapping).toBe(
    'Level 2 (Set 2) measures less relational than level 1 (Set 1): −0.05 [−0.10, 0.00] against −0.10 [−0.15, −0.05] recall with each hop, which is no difference that these questions show',
  )
  const [apart] = inversionWords([rung(1, level(-0.2, [-0.25, -0.15])), rung(2, level(0, [-0.05, 0.05]))])
  expect(apart).toMatch(/recall with each hop$/)
  expect(inversionWords([rung(0, level(-0.3, null)), rung(1), rung(2, level(0, [-0.05, 0.05]))])).toEqual([])
})
