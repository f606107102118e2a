import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Aggregate, type ComparedMetric } from '../../../contract/evidence/aggregate.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import {
  ALIASES,
  comparedContext,
  comparedRows,
  fixtureRow,
  goldenJudgments,
  REPORT_RUN,
  REQUESTED,
  streamOf,
  wideDataset,
} from '../../../tests/helpers/report-rows.ts'
import { roundedDeep } from '../../lib/text/numbers.ts'
import { clusterQuestions } from '../../statistics/clusters.ts'
import { comparePairs } from '../../statistics/compare-pairs.ts'
import { scoreTableOf } from '../../../tests/helpers/score-table.ts'
import { comparedMetric, pairAgainst, standingOf } from './aggregate-access.ts'
import { aggregateRows } from '../csv/aggregate-rows.ts'
import { aggregateText } from './aggregate-run.ts'
import { aggregateRun } from '../../../tests/helpers/aggregate-run.ts'
import { ApproachTally } from './approach-tally.ts'
import { comparisonsOf } from './comparisons.ts'
import { summaryContextFromRows, summaryContextOf } from './run-summary.ts'

const dataset = wideDataset('wide', 'Wide', 1)
const rows = comparedRows(dataset)
const aggregated = await aggregateRun(streamOf(rows), comparedContext(dataset))
/** Questions that share no document. */
function separate(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    ...dataset.questions[0]!,
    id: `x-${index}`,
    gold: [{ document: `${index}.md`, fact: 'f' }],
  }))
}
const metricOf = (aggregate: Aggregate, name: Parameters<typeof comparedMetric>[1]): ComparedMetric =>
  comparedMetric(aggregate, name)!

describe('comparisons', () => {
  it.each([
    ['at once', dataset],
    ['in threads', { ...dataset, questions: separate(60) }],
  ])('agree with a direct computation on the scores, rounded once (%s)', async (_how, asked) => {
    const made = comparedRows(asked)
    const ids = asked.questions.map(({ id, gold }) => ({ id, documents: gold.map(({ document }) => document) }))
    const { clusters, summary } = clusterQuestions(ids)
    const table = scoreTableOf(
      {
        metric: 'recall_at_5',
        questions: ids.map(({ id }, index) => ({ id, cluster: clusters[index]! })),
        approaches: comparedContext(asked).aliases!.map(({ model }) => model),
        range: [0, 1],
      },
      made.flatMap(({ question, approach, metrics }) => {
        const score = metrics.retrieval.scores.recall_at_5
        return score === undefined ? [] : [{ question: question.id, approach: approach.model, score }]
      }),
    )
    const { questions, approaches, ...direct } = comparePairs(table, { seed: 'ladder' })
    const aggregate = await aggregateRun(streamOf(made), comparedContext(asked))
    expect(aggregate.comparisons!.clusters).toEqual(roundedDeep(summary))
    expect(metricOf(aggregate, 'recall_at_5')).toEqual({
      metric_class: 'retrieval',
      variance: null,
      ...roundedDeep({ ...direct, questions, approaches }),
    })
    expect(Aggregate.parse(aggregate)).toEqual(aggregate)
  })

  it('comparisons decide clear pairs, leave others open, and skip approaches without scores', () => {
    const recall = metricOf(aggregated, 'recall_at_5')
    expect(pairAgainst(recall, 'hybrid-rag', 'vanilla-rag')).toMatchObject({
      decision: 'better',
      p_adjusted: expect.any(Number),
    })
    expect(pairAgainst(recall, 'hybrid-rag', 'hybrid-rag-fast')).toMatchObject({ decision: 'undecided' })
    expect(pairAgainst(recall, 'graph-rag', 'hybrid-rag')).toMatchObject({ decision: 'undecided', p: null })
    expect(recall.decided).toEqual({ decided: 2, comparable: 3 })
    expect(standingOf(recall, 'vanilla-rag')).toEqual({ better: 0, worse: 2, undecided: 0 })
    expect(standingOf(recall, 'graph-rag')).toEqual({ better: 0, worse: 0, undecided: 0 })
    const latency = metricOf(aggregated, 'latency_ms')
    expect([latency.metric_class, latency.better]).toEqual(['operational', 'lower'])
    expect(pairAgainst(latency, 'graph-rag', 'hybrid-rag')).toMatchObject({ decision: 'worse' })
  })

  it('turn a pair around with everything in it', () => {
    const recall = metricOf(aggregated, 'recall_at_5')
    const [there, back] = [
      pairAgainst(recall, 'vanilla-rag', 'hybrid-rag')!,
      pairAgainst(recall, 'hybrid-rag', 'vanilla-rag')!,
    ]
    expect(back.difference.value).toBe(-there.difference.value!)
    expect(back.difference.interval).toEqual({
      low: -there.difference.interval!.high,
      high: -there.difference.interval!.low,
    })
    expect([back.wins, back.ties, back.losses]).toEqual([there.losses, there.ties, there.wins])
  })

  it('take the judges in, with the judges’ part of the variance', async () => {
    const judgments = goldenJudgments(dataset)
    const judged = await aggregateRun(streamOf(rows), {
      ...comparedContext(dataset),
      judge: { state: 'read', judgments },
    })
    const score = metricOf(judged, 'score')
    expect(score.metric_class).toBe('judge_panel')
    const section = judged.judge_panel
    const means = 'approaches' in section ? section.approaches.map(({ mean }) => mean) : []
    expect(score.approaches.map(({ mean }) => mean.value)).toEqual(means)
    expect(score.variance![0]!.components).toMatchObject({ judges: 2, generation: null, dropped: 1 })
    expect(aggregated.comparisons!.metrics.some(({ metric }) => metric === 'score')).toBe(false)
  })

  it('are not there before the first row, and hold selected approaches only', async () => {
    const none = await aggregateRun(streamOf([]), comparedContext(dataset))
    expect(none.comparisons).toBeNull()
    const two = { ...comparedContext(dataset), aliases: [ALIASES.vanilla, ALIASES.hybrid] }
    const narrowed = await aggregateRun(streamOf(rows), two)
    expect(metricOf(narrowed, 'recall_at_5').approaches.map(({ model }) => model)).toEqual([
      'vanilla-rag',
      'hybrid-rag',
    ])
  })

  it('are rewritten from the stored aggregate, byte for byte', async () => {
    const again = await aggregateRun(streamOf(rows.toReversed()), summaryContextOf(aggregated, { state: 'disabled' }))
    expect(aggregateText(again)).toBe(aggregateText(aggregated))
  })

  it('call equivalent what is within the margin of the experiment, which the aggregate keeps and the verdict names', async () => {
    const context = comparedContext(dataset)
    const [narrow, wide] = await Promise.all(
      [0.02, 0.5].map((equivalenceMargin) => aggregateRun(streamOf(rows), { ...context, equivalenceMargin })),
    )
    const equivalentIn = (aggregate: Aggregate): number =>
      metricOf(aggregate, 'recall_at_5').pairs.filter(({ equivalence }) => equivalence?.equivalent === true).length
    expect(equivalentIn(wide!)).toBeGreaterThan(equivalentIn(narrow!))
    expect(wide!.equivalence_margin).toBe(0.5)
    expect(metricOf(wide!, 'recall_at_5').pairs.map(({ equivalence }) => equivalence?.margin)).toContain(0.5)
    const again = await aggregateRun(streamOf(rows), summaryContextOf(wide!, { state: 'disabled' }))
    expect(again.comparisons).toEqual(wide!.comparisons)
    expect(aggregated).not.toHaveProperty('equivalence_margin')
  })

  it('are in closed form when there is too much to resample, and report it', async () => {
    const { aliases } = comparedContext(dataset)
    const approaches = aliases!.map((alias) => new ApproachTally(alias))
    for (const row of rows)
      approaches
        .find(({ alias }) => alias.model === row.approach.model)!
        .add(
          dataset.questions.findIndex(({ id }) => id === row.question.id),
          row,
        )
    const questions = dataset.questions.map(({ id, gold }, index) => ({
      index,
      id,
      gold,
    }))
    const source = { seed: 'ladder', questions, repeats: 1, requested: REQUESTED, approaches, judgments: null }
    expect(await comparisonsOf(source)).toEqual(aggregated.comparisons)
    const closed = await comparisonsOf(source, { atOnce: 0, most: 0 })
    const recall = closed.metrics.find(({ metric }) => metric === 'recall_at_5')!
    expect(recall.settings).toMatchObject({ mean_interval: 'wilson', resamples: 0, flips: 0 })
    expect(recall.pairs.map(({ decision }) => decision)).toEqual(
      metricOf(aggregated, 'recall_at_5').pairs.map(({ decision }) => decision),
    )
  })

  it('are in the long form: intervals beside the means, and every pair on a line of its own', async () => {
    const lines = Array.from(aggregateRows(aggregated))
    const recall = metricOf(aggregated, 'recall_at_5')
    const mean = lines.find(({ metric, model, hops }) => metric === 'recall_at_5' && model === 'hybrid-rag' && !hops)!
    const { interval } = recall.approaches[1]!.mean
    expect([mean.interval_low, mean.interval_high, mean.clusters]).toEqual([interval!.low, interval!.high, 12])
    const pairs = lines.filter(({ against }) => against !== undefined)
    expect(pairs).toHaveLength(aggregated.comparisons!.metrics.reduce((sum, { pairs: own }) => sum + own.length, 0))
    const [first] = pairs.filter(({ metric }) => metric === 'recall_at_5')
    const { difference, p_adjusted, decision } = recall.pairs[0]!
    expect(first).toMatchObject({
      model: 'vanilla-rag',
      base_model: 'vanilla-rag',
      against: 'hybrid-rag',
      metric_class: 'retrieval',
      difference: difference.value,
      interval_low: difference.interval!.low,
      p_adjusted,
      decision,
      n: 24,
    })
    expect(first!.mean).toBeUndefined()
  })
})

describe('repetitions', () => {
  const repeated = comparedRows(dataset, 3)

  it('count as cells, and as one question each in means and pairs', async () => {
    const aggregate = await aggregateRun(streamOf(repeated), comparedContext(dataset, 3))
    expect(aggregate.repeats).toBe(3)
    expect(aggregate.cells).toMatchObject({ expected: 24 * 4 * 3, ok: 24 * 4 * 3, missing: 0 })
    const vanilla = aggregate.approaches[0]!
    expect(vanilla.retrieval.recall_at_5).toMatchObject({ scored: 72, expected: 72, coverage: 1, state: 'ok' })
    expect(vanilla.operational.latency_ms.n).toBe(72)
    const compared = metricOf(aggregate, 'recall_at_5')
    expect(compared.approaches[0]!.mean).toMatchObject({ n: 24, value: vanilla.retrieval.recall_at_5!.mean })
    expect(compared.pairs[0]!.difference.n).toBe(24)
    const { components } = compared.variance![0]!
    expect(components).toMatchObject({ questions: 24, repeats: 3, judges: 1, judge_severity: null })
    expect(components.question!.share + components.generation!.share).toBeCloseTo(1, 5)
  })

  it('beyond the selected number are left out; where nothing is selected, the rows give the number', async () => {
    const single = await aggregateRun(streamOf(repeated), comparedContext(dataset, 1))
    expect(single.cells.expected).toBe(96)
    expect(aggregateText(single)).toBe(
      aggregateText(
        await aggregateRun(streamOf(repeated.filter(({ repeat }) => repeat === undefined)), comparedContext(dataset)),
      ),
    )
    const counted = await aggregateRun(streamOf(repeated), summaryContextFromRows(REPORT_RUN, dataset.id))
    expect(counted.repeats).toBe(3)
  })

  it('that are missing lower the coverage and not the mean', async () => {
    const gap = repeated.filter(({ repeat, question }) => !(repeat === 3 && question.id === 'w-1'))
    const aggregate = await aggregateRun(streamOf(gap), comparedContext(dataset, 3))
    const vanilla = aggregate.approaches[0]!
    expect(vanilla.cells).toMatchObject({ expected: 72, missing: 1 })
    expect(vanilla.retrieval.recall_at_5).toMatchObject({ scored: 71, unequal_coverage: false, state: 'partial' })
  })

  it('of a cell twice are refused', async () => {
    const twice = [...repeated, { ...fixtureRow(dataset, ALIASES.vanilla, 0, { repeat: 2 }), row_id: 'f'.repeat(64) }]
    await expect(aggregateRun(streamOf(twice), comparedContext(dataset, 3))).rejects.toMatchObject({
      code: 'duplicate_cell',
    })
  })

  it('in any order give the same bytes', async () => {
    const few = repeated.filter(({ question }) => Number(question.id.slice(2)) <= 9)
    const context = { ...comparedContext(dataset, 3), questions: comparedContext(dataset).questions!.slice(0, 9) }
    const text = async (stream: readonly CanonicalRow[]): Promise<string> =>
      aggregateText(await aggregateRun(streamOf(stream), context))
    const expected = await text(few)
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(few, { minLength: few.length }), async (other) => {
        expect(await text(other)).toBe(expected)
      }),
      { numRuns: 15 },
    )
  })
})
