import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { PairDecision } from '../../../contract/evidence/statistics.ts'
import { decidedRun, type DecidedRunOptions } from '../../../tests/helpers/decided-run.ts'
import { expectGolden } from '../../../tests/helpers/golden-file.ts'
import { fixtureDataset, fixtureRow, ALIASES, goldenContext, streamOf } from '../../../tests/helpers/report-rows.ts'
import { aggregateRun } from '../../../tests/helpers/aggregate-run.ts'
import { renderMatrixTable } from '../terminal/matrix-table.ts'
import { pointsWords } from './amounts.ts'
import { MOST_WORDS, wordsIn } from './outcome.ts'
import { verdictsOf } from './verdict.ts'

const verdictOf = (aggregate: Aggregate) => verdictsOf([aggregate])[0]!

type Cell = NonNullable<DecidedRunOptions['cell']>
const REFUSED = { type: 'http_error', message: 'refused' } as const
const found =
  (share: Record<string, number>, contexts: Record<string, number> = {}): Cell =>
  (approach, index) => ({
    found: { contexts: contexts[approach] ?? 5, recall: index < share[approach]! ? 1 : 0 },
    latencyMs: { vanilla: 20, hybrid: 40, agentic: 300, adaptive: 120, graph: 60 }[approach] ?? 100,
  })
/** Answers that name the point on the questions of a rule. */
const naming =
  (rule: (approach: string, index: number) => boolean): Cell =>
  (approach, index) =>
    rule(approach, index) ? { answer: 'The answer.' } : { answer: 'Nothing.' }

/** Eight questions in four groups, each answered alike by all; the last is unanswerable. */
async function fewQuestions(cell: (approach: string, index: number) => object): Promise<Aggregate> {
  const dataset = fixtureDataset('few', 'Few', 1)
  const aliases = [ALIASES.vanilla, ALIASES.hybrid]
  const rows = aliases.flatMap((alias) =>
    dataset.questions.map((_, index) => fixtureRow(dataset, alias, index, cell(alias.model, index))),
  )
  return aggregateRun(streamOf(rows), { ...goldenContext(dataset), aliases, unavailable: [] })
}

const CASES: Record<string, () => Promise<Aggregate>> = {
  'winner of two': () => decidedRun({ vanilla: 24, hybrid: 24 }, { cell: found({ vanilla: 4, hybrid: 22 }) }),
  'winner of several': () =>
    decidedRun({ vanilla: 24, hybrid: 24, agentic: 24 }, { cell: found({ vanilla: 0, hybrid: 4, agentic: 24 }) }),
  'the keyword baseline leads': () =>
    decidedRun({ bm25: 24, vanilla: 24, hybrid: 24 }, { cell: found({ bm25: 24, vanilla: 2, hybrid: 8 }) }),
  'the keyword baseline is in the top group': () =>
    decidedRun({ bm25: 24, vanilla: 24, hybrid: 24 }, { cell: found({ bm25: 21, vanilla: 2, hybrid: 24 }) }),
  'better than the keyword baseline': () =>
    decidedRun(
      { bm25: 24, vanilla: 24, hybrid: 24, agentic: 24 },
      { cell: found({ bm25: 8, vanilla: 7, hybrid: 22, agentic: 24 }) },
    ),
  'winner with more passages, whose rows do not record tokens': async () =>
    withTokens(
      await decidedRun({ vanilla: 24, hybrid: 24 }, { cell: found({ vanilla: 4, hybrid: 22 }, { hybrid: 9 }) }),
      {},
    ),
  'leader with other amounts of text': async () =>
    withTokens(await CASES['winner of several']!(), { 'vanilla-rag': 700, 'hybrid-rag': 710, 'agentic-rag': 2400 }),
  'winner at the amount of a hybrid that ran beside it': async () =>
    withTokens(
      await decidedRun(
        { vanilla: 24, hybrid: 24, hybridFast: 24, agentic: 24 },
        { cell: found({ vanilla: 0, hybrid: 4, hybridFast: 9, agentic: 24 }) },
      ),
      { 'vanilla-rag': 700, 'hybrid-rag': 710, 'hybrid-rag-fast': 2350, 'agentic-rag': 2400 },
    ),
  'winner with less text': async () =>
    withTokens(await CASES['winner of two']!(), { 'vanilla-rag': 2400, 'hybrid-rag': 700 }),
  'order changes with the budget': async () => {
    const run = await CASES['winner of two']!()
    for (const approach of run.approaches)
      approach.budget_curve = [500, 2000].map((tokens) => ({
        tokens,
        n: 24,
        found: (approach.model === 'hybrid-rag') === tokens > 1000 ? 0.8 : 0.4,
        complete: 0.4,
        filled: 1,
      }))
    return run
  },
  'tied top group': () =>
    decidedRun({ vanilla: 24, hybrid: 24, agentic: 24 }, { cell: found({ vanilla: 2, hybrid: 21, agentic: 24 }) }),
  'tied top group, equivalent among themselves': async () => {
    const run = await decidedRun(
      { vanilla: 24, hybrid: 24, agentic: 24 },
      { cell: found({ vanilla: 2, hybrid: 23, agentic: 23 }) },
    )
    return withEquivalent(run, [['hybrid-rag', 'agentic-rag']])
  },
  'top group that is open against a worse approach': () =>
    decidedRun({ vanilla: 24, hybrid: 24, agentic: 24 }, { cell: found({ vanilla: 5, hybrid: 23, agentic: 16 }) }),
  'top group that is open against two worse approaches': () =>
    decidedRun(
      { vanilla: 24, graph: 24, hybrid: 24, agentic: 24 },
      { cell: found({ vanilla: 5, graph: 6, hybrid: 23, agentic: 16 }) },
    ),
  ceiling: () => decidedRun({ vanilla: 24, hybrid: 24 }, { cell: found({ vanilla: 24, hybrid: 24 }) }),
  'ceiling over few questions, with the unanswerable one answered': () =>
    fewQuestions((model) => ({ found: { contexts: 5, recall: 1 }, latencyMs: model === 'vanilla-rag' ? 24 : 72 })),
  floor: () => decidedRun({ vanilla: 24, hybrid: 24 }, { cell: found({ vanilla: 0, hybrid: 0 }) }),
  equivalent: async () =>
    withEquivalent(await decidedRun({ vanilla: 12, hybrid: 12 }), [['vanilla-rag', 'hybrid-rag']]),
  open: () =>
    decidedRun(
      { vanilla: 0, hybrid: 0, agentic: 0 },
      {
        cell: naming((approach, index) =>
          approach === 'agentic' ? index % 3 !== 0 : approach === 'hybrid' ? index % 4 > 1 : index % 5 > 2,
        ),
      },
    ),
  'open, with the first two equivalent': async () =>
    withEquivalent(
      await decidedRun(
        { vanilla: 0, hybrid: 0, agentic: 0 },
        {
          cell: naming((approach, index) =>
            approach === 'agentic' ? index % 3 !== 0 : approach === 'hybrid' ? index % 4 > 1 : index % 5 > 2,
          ),
        },
      ),
      [['agentic-rag', 'hybrid-rag']],
    ),
  'open, with answers that failed': () =>
    decidedRun(
      { vanilla: 0, hybrid: 0 },
      {
        cell: (approach, index) =>
          approach === 'hybrid' && index < 2
            ? { failure: REFUSED }
            : naming((of, at) => at % (of === 'hybrid' ? 4 : 5) > 1)(approach, index),
      },
    ),
  'too few questions': () =>
    fewQuestions((model, index) => ({
      found: { contexts: 5, recall: model === 'hybrid-rag' || index < 3 ? 1 : 0 },
    })),
  'partly failed': () =>
    decidedRun(
      { vanilla: 2, hybrid: 24, agentic: 24 },
      { cell: (approach, index) => (approach === 'agentic' && index > 4 ? { failure: REFUSED } : {}) },
    ),
  'failed seldom': () =>
    decidedRun(
      { vanilla: 2, hybrid: 24 },
      {
        cell: (approach, index) =>
          approach === 'hybrid' && index < 2 ? { failure: { type: 'timeout', message: 'too slow' } } : {},
      },
    ),
  'order changes with hops': () =>
    decidedRun(
      { vanilla: 0, hybrid: 0 },
      { cell: naming((approach, index) => (approach === 'vanilla' ? index % 3 === 0 : index % 3 === 2)) },
    ),
  'leader that was tuned on these questions': async () =>
    withTuned(await CASES['winner of two']!(), [['hybrid-rag', { development: 12, holdout: 12, openings: 3 }]]),
  'one of the top was tuned on some of these questions': async () =>
    withTuned(await CASES['tied top group']!(), [['agentic-rag', { development: 2, holdout: 0, state: null }]]),
  'leader that was tuned, on its holdout': () => tunedRun({ development: 0, holdout: 24, openings: 3 }),
  'worse approach that was tuned': async () =>
    withTuned(await CASES['winner of two']!(), [['vanilla-rag', { development: 24, holdout: 0, state: 'open' }]]),
  'leader that was tuned on other questions': () => tunedRun({ development: 0, holdout: 0, openings: 1 }),
  'leader that was tuned, on a holdout that was edited': () =>
    tunedRun({
      holdout: 22,
      openings: 1,
      edited: [
        { id: 'q1', change: 'text' },
        { id: 'q2', change: 'replaced' },
      ],
    }),
  'one approach': () => decidedRun({ vanilla: 12 }),
  'no gold and no answer keys': async () => {
    const run = await decidedRun({ vanilla: 12, hybrid: 12 })
    return { ...run, comparisons: { ...run.comparisons!, metrics: [] } }
  },
  'nothing compared yet': async () => ({ ...(await decidedRun({ vanilla: 12, hybrid: 12 })), comparisons: null }),
}

type Tuned = NonNullable<Aggregate['tuned']>[number]
const tunedOf = (model: string, of: Partial<Tuned>): Tuned => ({
  model,
  tuning: 'alpha',
  settings: 21,
  development: 0,
  holdout: 0,
  openings: 0,
  state: 'confirmed',
  ...of,
})
const withTuned = (run: Aggregate, tuned: readonly (readonly [string, Partial<Tuned>])[]): Aggregate => ({
  ...run,
  tuned: tuned.map(([model, of]) => tunedOf(model, of)),
})
/** The winner of two, summed up with what the ledger says of it. */
const tunedRun = (of: Partial<Tuned>): Promise<Aggregate> =>
  decidedRun(
    { vanilla: 24, hybrid: 24 },
    { cell: found({ vanilla: 4, hybrid: 22 }), tuned: [tunedOf('hybrid-rag', of)] },
  )

/** With these median amounts of text. */
function withTokens(run: Aggregate, tokens: Record<string, number | null>): Aggregate {
  const approaches = run.approaches.map((approach) => {
    const median = tokens[approach.model] ?? null
    return {
      ...approach,
      context_tokens: median === null ? null : { median, mean: median, n: 24, by: ['a tokenizer'] },
    }
  })
  return { ...run, approaches }
}

/** With a test of equivalence that these pairs pass. */
function withEquivalent(run: Aggregate, pairs: readonly (readonly [string, string])[]): Aggregate {
  const passed = { margin: 0.1, low: -0.05, high: 0.06, p: 0.002, p_adjusted: 0.004, equivalent: true }
  const metrics = run.comparisons!.metrics.map((metric) => ({
    ...metric,
    pairs: metric.pairs.map((pair) =>
      pairs.some((names) => names.includes(pair.a) && names.includes(pair.b)) ? { ...pair, equivalence: passed } : pair,
    ),
  }))
  return { ...run, comparisons: { ...run.comparisons!, metrics } }
}

describe('verdictsOf', () => {
  it('has one headline, one reason, one recommendation and one next step for every outcome', async () => {
    const texts: string[] = []
    for (const [title, make] of Object.entries(CASES)) {
      const { kind, headline, why, recommendation, next, notes } = verdictOf(await make())
      expect(wordsIn(headline), headline).toBeLessThanOrEqual(MOST_WORDS)
      texts.push(
        [
          `## ${title} (${kind})`,
          headline,
          why,
          recommendation ?? '(no recommendation)',
          ...notes.map((note) => `- ${note}`),
          `[${next.label}] ${next.text}`,
        ].join('\n'),
      )
    }
    expectGolden('report/verdicts.md', `${texts.join('\n\n')}\n`)
  })

  it('puts all of it into the sentences of reports and the terminal', async () => {
    const verdict = verdictOf(await CASES['tied top group']!())
    const { label, headline, why, recommendation, notes, sentences } = verdict
    expect(sentences.slice(0, -1)).toEqual([`${label}: ${headline}.`, why, recommendation, ...notes])
    expect(sentences.at(-1)).toMatch(
      /^Next: this run could see differences of \d+ points or more: read where the approaches differ/,
    )
  })

  it('names the cheapest of the top first, then the fastest', async () => {
    const run = await decidedRun(
      { vanilla: 0, hybrid: 24, agentic: 24, adaptive: 24 },
      { cell: (approach) => ({ latencyMs: { hybrid: 300, agentic: 90, adaptive: 200 }[approach] ?? 50 }) },
    )
    for (const approach of run.approaches) {
      const calls = { 'hybrid-rag': 1, 'agentic-rag': 5, 'workflow-adaptive-rag': 2 }[approach.model] ?? 1
      approach.operational.llm_calls.mean = calls
    }
    const { top, recommendation } = verdictOf(run)
    expect(top).toEqual(['hybrid-rag', 'agentic-rag', 'workflow-adaptive-rag'])
    expect(recommendation).toMatch(/^Take hybrid-rag, the cheapest of them: 300 ms \(median\) and 1 model call/)
  })

  it('decides on the metric that the run declared, and on none where that has no score', async () => {
    const cell = found({ vanilla: 4, hybrid: 22 })
    const declared = await decidedRun(
      { vanilla: 24, hybrid: 2 },
      {
        cell: (...of) => ({ ...cell(...of), answer: of[0] === 'vanilla' ? 'The answer.' : 'Nothing.' }),
        primary: 'points_covered',
      },
    )
    expect(verdictOf(declared)).toMatchObject({ metric: 'points_covered', kind: 'winner', top: ['vanilla-rag'] })
    const unjudged = await decidedRun({ vanilla: 24, hybrid: 2 }, { cell, primary: 'judge_mean' })
    expect(verdictOf(unjudged)).toMatchObject({ kind: 'not_comparable', metric: null })
    expect(verdictOf(unjudged).why).toBe('The declared primary metric, judge mean, has no score.')
  })

  it('believes no lead on questions that chose the settings of the leader', async () => {
    const { kind, headline, recommendation } = verdictOf(await CASES['leader that was tuned on these questions']!())
    expect([kind, headline]).toEqual(['tuned', 'hybrid-rag leads, but was tuned on these questions'])
    expect(recommendation).not.toMatch(/^Take hybrid/)
    // What is worse in spite of it is worse all the more.
    expect(verdictOf(await CASES['worse approach that was tuned']!())).toMatchObject({
      kind: 'winner',
      top: ['hybrid-rag'],
    })
  })

  it('tests a run on the holdout of a tuning as one more opening of it', async () => {
    const pairAt = async (openings: number) => {
      const { comparisons } = await tunedRun({ holdout: 24, openings })
      return comparisons!.metrics.find(({ metric }) => metric === 'facts_found')!.pairs[0]!
    }
    const [first, third] = [await pairAt(0), await pairAt(2)]
    // .8 and .032 of the error are left for the first and the third look.
    expect(third.p! / first.p!).toBeCloseTo(0.8 / 0.032, 1)
  })

  it('leaves out an approach that was unavailable, with the reason', async () => {
    const run = await CASES['winner of two']!()
    const { base_model, flavor, evidence_capability } = ALIASES.graph
    run.unavailable = [
      { model: 'graph-rag', base_model, flavor, evidence_capability, reason: 'the graph engine is off.' },
    ]
    expect(verdictOf(run).notes.at(-1)).toBe('graph-rag was unavailable: the graph engine is off.')
  })

  it('of several datasets counts only what stays decided over all of them, and says so of the others', async () => {
    const clear = await decidedRun({ vanilla: 2, hybrid: 24 }, { id: 'first' })
    const faint = await decidedRun({ vanilla: 6, hybrid: 20 }, { id: 'second', rung: 2 })
    expect(verdictOf(faint)).toMatchObject({ kind: 'winner' })
    const many = await Promise.all(
      [3, 4, 5, 6].map((rung) =>
        decidedRun({ vanilla: 12, hybrid: 13, agentic: 14, adaptive: 13 }, { id: `rung-${rung}`, rung }),
      ),
    )
    const [first, second] = verdictsOf([clear, faint, ...many])
    expect([first, second]).toMatchObject([
      { kind: 'winner', label: 'First' },
      { kind: 'open', label: 'Second' },
    ])
    expect(second!.notes[0]).toBe(
      'On this dataset alone hybrid-rag is better than vanilla-rag; after the correction over all datasets of the run that is open.',
    )
    // The table of the second dataset shows "worse", so it says why the verdict does not; a dataset without a decided pair has no such line.
    const table = renderMatrixTable([clear, faint, ...many], { columns: 110 })
    const ofSecond = table.slice(table.indexOf('Second'), table.indexOf('Rung-3'))
    expect(ofSecond).toMatch(/−\.\d\d worse/)
    expectGolden('report/rung-decision.txt', ofSecond)
    expect(table.match(/pairs of all\s+datasets as well/g)).toHaveLength(2)
    expect(renderMatrixTable([faint], { columns: 110 })).not.toContain('corrected over its own pairs')
  })

  it('makes a verdict of a stored aggregate whose own verdict is of an earlier version', async () => {
    const run = await CASES['winner of two']!()
    const former = { ...verdictOf(run), kind: 'undecided', highest: ['hybrid-rag'], better_than: [], open_with: [] }
    const { dataset, label, kind, metric, highest, better_than, open_with } = former
    const stored = JSON.parse(
      JSON.stringify({
        ...run,
        verdict: { dataset, label, kind, metric, highest, better_than, open_with, sentences: [] },
      }),
    ) as unknown
    expect(verdictOf(Aggregate.parse(stored))).toEqual(verdictOf(run))
  })
})

it('pointsWords shows a decimal where whole points would look like no difference', () => {
  expect([12.4, -3.2, 0.3, -0.4, 0].map(pointsWords)).toEqual(['12', '−3', '0.3', '−0.4', '0'])
})

/** Words that a verdict may use only with what carries them. */
const LEADS = /\bleads?\b|\bis better than\b|more of the (?:facts|required points) than/
const EQUIVALENT = /equivalent within|no difference is larger than/
const FORMER = /nothing is decided|decidedly|does so|distinguishable|inconclusive|significan|would decide|needed facts/i

describe('no sentence claims what its figures do not carry', () => {
  const shares = fc.record({ vanilla: share(), hybrid: share(), agentic: share() })
  const amounts = fc.array(fc.constantFrom(null, 700, 740, 2400), { minLength: 3, maxLength: 3 })
  const interval = fc.option(
    fc.tuple(fc.double({ min: -1, max: 1, noNaN: true }), fc.double({ min: 0, max: 0.6, noNaN: true })),
  )
  const decision = fc.constantFrom('better' as const, 'worse' as const, 'undecided' as const)
  it('for any means, intervals and decisions', async () => {
    const base = await decidedRun(
      { vanilla: 24, hybrid: 24, agentic: 24 },
      { cell: found({ vanilla: 4, hybrid: 12, agentic: 20 }) },
    )
    fc.assert(
      fc.property(
        shares,
        fc.array(fc.tuple(interval, decision), { minLength: 3, maxLength: 3 }),
        amounts,
        (means, tests, texts) => {
          const tokens = Object.fromEntries(base.approaches.map(({ model }, at) => [model, texts[at] ?? null]))
          const run = withTokens(withTests(base, means, tests), tokens)
          const verdict = verdictOf(run)
          const { pairs } = run.comparisons!.metrics.find(({ metric }) => metric === verdict.metric)!
          const isDecided = pairs.some(
            ({ decision: made, difference }) => made !== 'undecided' && difference.interval !== null,
          )
          const claims = [verdict.headline, verdict.why].join(' ').replaceAll(/No approach leads/g, '')
          expect(wordsIn(verdict.headline)).toBeLessThanOrEqual(MOST_WORDS)
          expect(verdict.sentences.join(' ')).not.toMatch(FORMER)
          if (verdict.kind === 'open') return
          if (LEADS.test(claims)) expect(isDecided).toBe(true)
          if (EQUIVALENT.test(claims)) expect(pairs.some(({ equivalence }) => equivalence?.equivalent)).toBe(true)
          if (pairs.every(({ difference }) => difference.interval === null))
            expect(['too_few', 'ceiling', 'floor']).toContain(verdict.kind)
          if (verdict.kind === 'winner') {
            const against = pairs.filter(({ a, b }) => a === verdict.top[0] || b === verdict.top[0])
            // Named a winner against less text only where a hybrid of its own amount was beaten too.
            const own = tokens[verdict.top[0]!] ?? null
            const hybrid = verdict.top[0] === 'hybrid-rag' ? null : (tokens['hybrid-rag'] ?? null)
            const hasMatch = own !== null && hybrid !== null && Math.abs(own - hybrid) <= 0.1 * Math.max(own, hybrid)
            const least = Math.min(...Object.values(tokens).map((amount) => amount ?? Infinity))
            if (own !== null && !hasMatch) expect(least).toBeGreaterThanOrEqual(0.9 * own)
            expect(against.map(({ a, decision: made }) => (a === verdict.top[0] ? made : turned(made)))).toEqual([
              'better',
              'better',
            ])
          }
        },
      ),
      { numRuns: 400 },
    )
  })

  it('does not rank vectors of hashed words against keyword search, and says why; vectors of a model it does', async () => {
    const run = await decidedRun(
      { bm25: 24, vanilla: 24, hybrid: 24 },
      { cell: found({ bm25: 24, vanilla: 2, hybrid: 8 }) },
    )
    const why =
      /vanilla-rag is not ranked against bm25, because the vectors of this run are hashed words.* The verdict counts no pair with it; the tables do\./i
    const hashed = verdictOf(run)
    expect(hashed.notes.join(' ')).toMatch(why)
    expect([...hashed.top, ...hashed.worse]).not.toContain('vanilla-rag')
    run.reproducibility!.runtime.models!.roles['embed'] = { backend: 'onnx', model: 'all-minilm-l6-v2' }
    const real = verdictOf(run)
    expect(real.notes.join(' ')).not.toMatch(why)
    expect(real.worse).toContain('vanilla-rag')
  })

  it('says that no approach is shown to beat the keyword baseline exactly where no test found one better', async () => {
    const base = await decidedRun(
      { bm25: 24, vanilla: 24, hybrid: 24 },
      { cell: found({ bm25: 4, vanilla: 12, hybrid: 20 }) },
    )
    const tests = fc.array(fc.tuple(interval, decision), { minLength: 3, maxLength: 3 })
    fc.assert(
      fc.property(shares, tests, (means, drawn) => {
        const run = withTests(base, means, drawn)
        const { headline, notes, kind } = verdictOf(run)
        const against = run
          .comparisons!.metrics.find(({ metric }) => metric === 'facts_found')!
          // Vectors of hashed words are not ranked against it.
          .pairs.filter(({ a, b }) => [a, b].includes('bm25') && [a, b].includes('hybrid-rag'))
        const isTested = against.some(({ difference }) => difference.interval !== null)
        const isBeaten = against.some(({ a, decision: made }) => (a === 'bm25' ? turned(made) : made) === 'better')
        const all = [headline, ...notes].join(' ')
        if (isTested && kind !== 'not_comparable')
          expect(/No approach is shown to (?:be better than|beat) bm25/.test(all)).toBe(!isBeaten)
        if (/is shown to beat/.test(headline)) expect(isBeaten).toBe(false)
        expect(wordsIn(headline)).toBeLessThanOrEqual(MOST_WORDS)
      }),
      { numRuns: 200 },
    )
  })
})

function share() {
  return fc.integer({ min: 0, max: 24 }).map((hits) => hits / 24)
}

const turned = (decision: PairDecision): PairDecision =>
  decision === 'better' ? 'worse' : decision === 'worse' ? 'better' : decision

/** The run with other means and tests; a decision without an interval, or against its interval, is none that the statistics could make. */
function withTests(
  base: Aggregate,
  means: Record<string, number>,
  tests: readonly (readonly [readonly [number, number] | null, PairDecision])[],
): Aggregate {
  const run = structuredClone(base)
  for (const [position, approach] of run.approaches.entries())
    approach.retrieval.facts_found!.mean = Object.values(means)[position]!
  const compared = run.comparisons!.metrics.find(({ metric }) => metric === 'facts_found')!
  for (const [at, pair] of compared.pairs.entries()) {
    const [drawn, decision] = tests[at]!
    const meanOf = (model: string): number =>
      run.approaches.find((each) => each.model === model)!.retrieval.facts_found!.mean!
    const value = meanOf(pair.a) - meanOf(pair.b)
    const bounds = drawn === null ? null : { low: value - drawn[1], high: value + drawn[1] }
    const isSmall = bounds !== null && bounds.low >= -0.1 && bounds.high <= 0.1
    const fits = bounds !== null && (decision === 'better' ? bounds.low > 0 : bounds.high < 0)
    pair.difference = {
      ...pair.difference,
      value,
      interval: bounds,
      no_interval: bounds === null ? 'too_few_clusters' : null,
      clusters: bounds === null ? 4 : 12,
    }
    pair.decision = fits ? decision : 'undecided'
    pair.equivalence =
      bounds === null ? null : { margin: 0.1, ...bounds, p: 0.01, p_adjusted: 0.02, equivalent: isSmall }
  }
  return run
}
