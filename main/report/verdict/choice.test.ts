import { expect, it } from 'vitest'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import { aggregateRun } from '../../../tests/helpers/aggregate-run.ts'
import { ALIASES, comparedContext, fixtureRow, streamOf, wideDataset } from '../../../tests/helpers/report-rows.ts'
import { verdictsOf } from './verdict.ts'

type Alias = keyof typeof ALIASES

interface RunFigures {
  /** Each approach finds this of all questions; each question is of a document of its own. */
  found: Partial<Record<Alias, readonly number[]>>
  /** Model calls of an answer; 1 unless given. */
  calls?: Partial<Record<Alias, number>>
  /** Pairs that pass a test of equivalence. */
  equivalent?: readonly (readonly [Alias, Alias])[]
}

async function runOf({ found, calls = {}, equivalent = [] }: RunFigures): Promise<Aggregate> {
  const wide = wideDataset('reef', 'Reef', 1)
  const amount = Object.values(found)[0]!.length
  const questions = wide.questions
    .slice(0, amount)
    .map((question, at) => ({ ...question, gold: [{ document: `own-${at}.md`, fact: `fact ${at}` }] }))
  const dataset = { ...wide, questions }
  const names = Object.keys(found) as Alias[]
  const rows = names.flatMap((name) =>
    found[name]!.map((recall, at) => fixtureRow(dataset, ALIASES[name], at, { found: { contexts: 5, recall } })),
  )
  const aliases = names.map((name) => ALIASES[name])
  const run = await aggregateRun(streamOf(rows), { ...comparedContext(dataset), aliases, judge: { state: 'disabled' } })
  for (const [name, mean] of Object.entries(calls))
    run.approaches.find(({ model }) => model === ALIASES[name as Alias].model)!.operational.llm_calls.mean = mean
  const passed = { margin: 0.1, low: -0.02, high: 0.09, p: 0.002, p_adjusted: 0.004, equivalent: true }
  for (const pair of run.comparisons!.metrics.flatMap(({ pairs }) => pairs))
    if (equivalent.some((two) => two.every((name) => [pair.a, pair.b].includes(ALIASES[name].model))))
      pair.equivalence = passed
  return run
}

const verdictOf = async (figures: RunFigures) => verdictsOf([await runOf(figures)])[0]!

const ALL = Array.from({ length: 10 }, () => 1)
/** Ten questions of which these are not found whole. */
const without = (...lost: number[]): number[] => [...ALL.slice(lost.length), ...lost.map((share) => 1 - share)]
/** Finds 0.75, in ten questions too little to be shown worse. */
const THREE_QUARTERS = without(1, 0.5, 0.5, 0.5)

it('does not take the cheapest where it found 0.75 and all others 1.00, and names the difference with its interval', async () => {
  const { kind, top, recommendation } = await verdictOf({
    found: { bm25: THREE_QUARTERS, hybrid: ALL, agentic: ALL, adaptive: ALL },
    calls: { agentic: 5 },
  })
  expect(kind).toBe('open')
  expect(top).toEqual(['hybrid-rag', 'agentic-rag', 'workflow-adaptive-rag', 'bm25'])
  expect(recommendation).toMatch(
    /^Of the 3 approaches within 10 points of the highest, take hybrid-rag, the simplest of the cheapest: 100 ms.* of agentic-rag\. By cost alone it would be bm25, but hybrid-rag finds 25 percentage points more of the facts than bm25 \(95 % interval −?\d+ to \d+\), which the test leaves open\. More questions can change this choice\.$/,
  )
})

it('takes the higher of two that are further apart than the margin, with the cost of the other', async () => {
  const { top, recommendation } = await verdictOf({ found: { bm25: THREE_QUARTERS, hybrid: ALL } })
  expect(top).toEqual(['hybrid-rag', 'bm25'])
  expect(recommendation).toMatch(
    /^Take hybrid-rag: 100 ms \(median\) and 1 model call with 425 tokens per answer, against 100 ms.* of bm25\. By cost alone it would be bm25, but hybrid-rag finds 25 percentage points more/,
  )
})

it('takes the cheaper of two that are within the margin, and names what it found less', async () => {
  const { recommendation } = await verdictOf({
    found: { vanilla: without(0.5, 0.3), hybrid: ALL },
    calls: { hybrid: 2 },
  })
  expect(recommendation).toMatch(
    /^Of the 2 approaches within 10 points of the highest, take vanilla-rag, the cheapest of them: .* of hybrid-rag\. hybrid-rag finds 8 percentage points more of the facts than vanilla-rag \(95 % interval .*\), which the test leaves open\. More questions can change this choice\.$/,
  )
})

it('takes the cheapest of those with equal means, without a word about a margin', async () => {
  const halves = Array.from({ length: 10 }, (_, at) => (at % 2) / 2)
  const turned = halves.toReversed()
  const { kind, recommendation } = await verdictOf({
    found: { vanilla: halves, hybrid: turned, agentic: halves },
    calls: { agentic: 5 },
  })
  expect(kind).toBe('open')
  expect(recommendation).toMatch(/^Take vanilla-rag, the simplest of the cheapest: [^.]*\.$/)
})

it('takes the cheapest of those that tests find equivalent, and names what it found less', async () => {
  const { kind, recommendation } = await verdictOf({
    found: { vanilla: without(0.2), hybrid: ALL },
    equivalent: [['vanilla', 'hybrid']],
  })
  expect(kind).toBe('equivalent')
  expect(recommendation).toMatch(
    /^Take vanilla-rag, the simplest of those that cost the same: .* hybrid-rag finds 2 percentage points more of the facts than vanilla-rag( \(.*\))?, and the test finds them equivalent\.$/,
  )
})

it('of a top group that a test decided takes the cheapest within the margin', async () => {
  const none = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0.1]
  const { kind, top, worse, recommendation } = await verdictOf({
    found: { bm25: none, adaptive: without(1, 0.5), hybrid: without(0.2, 0.2), agentic: ALL },
    calls: { adaptive: 1, hybrid: 2, agentic: 5 },
  })
  expect([kind, worse]).toEqual(['tied', ['bm25']])
  expect(top).toEqual(['hybrid-rag', 'agentic-rag', 'workflow-adaptive-rag'])
  expect(recommendation).toMatch(
    /^Of the 2 approaches within 10 points of the highest, take hybrid-rag, the cheapest of them: .* agentic-rag finds 4 percentage points more of the facts than hybrid-rag .*, which the test leaves open\. By cost alone it would be workflow-adaptive-rag, but agentic-rag finds 15 percentage points more/,
  )
})

it('names neither margin nor difference where the highest is the cheapest of all', async () => {
  const { recommendation } = await verdictOf({
    found: { hybrid: ALL, agentic: without(0.5), adaptive: THREE_QUARTERS },
    calls: { agentic: 5, adaptive: 3 },
  })
  expect(recommendation).toMatch(/^Take hybrid-rag, the cheapest of them: /)
  expect(recommendation).not.toMatch(/points/)
})

it('states that the correction leaves a difference open where its own interval does not hold 0', async () => {
  const run = await runOf({ found: { bm25: THREE_QUARTERS, hybrid: ALL } })
  for (const { pairs } of run.comparisons!.metrics)
    for (const pair of pairs) pair.difference.interval = { low: -0.45, high: -0.05 }
  expect(verdictsOf([run])[0]!.recommendation).toContain(
    '(95 % interval 5 to 45), which the test leaves open after the correction for all pairs',
  )
})

it('names the amounts of text where the highest handed over more than the one that it keeps from being taken', async () => {
  const run = await runOf({ found: { bm25: THREE_QUARTERS, hybrid: ALL } })
  const amounts: Record<string, number> = { bm25: 776, 'hybrid-rag': 6205 }
  for (const approach of run.approaches)
    approach.context_tokens = { median: amounts[approach.model]!, mean: 1, n: 10, by: ['a tokenizer'] }
  expect(verdictsOf([run])[0]!.recommendation).toMatch(
    /which the test leaves open, with 6.205 tokens of text against 776\. More questions/,
  )
})

it('takes nothing where the settings of the highest, or of the taken, were chosen on these questions', async () => {
  const tuning = {
    tuning: 'alpha',
    settings: 21,
    development: 10,
    holdout: 0,
    openings: 0,
    state: 'confirmed',
  } as const
  const run = await runOf({ found: { bm25: THREE_QUARTERS, hybrid: ALL, agentic: ALL } })
  const withTuned = (model: string) => verdictsOf([{ ...run, tuned: [{ ...tuning, model }] }])[0]!
  expect(withTuned('hybrid-rag')).toMatchObject({
    kind: 'open',
    recommendation: 'Take no approach by these means: the settings of hybrid-rag were chosen by these scores.',
  })
  expect(withTuned('bm25').recommendation).toMatch(/^Of the 2 approaches within/)
})

it.each([
  [
    'was not tested',
    { interval: null, no_interval: 'no_variation' },
    /25 percentage points more .* than bm25, which is not tested\./,
  ],
  [
    'rests on no common question',
    { value: null, interval: null },
    /it would be bm25, but it shares no question with hybrid-rag\./,
  ],
])('says of a cheaper approach that its difference %s', async (_what, difference, words) => {
  const run = await runOf({ found: { bm25: THREE_QUARTERS, hybrid: ALL, agentic: without(0.5) } })
  for (const { pairs } of run.comparisons!.metrics)
    for (const pair of pairs)
      if ([pair.a, pair.b].includes('bm25') && [pair.a, pair.b].includes('hybrid-rag'))
        Object.assign(pair.difference, difference)
  expect(verdictsOf([run])[0]!.recommendation).toMatch(words)
})
