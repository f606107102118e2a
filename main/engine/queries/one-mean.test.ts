import { rm, writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { artifactNameOf, metricOfId, METRICS } from '../../../contract/metrics/metrics.ts'
import { asker, dataset, rows as goldenRows, run } from '../../../tests/helpers/golden-index.ts'
import { evidenceBytes } from '../../../tests/helpers/report-project.ts'
import {
  ALIASES,
  evaluation,
  fixtureRow,
  goldenContext,
  goldenJudgments,
  streamOf,
} from '../../../tests/helpers/report-rows.ts'
import { indexFolders, openIndex } from '../../../tests/helpers/run-index.ts'
import { scoreWords } from '../../../contract/words.ts'
import { artifactFiles } from '../../evidence/files/artifact-files.ts'
import { rowId, rowKeyOf } from '../../evidence/rows/row-id.ts'
import { rounded } from '../../lib/text/numbers.ts'
import { comparedMetric, meanEstimate } from '../../report/aggregate/aggregate-access.ts'
import { readJudgments } from '../../report/aggregate/judge-input.ts'
import { comparableMean, rungFigure } from '../../report/tables/leaderboard.ts'
import { ladderMarkdown } from '../../report/markdown/ladder-markdown.ts'
import { renderMatrixTable } from '../../report/terminal/matrix-table.ts'
import { readAggregate, writeArtifacts } from '../../report/publication/write-artifacts.ts'
import type { RunIndexApi } from '../index-gateway.ts'
import { coverageOf } from './coverage.ts'
import { changesOfRuns, pairsOfAliases } from './paired-statistics.ts'
import { frontierOf } from './run-result.ts'

const MODELS = [ALIASES.vanilla, ALIASES.hybrid, ALIASES.hybridFast, ALIASES.graph]
const ALL = METRICS.map(({ id }) => id)
const nameOf = (metric: IndexMetric) => artifactNameOf(metricOfId(metric))

const repeated = (row: CanonicalRow, repeat: number): CanonicalRow => {
  const again = { ...structuredClone(row), ...(repeat === 1 ? {} : { repeat }) }
  return { ...again, row_id: rowId(rowKeyOf(again)) }
}

/** The golden rows, with a second answer to the later half of the questions and a third one to the last: a run that was stopped. */
const stopped = goldenRows.flatMap((row) => {
  const number = Number(row.question.id.slice(2))
  return Array.from({ length: number === 8 ? 3 : number > 4 ? 2 : 1 }, (_, at) => {
    const again = repeated(row, at + 1)
    const { scores } = again.metrics.retrieval
    if (at > 0 && scores.recall_at_5 !== undefined) scores.recall_at_5 = 1
    again.metrics.operational.latency_ms += 400 * at
    return again
  })
})

/** An index of a run with these rows, its aggregate, and what the engine asks the index for. */
async function project(all: readonly CanonicalRow[], repeats: number) {
  const folders = await indexFolders()
  const judgments = goldenJudgments(dataset)
  const firsts = new Set(
    all.filter(({ repeat = 1 }) => repeat === 1).map((row) => `${row.question.id} ${row.approach.model}`),
  )
  for (const { query_id, per_judge } of judgments.queries)
    for (const verdict of Object.values(per_judge))
      verdict.scores = Object.fromEntries(
        Object.entries(verdict.scores).filter(([model]) => firsts.has(`${query_id} ${model}`)),
      )
  const files = artifactFiles(folders.results, run.run_id, dataset.id)
  await writeFile(files.judgments, JSON.stringify(judgments))
  await writeFile(files.evidence, evidenceBytes(all))
  const judge = await readJudgments(files.judgments)
  await writeArtifacts(files, streamOf(all), { ...goldenContext(dataset), judge, repeats })
  const index = openIndex(folders)
  expect((await index.sync()).damaged).toEqual([])
  const ask = asker(index)
  const api: RunIndexApi = { query: (name, input) => Promise.resolve(ask(name, input) as never) }
  const aggregate = (await readAggregate(files.evaluation))!
  return { files, index, ask, api, aggregate }
}
type Project = Awaited<ReturnType<typeof project>>

function headsOf({ ask }: Pick<Project, 'ask'>, metric: IndexMetric) {
  const outcome = ask('columnHeads', { ...run, metric })
  if (!outcome.ok) throw new Error(outcome.message)
  return outcome.heads
}

/** Compares the heads of the matrix page with the aggregate, in every metric. */
function expectHeadsOf(aggregate: Aggregate, made: Pick<Project, 'ask'>): void {
  for (const metric of ALL) {
    const { heads, unequal_coverage } = headsOf(made, metric)
    const figures = heads.map(({ model }) => rungFigure(aggregate, nameOf(metric), model))
    for (const [at, { model, mean, n, coverage, common, median_latency_ms }] of heads.entries()) {
      const figure = figures[at]
      const own = { metric, model, mean, n, common: unequal_coverage && common?.mean !== null ? common : null }
      const none = { mean: null, n: 0, common: null }
      if (metric === 'judge_mean' || metricOfId(metric).class === 'operational') own.common = null
      expect(own).toEqual({
        metric,
        model,
        ...(figure === null || figure === undefined ? none : { mean: figure.mean, n: figure.n, common: figure.common }),
      })
      if (figure !== null && figure !== undefined && metric !== 'judge_mean')
        expect(coverage).toBe(rounded(figure.n / figure.expected))
      const { operational } = aggregate.approaches.find((approach) => approach.model === model) ?? {}
      expect(median_latency_ms).toBe(operational?.latency_ms.median ?? null)
    }
  }
}

// Whole runs are compared with all their tests, which takes long on a machine that is busy otherwise.
const TIMEOUT = 90_000

it(
  'report, comparisons, terminal, matrix page, coverage, trend, Home and Compare show one mean',
  { timeout: TIMEOUT },
  async () => {
    const made = await project(stopped, 3)
    const { aggregate, api, ask, files, index } = made
    expect(rungFigure(aggregate, 'recall_at_5', 'vanilla-rag')).toMatchObject({ unequal: true })
    expectHeadsOf(aggregate, made)
    const heads = headsOf(made, 'recall_at_5').heads

    const source = {
      index: api,
      gold: () => Promise.resolve(new Map()),
      testing: () => Promise.resolve({}),
      signal: new AbortController().signal,
    }
    for (const metric of ALL) {
      const figure = (model: string) => rungFigure(aggregate, nameOf(metric), model)?.mean ?? null
      const compared = ask('compareRuns', { run_ids: [run.run_id], metric })
      for (const { model, runs } of compared.aliases)
        expect([metric, model, runs[0]!.mean]).toEqual([metric, model, figure(model)])
      for (const { model } of heads)
        expect(meanEstimate(comparedMetric(aggregate, nameOf(metric)), model)?.value ?? null).toBe(figure(model))
      const { points } = await frontierOf(api, { run_ids: [run.run_id], metric })
      for (const point of points) {
        const { operational } = aggregate.approaches.find(({ model }) => model === point.model) ?? {}
        expect([metric, point.model, point.quality, point.latency_ms, point.total_tokens]).toEqual([
          metric,
          point.model,
          figure(point.model),
          operational?.latency_ms.median ?? null,
          operational?.total_tokens.mean ?? null,
        ])
      }
    }

    for (const metric of ['faithfulness', 'recall_at_5', 'latency_ms', 'judge_mean'] as const) {
      const { comparison } = await pairsOfAliases(source, { ...run, metric })
      for (const { model, mean } of comparison.approaches)
        expect([metric, model, mean.value === null ? null : rounded(mean.value)]).toEqual([
          metric,
          model,
          rungFigure(aggregate, nameOf(metric), model)?.mean ?? null,
        ])
    }

    const texts = [renderMatrixTable([aggregate], { columns: 400 }), ladderMarkdown([aggregate], [])]
    for (const text of texts)
      for (const { model } of heads.filter(({ n }) => n > 0)) {
        const figure = rungFigure(aggregate, 'recall_at_5', model)!
        expect(text).toContain(scoreWords(comparableMean({ ...figure, common: null })))
      }

    const summary = await coverageOf(api, run.run_id, run.dataset_id)
    await rm(files.evaluation)
    await index.sync()
    const live = await coverageOf(api, run.run_id, run.dataset_id)
    expect([summary.basis, live.basis]).toEqual(['summary', 'live'])
    for (const { model, metrics } of live.aliases)
      for (const { metric, mean, scored, common, unequal_coverage } of metrics) {
        const of = summary.aliases.find((each) => each.model === model)!.metrics.find((each) => each.metric === metric)
        if (of === undefined) continue
        const { mean: itsMean, scored: itsScored, common: itsCommon, unequal_coverage: isUnequal } = of
        expect({ model, metric, mean, scored, common, unequal_coverage }).toEqual({
          model,
          metric,
          mean: itsMean,
          scored: itsScored,
          common: itsCommon,
          unequal_coverage: isUnequal,
        })
      }
  },
)

it('a change between runs is the difference of the means that Compare shows', { timeout: TIMEOUT }, async () => {
  const { ask, api, index } = await project(stopped, 3)
  const other = stopped
    .filter(({ repeat, question }) => (repeat ?? 1) === 1 || question.id !== 'q-6')
    .map((row): CanonicalRow => {
      const moved = { ...structuredClone(row), run_id: 'other-run' }
      const { scores } = moved.metrics.retrieval
      if (scores.recall_at_5 !== undefined) scores.recall_at_5 = (scores.recall_at_5 + (moved.repeat ?? 1) / 3) / 2
      return { ...moved, row_id: rowId(rowKeyOf(moved)) }
    })
  const path = index.db.prepare<[], string>(`SELECT path FROM artifacts WHERE kind = 'evidence'`).pluck().get()!
  await writeFile(path.replace(run.run_id, 'other-run'), evidenceBytes(other))
  await index.sync()
  const input = { run_ids: [run.run_id, 'other-run'], dataset_id: run.dataset_id, metric: 'recall_at_5' as const }
  const source = {
    index: api,
    gold: () => Promise.resolve(new Map()),
    testing: () => Promise.resolve({}),
    signal: new AbortController().signal,
  }
  const { changes } = await changesOfRuns(source, input)
  const { aliases } = ask('compareRuns', input)
  expect(changes.length).toBeGreaterThan(1)
  for (const { model, from, to, pair } of changes) {
    const { common, runs } = aliases.find((each) => each.model === model)!
    expect([common, ...runs.map(({ common_mean }) => common_mean)]).toEqual([pair!.difference.n, to, from])
  }
})

it('the index shows the figures of the aggregate whatever rows a run has', { timeout: TIMEOUT }, async () => {
  const cell = fc.record({
    question: fc.nat({ max: dataset.questions.length - 1 }),
    repeat: fc.integer({ min: 1, max: 3 }),
    approach: fc.nat({ max: MODELS.length - 1 }),
    fate: fc.constantFrom('ok', 'ok', 'ok', 'unscored', 'timeout', 'error'),
    score: fc.integer({ min: 0, max: 100 }),
    latency: fc.integer({ min: 1, max: 100_000 }),
  })
  const cells = fc.uniqueArray(cell, {
    minLength: 1,
    maxLength: 60,
    selector: ({ question, repeat, approach }) => `${question} ${repeat} ${approach}`,
  })
  await fc.assert(
    fc.asyncProperty(cells, async (all) => {
      const rows = all.map(({ question, repeat, approach, fate, score, latency }) =>
        fixtureRow(dataset, MODELS[approach]!, question, {
          repeat,
          latencyMs: latency / 7,
          recall: fate === 'unscored' ? null : score / 100,
          ...(fate === 'timeout' || fate === 'error'
            ? { failure: { type: fate === 'timeout' ? 'timeout' : 'http_error', message: fate } as const }
            : {}),
          ragas:
            fate === 'unscored'
              ? evaluation({}, { error_type: 'network_error' })
              : evaluation({ faithfulness: score / 100, answer_relevancy: score / 30 - 1 }),
        }),
      )
      const made = await project(rows, 3)
      expectHeadsOf(made.aggregate, made)
      expect(await made.index.verify()).toMatchObject({ problems: [] })
      made.index.close()
    }),
    { numRuns: 5 },
  )
})
