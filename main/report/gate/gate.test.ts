import { describe, expect, it } from 'vitest'
import type { RowQuestion } from '../../../contract/evidence/canonical-row.ts'
import { randomFrom } from '../../../tests/helpers/random.ts'
import type { QuestionScores } from '../question-scores.ts'
import { gateChecks, gateHeadline, hasPassed, type GateRules } from './gate.ts'
import { gateJUnit } from './junit.ts'
import { gateMarkdown } from './gate-markdown.ts'

const METRIC = 'facts_found'
const RULES: GateRules = { metric: METRIC, margin: 0.03, failBelow: null, allowOpen: false }

const question = (id: string, query = `What is in ${id}?`): RowQuestion => ({
  id,
  query,
  ground_truth: id,
  answerable: true,
  hops: 1,
  gold: [{ document: `${id}.md`, fact: id }],
  answer_keys: [],
  rationale: null,
  expect_winner: null,
})

/** A run in which each approach has these scores, question by question; NaN for none. */
function runOf(scores: Readonly<Record<string, readonly number[]>>, queryOf?: (at: number) => string): QuestionScores {
  const count = Math.max(...Object.values(scores).map(({ length }) => length))
  const questions = Array.from({ length: count }, (_, at) => question(`q${at}`, queryOf?.(at)))
  return {
    questions: new Map(questions.map((each) => [each.id, each])),
    models: new Set(Object.keys(scores)),
    score: (metric, model, id) =>
      metric === METRIC ? (scores[model]?.[Number(id.slice(1))] ?? Number.NaN) : Number.NaN,
  }
}

const check = (before: readonly number[], after: readonly number[], rules: Partial<GateRules> = {}) =>
  gateChecks([{ dataset: 'notes', before: runOf({ a: before }), after: runOf({ a: after }) }], {
    ...RULES,
    ...rules,
  })[0]!

/** 0 and 1, so many of them 1. */
const shares = (count: number, ones: number): number[] => Array.from({ length: count }, (_, at) => (at < ones ? 1 : 0))

describe('a gate', () => {
  it('lets a run pass that loses nothing on enough questions', () => {
    const same = shares(200, 160)
    expect(check(same, same)).toMatchObject({
      state: 'not_worse',
      passed: true,
      questions: 200,
      before: 0.8,
      after: 0.8,
    })
  })

  it('stops a run that loses ten points', () => {
    const found = check(shares(200, 160), shares(200, 140))
    expect(found).toMatchObject({ state: 'worse', passed: false })
    expect(found.sentence).toMatch(
      /^0\.70 against 0\.80 on 200 questions: change −0\.10 \[−0\.1\d, −0\.0\d\], beyond the margin of 0\.03$/,
    )
  })

  it('fails over questions that cannot show it, unless open ones are allowed', () => {
    const few = shares(24, 20)
    expect(check(few, few)).toMatchObject({ state: 'open', passed: false })
    expect(check(few, few, { allowOpen: true })).toMatchObject({ state: 'open', passed: true })
    expect(check([1, 1, 1], [1, 1, 1])).toMatchObject({ state: 'too_few', passed: false })
    expect(check(shares(200, 160), shares(200, 140), { allowOpen: true }).passed).toBe(false)
  })

  it('fails where answers, approaches or the baseline are missing', () => {
    const scores = shares(200, 160)
    const holes = scores.map((score, at) => (at === 7 ? Number.NaN : score))
    expect(check(scores, holes)).toMatchObject({ state: 'unscored', passed: false })
    expect(check(scores, holes).sentence).toContain('1 question that the baseline has a score for has none')
    const [gone, added] = gateChecks(
      [{ dataset: 'notes', before: runOf({ a: scores }), after: runOf({ b: scores }) }],
      { ...RULES, allowOpen: true },
    )
    expect([gone!.state, added!.state, gone!.passed, added!.passed]).toEqual(['unscored', 'no_baseline', false, false])
    expect(gateChecks([{ dataset: 'new', before: null, after: runOf({ a: scores }) }], RULES)[0]).toMatchObject({
      state: 'no_baseline',
      passed: false,
    })
    expect(hasPassed([])).toBe(false)
  })

  it('compares no question that was asked otherwise', () => {
    const scores = shares(200, 160)
    const asked = (at: number): string => (at < 5 ? 'Another question?' : `What is in q${at}?`)
    const [found] = gateChecks(
      [{ dataset: 'notes', before: runOf({ a: scores }), after: runOf({ a: scores }, asked) }],
      RULES,
    )
    expect(found).toMatchObject({ questions: 195, passed: true })
    expect(found!.sentence).toContain('5 questions of the baseline changed or went and did not count')
  })

  it('stops a mean below the least that passes', () => {
    const scores = shares(200, 120)
    expect(check(scores, scores, { failBelow: 0.7 })).toMatchObject({ state: 'worse', passed: false })
  })

  it('passes a run that is worse by the whole margin in about a twentieth of all cases', () => {
    const random = randomFrom(5)
    const runs = 400
    let passed = 0
    for (let run = 0; run < runs; run += 1) {
      // The new run gets right what the old one did, but for a tenth of those; and a tenth less the margin of all that were wrong, or nearly.
      const before = Array.from({ length: 150 }, () => (random() < 0.6 ? 1 : 0))
      const after = before.map((score) => (score === 1 ? (random() < 0.15 ? 0 : 1) : random() < 0.1 ? 1 : 0))
      // Expected: −.6 × .15 + .4 × .1 = −.05.
      if (check(before, after, { margin: 0.05 }).passed) passed += 1
    }
    expect(passed / runs).toBeLessThanOrEqual(0.07)
  })
})

describe('what a gate writes', () => {
  const checks = gateChecks(
    [{ dataset: 'a<b', before: runOf({ 'x & "y"': shares(200, 160) }), after: runOf({ 'x & "y"': shares(200, 140) }) }],
    RULES,
  )

  it('is one sentence for all', () => {
    expect(gateHeadline(checks)).toBe('The gate failed: 1 of 1 check (1 worse)')
    expect(gateHeadline(checks.map((each) => ({ ...each, passed: true })))).toBe('The gate passed: 1 check')
  })

  it('is XML that a build server reads, whatever names hold', () => {
    const xml = gateJUnit('new against old', checks)
    expect(xml).toContain('<testsuite name="a&lt;b" tests="1" failures="1">')
    expect(xml).toContain('<testcase classname="a&lt;b" name="x &amp; &quot;y&quot;"><failure type="worse"')
  })

  it('is a table of Markdown', () => {
    expect(gateMarkdown('new against old', checks)).toContain('| ▲ | a&lt;b | x &amp; "y" | worse |')
  })
})
