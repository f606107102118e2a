import { describe, expect, it } from 'vitest'
import {
  ALIASES,
  comparedContext,
  comparedRows,
  fixtureRow,
  streamOf,
  wideDataset,
  type FixtureDataset,
} from '../../tests/helpers/report-rows.ts'
import { aggregateRun } from './aggregate-run.ts'
import { leaderboard } from './leaderboard.ts'

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
  it('ranks by the mean over the rungs, and not who lacks a rung; the rehearsal does not count', async () => {
    const rungs = await Promise.all([
      aggregateOf(wideDataset('r0', 'Rehearsal', 0), { vanilla: 1, hybrid: 0.125, agentic: 0.5 }),
      aggregateOf(wideDataset('r1', 'One', 1), { vanilla: 0.25, hybrid: 0.5, agentic: 0.5 }),
      aggregateOf(wideDataset('r2', 'Two', 2), { vanilla: 0.25, hybrid: 0.75, adaptive: 1 }),
    ])
    const rows = leaderboard(rungs, 'recall_at_5')
    expect(rows.map(({ alias, rank, mean }) => [alias.model, rank, mean])).toEqual([
      ['hybrid-rag', 1, 0.625],
      ['vanilla-rag', 2, 0.25],
      ['agentic-rag', null, null],
      ['workflow-adaptive-rag', null, null],
    ])
    expect(rows[2]!.rungs.map((figure) => figure?.mean ?? null)).toEqual([0.5, 0.5, null])
    expect(
      leaderboard(rungs, 'latency_ms')
        .map(({ alias, rank }) => [alias.model, rank])
        .slice(0, 2),
    ).toEqual([
      ['vanilla-rag', 1],
      ['hybrid-rag', 2],
    ])
    expect(leaderboard(rungs.slice(0, 1), 'recall_at_5')[0]).toMatchObject({ rank: 1, mean: 1 })
    expect(leaderboard(rungs, 'score')).toEqual([])
  })

  it('shares a rank between equal means, and sums up decided pairs', async () => {
    const dataset = wideDataset('r1', 'One', 1)
    const equal = leaderboard([await aggregateOf(dataset, { vanilla: 0.5, hybrid: 0.5, agentic: 0.25 })], 'recall_at_5')
    expect(equal.map(({ rank }) => rank)).toEqual([1, 1, 3])
    const compared = await aggregateRun(streamOf(comparedRows(dataset)), comparedContext(dataset))
    const vanilla = leaderboard([compared, compared], 'recall_at_5').find(({ alias }) => alias.model === 'vanilla-rag')!
    expect(vanilla.standing).toEqual({ better: 0, worse: 4, undecided: 0 })
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
      return leaderboard([aggregate], 'recall_at_5').map(({ alias, rank, mean }) => [alias.model, rank, mean])
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
})
