import { describe, expect, it } from 'vitest'
import {
  ALIASES,
  comparedContext,
  comparedRows,
  fixtureRow,
  streamOf,
  wideDataset,
  type FixtureDataset,
} from '../../../tests/helpers/report-rows.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { comparedMetric, metricsOf } from '../aggregate/aggregate-access.ts'
import { aggregateRun } from '../../../tests/helpers/aggregate-run.ts'
import { leaderboard } from './leaderboard.ts'
import { ladderDecisions, ladderDecisionWords, useWords } from '../aggregate/metric-use.ts'

const aggregateOf = (dataset: FixtureDataset, recall: Record<string, number>) =>
  aggregateRun(
    streamOf(
      Object.entries(recall).flatMap(([name, value]) =>
        dataset.questions.map((_, index) =>
          fixtureRow(dataset, ALIASES[name as keyof typeof ALIASES], index, { recall: value, latencyMs: value * 100 }),
        ),
      ),
    ),
    { ...comparedContext(dataset), aliases: Object.keys(recall).map((name) => ALIASES[name as keyof typeof ALIASES]) },
  )

describe('leaderboard', () => {
  it('approaches are ranked by the mean over all rungs; one that lacks a rung has no rank, and the rehearsal does not count', async () => {
    const rungs = await Promise.all([
      aggregateOf(wideDataset('r0', 'Rehearsal', 0), { vanilla: 1, hybrid: 0.125, agentic: 0.5 }),
      aggregateOf(wideDataset('r1', 'One', 1), { vanilla: 0.25, hybrid: 0.5, agentic: 0.5 }),
      aggregateOf(wideDataset('r2', 'Two', 2), { vanilla: 0.25, hybrid: 0.75, adaptive: 1 }),
    ])
    const rows = leaderboard(rungs, 'recall_at_5')
    expect(rows.map(({ alias, place, mean }) => [alias.model, place, mean])).toEqual([
      ['hybrid-rag', 1, 0.625],
      ['vanilla-rag', 2, 0.25],
      ['agentic-rag', null, null],
      ['workflow-adaptive-rag', null, null],
    ])
    expect(rows[2]!.rungs.map((figure) => figure?.mean ?? null)).toEqual([0.5, 0.5, null])
    expect(
      leaderboard(rungs, 'latency_ms')
        .map(({ alias, place }) => [alias.model, place])
        .slice(0, 2),
    ).toEqual([
      ['vanilla-rag', 1],
      ['hybrid-rag', 2],
    ])
    expect(leaderboard(rungs.slice(0, 1), 'recall_at_5')[0]).toMatchObject({ place: 1, mean: 1 })
    expect(leaderboard(rungs, 'score')).toEqual([])
  })

  it('shares a rank between equal means, and sums up decided pairs', async () => {
    const dataset = wideDataset('r1', 'One', 1)
    const equal = leaderboard([await aggregateOf(dataset, { vanilla: 0.5, hybrid: 0.5, agentic: 0.25 })], 'recall_at_5')
    expect(equal.map(({ place }) => place)).toEqual([1, 1, 3])
    const compared = await aggregateRun(streamOf(comparedRows(dataset)), comparedContext(dataset))
    const vanilla = leaderboard([compared, compared], 'recall_at_5').find(({ alias }) => alias.model === 'vanilla-rag')!
    expect(vanilla.standing).toEqual({ better: 0, worse: 4, undecided: 0 })
  })

  it('shows a pair as decided only where all its datasets as one family decide it', async () => {
    const dataset = wideDataset('r1', 'One', 1)
    const compared = await aggregateRun(streamOf(comparedRows(dataset)), comparedContext(dataset))
    const withP = (p: number, decision: 'worse' | 'undecided'): Aggregate => {
      const copy = structuredClone(compared)
      const tested = comparedMetric(copy, 'recall_at_5')!.pairs.filter((pair) => pair.decision !== 'undecided')
      for (const pair of tested) Object.assign(pair, { p, decision })
      return copy
    }
    const standing = (...rungs: Aggregate[]) =>
      leaderboard(rungs, 'recall_at_5').find(({ alias }) => alias.model === 'vanilla-rag')!.standing
    const chance = withP(0.02, 'worse')
    expect(standing(withP(0.001, 'worse'))).toEqual({ better: 0, worse: 2, undecided: 0 })
    expect(standing(chance, ...Array.from({ length: 4 }, () => withP(0.5, 'undecided')))).toEqual({
      better: 0,
      worse: 0,
      undecided: 10,
    })
  })

  it('ranks by tests alone: first is whom no test found worse, and where no pair is decided no one has a rank', async () => {
    const dataset = wideDataset('r1', 'One', 1)
    const compared = await aggregateRun(streamOf(comparedRows(dataset)), comparedContext(dataset))
    const ranksOf = (aggregate: Aggregate) =>
      Object.fromEntries(leaderboard([aggregate], 'recall_at_5').map(({ alias, rank }) => [alias.model, rank]))
    const { pairs } = comparedMetric(compared, 'recall_at_5')!
    const beaten = Map.groupBy(
      pairs.filter(({ decision }) => decision !== 'undecided'),
      ({ a, b, decision }) => (decision === 'better' ? b : a),
    )
    expect(ranksOf(compared)).toMatchObject({ 'vanilla-rag': 3, 'hybrid-rag': 1 })
    expect([...beaten.keys()]).toEqual(['vanilla-rag'])
    const open = structuredClone(compared)
    for (const pair of comparedMetric(open, 'recall_at_5')!.pairs) pair.decision = 'undecided'
    expect(new Set(Object.values(ranksOf(open)))).toEqual(new Set([null]))
  })

  it('does not rank a mean over few questions: one lucky question is no first place', async () => {
    const dataset = wideDataset('r1', 'One', 1)
    const scoredOn = (questions: number) =>
      dataset.questions.map((_, index) =>
        fixtureRow(dataset, ALIASES.adaptive, index, { recall: index < questions ? 1 : null }),
      )
    const steady = dataset.questions.map((_, index) => fixtureRow(dataset, ALIASES.vanilla, index, { recall: 0.5 }))
    const boardOf = async (questions: number) => {
      const context = { ...comparedContext(dataset), aliases: [ALIASES.vanilla, ALIASES.adaptive] }
      const aggregate = await aggregateRun(streamOf([...steady, ...scoredOn(questions)]), context)
      return leaderboard([aggregate], 'recall_at_5').map(({ alias, place, mean }) => [alias.model, place, mean])
    }
    expect(await boardOf(11)).toEqual([
      ['vanilla-rag', 1, 0.5],
      ['workflow-adaptive-rag', null, null],
    ])
    expect(await boardOf(12)).toEqual([
      ['workflow-adaptive-rag', 1, 1],
      ['vanilla-rag', 2, 0.5],
    ])
  })

  it('ranks by the questions that all share where approaches are scored on different ones', async () => {
    const dataset = wideDataset('r1', 'One', 1)
    // Adaptive leaves the hard questions to others: on the easy ones both are alike.
    const easy = (index: number): boolean => index < 16
    const rows = dataset.questions.flatMap((_, index) => [
      fixtureRow(dataset, ALIASES.vanilla, index, { recall: easy(index) ? 1 : 0.25 }),
      fixtureRow(dataset, ALIASES.adaptive, index, { recall: easy(index) ? 0.875 : null }),
    ])
    const context = { ...comparedContext(dataset), aliases: [ALIASES.vanilla, ALIASES.adaptive] }
    const board = leaderboard([await aggregateRun(streamOf(rows), context)], 'recall_at_5')
    expect(board.map(({ alias, place, mean }) => [alias.model, place, mean])).toEqual([
      ['vanilla-rag', 1, 1],
      ['workflow-adaptive-rag', 2, 0.875],
    ])
    expect(board[0]!.rungs[0]).toMatchObject({ mean: 0.75, common: { n: 16, mean: 1 } })
  })

  it('an approach with failed cells has no rank by latency and is not decided faster than any other', async () => {
    const dataset = wideDataset('r1', 'One', 1)
    const failure = { type: 'timeout', message: 'slow' } as const
    const rows = dataset.questions.flatMap((_, index) => [
      fixtureRow(dataset, ALIASES.vanilla, index, { latencyMs: 100 + index }),
      fixtureRow(dataset, ALIASES.adaptive, index, index < 6 ? { failure } : { latencyMs: 20 + index }),
    ])
    const context = { ...comparedContext(dataset), aliases: [ALIASES.vanilla, ALIASES.adaptive] }
    const aggregate = await aggregateRun(streamOf(rows), context)
    expect(leaderboard([aggregate], 'latency_ms').map(({ alias, place }) => [alias.model, place])).toEqual([
      ['vanilla-rag', 1],
      ['workflow-adaptive-rag', null],
    ])
    const [pair] = comparedMetric(aggregate, 'latency_ms')!.pairs
    expect(pair).toMatchObject({ decision: 'undecided', wins: 0 })
    expect(comparedMetric(aggregate, 'latency_ms')!.decided.decided).toBe(0)
  })

  it('grades of built-in rules, and of a model whose agreement with people is not measured, rank no approach', async () => {
    const dataset = wideDataset('r1', 'One', 1)
    const aggregate = await aggregateRun(streamOf(comparedRows(dataset)), comparedContext(dataset))
    const models = aggregate.reproducibility!.runtime.models!
    models.roles['evaluator'] = { backend: 'builtin', model: 'rule-critic' }
    expect(leaderboard([aggregate], 'faithfulness').every(({ place }) => place === null)).toBe(true)
    expect(useWords([aggregate], 'faithfulness')).toContain('ranks no approach')
    models.roles['evaluator'] = { backend: 'openai', model: 'critic' }
    expect(leaderboard([aggregate], 'faithfulness').every(({ place }) => place === null)).toBe(true)
    expect(useWords([aggregate], 'faithfulness')).toContain('was graded by critic, whose agreement with people')
    expect(leaderboard([aggregate], 'token_f1')[0]!.place).toBe(1)
    expect(useWords([aggregate], 'token_f1')).toBe('Exploratory.')
    expect(useWords([aggregate], 'points_covered')).toBe('Primary metric.')
  })

  it('metrics of short answers are part of an aggregate that has any, and rank no approach that answers by rules', async () => {
    const dataset = wideDataset('r1', 'One', 1)
    const rows = comparedRows(dataset)
    const plain = await aggregateRun(streamOf(rows), comparedContext(dataset))
    expect(Object.keys(plain.approaches[0]!.answer)).not.toContain('strict_match')
    expect(metricsOf(plain)).not.toContain('strict_match')
    const short = rows.map((row, at): CanonicalRow => {
      const { answer } = row.metrics
      if (answer?.status !== 'ok') return row
      return {
        ...row,
        metrics: { ...row.metrics, answer: { ...answer, scores: { ...answer.scores, strict_match: at % 2 } } },
      }
    })
    const aggregate = await aggregateRun(streamOf(short), comparedContext(dataset))
    expect(Object.keys(aggregate.approaches[0]!.answer)).toContain('strict_match')
    expect(Object.keys(aggregate.approaches[0]!.answer)).not.toContain('paper_f1')
    const models = aggregate.reproducibility!.runtime.models!
    models.roles['light_gen'] = { backend: 'builtin', model: 'extractive-answerer' }
    expect(leaderboard([aggregate], 'strict_match').every(({ place }) => place === null)).toBe(true)
    expect(useWords([aggregate], 'strict_match')).toContain('needs answers of a language model')
    models.roles['light_gen'] = { backend: 'openai', model: 'm' }
    expect(leaderboard([aggregate], 'strict_match')[0]!.place).toBe(1)
  })

  it('takes the pairs of all rungs for one family: what one rung decides alone may not stay', async () => {
    const dataset = wideDataset('r1', 'One', 1)
    const made = await aggregateRun(streamOf(comparedRows(dataset)), comparedContext(dataset))
    const withP = (p: number) => {
      const copy = structuredClone(made)
      for (const metric of copy.comparisons!.metrics)
        if (metric.metric === 'points_covered')
          metric.pairs = metric.pairs.map((pair, index) => ({
            ...pair,
            p: index === 0 ? p : 0.9,
            decision: index === 0 ? ('better' as const) : ('undecided' as const),
          }))
      return copy
    }
    expect(ladderDecisions([withP(0.004)])).toHaveLength(1)
    expect(ladderDecisions([withP(0.006), withP(0.5), withP(0.5)])).toHaveLength(0)
    expect(ladderDecisionWords([withP(0.0001), withP(0.5)])).toMatch(
      /over 12 pairs of points covered\), this pair stays decided: vanilla-rag better/,
    )
    // A dataset of few questions, whose pairs nothing could decide, takes no decision away from the others.
    const tooSmall = withP(0.5)
    for (const { pairs } of tooSmall.comparisons!.metrics)
      for (const { difference } of pairs) Object.assign(difference, { interval: null, no_interval: 'too_few_clusters' })
    expect(ladderDecisions([withP(0.004), tooSmall, tooSmall])).toHaveLength(1)
    expect(ladderDecisionWords([withP(0.0001), withP(0.5), tooSmall])).toMatch(/^Over all 2 datasets .*over 12 pairs/)
    expect(ladderDecisionWords([withP(0.0001), tooSmall])).toBe('')
  })
})
