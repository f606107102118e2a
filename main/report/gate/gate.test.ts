import { describe, expect, it } from 'vitest'
import type { RowQuestion } from '../../../contract/evidence/canonical-row.ts'
import { randomFrom } from '../../../tests/helpers/random.ts'
import type { QuestionScores } from '../question-scores.ts'
import { gateChecks, gateHeadline, gateOutcome, type GateRules } from './gate.ts'
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
function runOf(
  scores: Readonly<Record<string, readonly number[]>>,
  queryOf?: (at: number) => string,
  graders: readonly string[] = [],
): QuestionScores {
  const count = Math.max(...Object.values(scores).map(({ length }) => length))
  const questions = Array.from({ length: count }, (_, at) => question(`q${at}`, queryOf?.(at)))
  return {
    questions: new Map(questions.map((each) => [each.id, each])),
    models: new Set(Object.keys(scores)),
    graders: new Set(graders),
    budgets: new Set([2000]),
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
      /^0\.70 against 0\.80 on 200 questions: change −10\.0 \[−1\d\.\d, −[4-9]\.\d\] points, beyond the margin of 3$/,
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
    expect(gateOutcome([])).toBe('open')
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

  it('stops a mean below the worst that passes', () => {
    const scores = shares(200, 120)
    expect(check(scores, scores, { failBelow: 0.7 })).toMatchObject({ state: 'worse', passed: false })
  })

  it('names how many questions would decide an open check', () => {
    const few = shares(60, 48)
    const { sentence } = check(few, few)
    const [, needed] = /about (\d+) questions or a wider margin can decide it/.exec(sentence)!
    expect(check(shares(Number(needed), 100), shares(Number(needed), 100)).state).toBe('not_worse')
    expect(Number(needed)).toBeLessThan(160)
  })

  it('compares no grades of two evaluators', () => {
    const scores = shares(200, 160)
    const graded = (grader: string): QuestionScores => ({
      ...runOf({ a: scores }, undefined, [grader]),
      score: (_, model, id) => (model === 'a' ? scores[Number(id.slice(1))]! : Number.NaN),
    })
    const of = (grader: string) =>
      gateChecks([{ dataset: 'notes', before: graded('critic-1'), after: graded(grader) }], {
        ...RULES,
        metric: 'faithfulness',
      })[0]!
    expect(of('critic-1').state).toBe('not_worse')
    expect(of('critic-2')).toMatchObject({
      state: 'no_baseline',
      passed: false,
      sentence: expect.stringContaining('graded by critic-2, the baseline by critic-1') as string,
    })
  })

  it('tells a loss from what only shows nothing', () => {
    const of = (...pairs: [number[], number[]][]) =>
      gateOutcome(
        gateChecks(
          [
            {
              dataset: 'notes',
              before: runOf(Object.fromEntries(pairs.map(([before], at) => [`a${at}`, before]))),
              after: runOf(Object.fromEntries(pairs.map(([, after], at) => [`a${at}`, after]))),
            },
          ],
          RULES,
        ),
      )
    const same: [number[], number[]] = [shares(200, 160), shares(200, 160)]
    const fallen: [number[], number[]] = [shares(200, 160), shares(200, 130)]
    const open: [number[], number[]] = [shares(200, 160), shares(200, 155)]
    expect([of(same, same), of(same, open), of(same, open, fallen)]).toEqual(['passed', 'open', 'failed'])
  })
})

/** A question's scores before and after, where the mean falls by `loss` exactly. */
interface World {
  name: string
  groups: number
  /** Questions of a group; six of ten of them repeat what their group drew. */
  size: number
  right: number
  /** Share of the wrong answers that become right. */
  gain: number
  /** Changed answers lose a third, three times as often. */
  partial?: true
}

const WORLDS: readonly World[] = [
  { name: '150 questions, many change', groups: 150, size: 1, right: 0.6, gain: 0.1 },
  { name: '150 questions, few change', groups: 150, size: 1, right: 0.9, gain: 0 },
  { name: '150 questions, answers lose a part', groups: 150, size: 1, right: 0.8, gain: 0.1, partial: true },
  { name: '150 questions in 50 groups', groups: 50, size: 3, right: 0.9, gain: 0.2 },
  { name: '160 questions in 20 groups that fall together', groups: 20, size: 8, right: 0.97, gain: 0, partial: true },
]

function simulated(
  { groups, size, right, gain, partial }: World,
  loss: number,
  random: () => number,
): [number[], number[]] {
  const lost = (loss + (1 - right) * gain) / right
  const [times, part] = partial === true ? [3, 1 / 3] : [1, 1]
  const [before, after]: [number[], number[]] = [[], []]
  for (let group = 0; group < groups; group += 1) {
    const shared = [random(), random()] as const
    for (let member = 0; member < size; member += 1) {
      const [first, second] = shared.map((draw) => (size > 1 && random() < 0.6 ? draw : random())) as [number, number]
      const was = first < right ? 1 : 0
      before.push(was)
      after.push(was === 1 ? (second < times * lost ? 1 - part : 1) : second < times * gain ? part : 0)
    }
  }
  return [before, after]
}

function worldRun(world: World, scores: Readonly<Record<string, readonly number[]>>): QuestionScores {
  const plain = runOf(scores)
  const questions = [...plain.questions].map(([id, each], at): [string, RowQuestion] => [
    id,
    { ...each, gold: [{ document: `d${Math.floor(at / world.size)}.md`, fact: id }] },
  ])
  return { ...plain, questions: new Map(questions) }
}

/** Shares of runs by their outcome, in which each approach loses this much. */
function outcomes(world: World, losses: readonly number[], runs: number): Record<string, number> {
  const random = randomFrom(5)
  const counts = { passed: 0, failed: 0, open: 0 }
  for (let run = 0; run < runs; run += 1) {
    const drawn = losses.map((loss, at) => [`a${at}`, simulated(world, loss, random)] as const)
    const of = (side: 0 | 1) => worldRun(world, Object.fromEntries(drawn.map(([name, pair]) => [name, pair[side]])))
    counts[gateOutcome(gateChecks([{ dataset: 'notes', before: of(0), after: of(1) }], RULES))] += 1 / runs
  }
  return counts
}

describe('in simulated runs a gate of three points', () => {
  it.each(WORLDS)('passes a true fall of three points in at most 5 of 100: $name', (world) => {
    expect(outcomes(world, [0.03], 200)['passed']).toBeLessThanOrEqual(0.05)
  })

  it('passes in at most 5 of 100 when one of four approaches falls by three points, and when all do', () => {
    for (const losses of [
      [0.03, 0, 0, 0],
      [0.03, 0.03, 0.03, 0.03],
    ])
      expect(outcomes({ ...WORLDS[1]!, groups: 300 }, losses, 50)['passed']).toBeLessThanOrEqual(0.05)
  })

  it('calls none of eight approaches worse in at least 95 of 100 when each falls by just three points', () => {
    expect(outcomes(WORLDS[0]!, Array<number>(8).fill(0.03), 50)['failed']).toBeLessThanOrEqual(0.05)
  })

  it('stops a true fall of ten points always, and passes none in at least 80 of 100', () => {
    const world: World = { name: '', groups: 400, size: 1, right: 0.8, gain: 0 }
    const fallen = outcomes(world, [0.1], 50)
    expect(fallen['passed']).toBe(0)
    expect(fallen['failed']).toBeGreaterThanOrEqual(0.8)
    expect(outcomes(world, [0], 20)['passed']).toBeGreaterThanOrEqual(0.8)
  })
})

describe('what a gate writes', () => {
  const checks = gateChecks(
    [{ dataset: 'a<b', before: runOf({ 'x & "y"': shares(200, 160) }), after: runOf({ 'x & "y"': shares(200, 140) }) }],
    RULES,
  )

  it('is one sentence for all', () => {
    expect(gateHeadline(checks)).toBe('The gate failed: 1 of 1 check (1 worse)')
    expect(gateHeadline(checks.map((each) => ({ ...each, state: 'not_worse' as const, passed: true })))).toBe(
      'The gate passed: 1 check',
    )
  })

  it('is XML that a build server reads, whatever names hold', () => {
    const xml = gateJUnit('new against old', checks)
    expect(xml).toContain('<testsuite name="a&lt;b" tests="1" failures="1" errors="0">')
    expect(xml).toContain('<testcase classname="a&lt;b" name="x &amp; &quot;y&quot;"><failure type="worse"')
  })

  it('is a table of Markdown', () => {
    expect(gateMarkdown('new against old', checks)).toContain('| ▲ | a&lt;b | x &amp; "y" | worse |')
  })
})
