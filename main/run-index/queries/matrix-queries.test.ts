import { describe, expect, it } from 'vitest'
import {
  ColumnHeadsOutcome,
  MatrixPageOutcome,
  type MatrixFilters,
  type MatrixPageInput,
} from '../../../contract/control/run-index/matrix-page.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { ALIASES, asker, dataset, goldenIndex, rows, run } from '../../../tests/helpers/golden-index.ts'
import { writeRun } from '../../../tests/helpers/report-project.ts'
import { goldenJudgments } from '../../../tests/helpers/report-rows.ts'
import { indexFolders, openIndex } from '../../../tests/helpers/run-index.ts'
import { metricOf } from '../../report/aggregate/aggregate-access.ts'
import { metricOutcome } from '../../report/aggregate/metric-outcome.ts'

describe('the matrix', () => {
  const page = (ask: ReturnType<typeof asker>, input: Partial<MatrixPageInput> = {}) => {
    const outcome = MatrixPageOutcome.parse(ask('matrixPage', { ...run, metric: 'faithfulness', ...input }))
    if (!outcome.ok) throw new Error(outcome.message)
    return outcome.page
  }
  const ids = (ask: ReturnType<typeof asker>, filters: MatrixFilters, input: Partial<MatrixPageInput> = {}) =>
    page(ask, { filters, ...input }).rows.map(({ question_id }) => question_id)

  it('a page has every question in the order of the run and every cell with the values of its row', async () => {
    const { ask } = await goldenIndex()
    const { rows: found, ...head } = page(ask)
    expect(head).toMatchObject({
      aliases: [...ALIASES, 'agentic-rag', 'workflow-adaptive-rag'],
      matching: 8,
      questions: 8,
      offset: 0,
    })
    expect(found.map(({ question_id }) => question_id)).toEqual(dataset.questions.map(({ id }) => id))
    for (const [index, { question_id, cells }] of found.entries())
      for (const [column, model] of head.aliases.entries()) {
        const row = rows.find(({ question, approach }) => question.id === question_id && approach.model === model)
        const cell = cells[column]!
        if (row === undefined) {
          expect(cell, `${question_id} ${model}`).toBeNull()
          continue
        }
        const outcome = metricOutcome(row, 'faithfulness')
        expect(cell).toMatchObject({
          row_id: row.row_id,
          status: row.status,
          error_type: row.error?.type ?? null,
          evaluation: row.metrics.ragas.status,
          value: outcome.kind === 'scored' ? outcome.score : null,
          reason: 'reason' in outcome ? outcome.reason : null,
          latency_ms: row.metrics.operational.latency_ms,
          total_tokens: row.metrics.operational.token_usage?.total_tokens ?? null,
          answer_chars: row.evidence?.answer.length ?? null,
        })
        const { scores } = goldenJudgments(dataset).queries[index]!.per_judge['judge-a']!
        expect(cell.judge_mean).toBeCloseTo(
          index === 7 ? scores[model]! : scores[model]! + (scores[model] === 5 ? -2 : 0.5),
        )
      }
  })

  it('pages join to the whole matrix', async () => {
    const { ask } = await goldenIndex()
    const all = page(ask, { sort: { by: 'value', alias: 'hybrid-rag', descending: true } }).rows
    const pages = [0, 3, 6].flatMap(
      (offset) => page(ask, { sort: { by: 'value', alias: 'hybrid-rag', descending: true }, offset, limit: 3 }).rows,
    )
    expect(pages).toEqual(all)
    expect(page(ask, { offset: 8 }).rows).toEqual([])
  })

  it('columns appear in the requested order', async () => {
    const { ask } = await goldenIndex()
    const { aliases, rows: found } = page(ask, { aliases: ['graph-rag', 'unlisted', 'vanilla-rag', 'graph-rag'] })
    expect(aliases).toEqual(['graph-rag', 'vanilla-rag'])
    expect(found[0]!.cells).toHaveLength(2)
  })

  const value = (questionId: string, model: string, metric: 'faithfulness' | 'recall_at_5'): number | null => {
    const row = rows.find(({ question, approach }) => question.id === questionId && approach.model === model)
    const outcome = row && metricOutcome(row, metric)
    return outcome?.kind === 'scored' ? outcome.score : null
  }

  it.each(['faithfulness', 'recall_at_5'] as const)('sorts by %s with what is missing last', async (metric) => {
    const { ask } = await goldenIndex()
    for (const descending of [false, true]) {
      const byAlias = (model: string) => (id: string) => value(id, model, metric)
      const scores = (id: string) => ALIASES.flatMap((model) => value(id, model, metric) ?? [])
      const spread = (id: string) =>
        scores(id).length === 0 ? null : Math.max(...scores(id)) - Math.min(...scores(id))
      const mean = (id: string) =>
        scores(id).length === 0 ? null : scores(id).reduce((a, b) => a + b, 0) / scores(id).length
      const cases = [
        [{ by: 'value', alias: 'hybrid-rag-fast', descending }, byAlias('hybrid-rag-fast')],
        [{ by: 'value', alias: 'vanilla-rag', descending }, byAlias('vanilla-rag')],
        [{ by: 'value', alias: 'unlisted', descending }, () => null],
        [{ by: 'spread', descending }, spread],
        [{ by: 'mean', descending }, mean],
        [{ by: 'hops', descending }, (id: string) => dataset.questions.find((question) => question.id === id)!.hops],
      ] as const
      for (const [sort, key] of cases) {
        const found = ids(ask, {}, { metric, sort }).map(key)
        const present = found.filter((item) => item !== null)
        const expected = present.toSorted((a, b) => (descending ? b - a : a - b))
        expect(
          found.map((item) => item?.toFixed(6)),
          JSON.stringify(sort),
        ).toEqual([...expected, ...found.filter((item) => item === null)].map((item) => item?.toFixed(6)))
      }
    }
  })

  it('filters select what a direct look at the rows selects', async () => {
    const { ask } = await goldenIndex()
    const all = dataset.questions.map(({ id }) => id)
    const where = (test: (row: CanonicalRow) => boolean) =>
      all.filter((id) => rows.some((row) => row.question.id === id && test(row)))
    const is = (kind: string) => (row: CanonicalRow) => metricOutcome(row, 'faithfulness').kind === kind
    const own = { aliases: ALIASES }
    expect(ids(ask, { states: ['timeout'] })).toEqual(where(is('timeout')))
    expect(ids(ask, { states: ['error', 'timeout'] })).toEqual(where((row) => is('error')(row) || is('timeout')(row)))
    expect(ids(ask, { states: ['not_evaluable'] })).toEqual(where(is('unevaluable')))
    expect(ids(ask, { states: ['not_run'] })).toEqual(where(is('not_run')))
    expect(ids(ask, { states: ['missing'] }, own)).toEqual(['q-8'])
    expect(ids(ask, { states: ['missing'] })).toEqual(all)
    expect(ids(ask, { hops: [3] })).toEqual(['q-3', 'q-6'])
    expect(ids(ask, { hops: [null, 3] })).toEqual(['q-3', 'q-6', 'q-7'])
    expect(ids(ask, { answerable: false })).toEqual(['q-8'])
    expect(ids(ask, { score: { alias: 'hybrid-rag', min: 0.83 } })).toEqual(
      all.filter((id) => value(id, 'hybrid-rag', 'faithfulness')! >= 0.83),
    )
    expect(ids(ask, { score: { max: 0.75 } })).toEqual(
      where((row) => (value(row.question.id, row.approach.model, 'faithfulness') ?? 9) <= 0.75),
    )
    expect(ids(ask, { min_spread: 0.2 })).toEqual(['q-1'])
    expect(ids(ask, { winner: 'hybrid-rag-fast' })).toEqual(['q-1'])
    expect(ids(ask, { winner: 'hybrid-rag' })).toEqual(all.slice(1))
    expect(ids(ask, { winner: null }, { metric: 'context_recall' })).toEqual(all)
    expect(ids(ask, { winner: 'unlisted' })).toEqual([])
    const ties = all.filter((id) => {
      const scores = ALIASES.flatMap((model) => value(id, model, 'recall_at_5') ?? [])
      return scores.filter((score) => score === Math.max(...scores)).length !== 1
    })
    expect(ties.length).toBeGreaterThan(0)
    expect(ids(ask, { winner: null }, { metric: 'recall_at_5', ...own })).toEqual(ties)
    expect(ids(ask, { text: '"question 3"' })).toEqual(['q-3'])
    expect(ids(ask, { text: 'answer hybrid' })).toEqual(
      where((row) => row.evidence?.answer.includes('hybrid') === true),
    )
    expect(ids(ask, { text: 'answer hybrid' }, { aliases: ['vanilla-rag'] })).toEqual([])
    expect(ids(ask, { text: '???' })).toEqual([])
    expect(ids(ask, { text: '  ' })).toEqual(all)
    expect(ids(ask, { states: ['timeout'], hops: [1] })).toEqual([])
    expect(ids(ask, { inconclusive: ['tie'] })).toEqual([])
  })

  it('lower latency wins, and the panel decides the winner of its mean', async () => {
    const folders = await indexFolders()
    const judgments = goldenJudgments(dataset)
    judgments.queries[1] = { ...judgments.queries[1]!, observed_winner: 'graph-rag' }
    judgments.queries[2] = { ...judgments.queries[2]!, inconclusive: 'tie' }
    await writeRun(folders.results, dataset, judgments)
    const index = openIndex(folders)
    await index.sync()
    const ask = asker(index)
    expect(ids(ask, { winner: 'graph-rag' }, { metric: 'judge_mean' })).toEqual(['q-2'])
    expect(ids(ask, { inconclusive: ['tie'] })).toEqual(['q-3'])
    expect(page(ask).rows[1]!.observed_winner).toBe('graph-rag')
    // 80, 87, 94 … against 100 of the fast flavor, which has no latency for the questions that it failed.
    expect(ids(ask, { winner: 'hybrid-rag-fast' }, { metric: 'latency_ms' })).toEqual(['q-4', 'q-7'])
  })

  it('an unknown run or dataset is not found', async () => {
    const { ask } = await goldenIndex()
    expect(ask('matrixPage', { run_id: 'x', dataset_id: 'alpha', metric: 'faithfulness' })).toMatchObject({
      ok: false,
      code: 'not_found',
    })
    expect(() => ask('matrixPage', { ...run, metric: 'nonsense' })).toThrow(
      expect.objectContaining({ code: 'bad_input' }) as Error,
    )
  })
})

describe('column heads', () => {
  const rounded = (value: number | null) => value?.toPrecision(5) ?? null

  it.each(['faithfulness', 'answer_relevancy', 'recall_at_5', 'hit_at_5', 'token_f1', 'abstention'] as const)(
    'report of %s what the aggregate holds',
    async (metric) => {
      const { ask, aggregate } = await goldenIndex()
      const outcome = ColumnHeadsOutcome.parse(ask('columnHeads', { ...run, metric, aliases: ALIASES }))
      if (!outcome.ok) throw new Error(outcome.message)
      const { heads, unequal_coverage: isUnequal } = outcome.heads
      const summaries = aggregate.approaches.map((approach) => ({ approach, summary: metricOf(approach, metric)! }))
      expect(isUnequal).toBe(summaries.some(({ summary }) => summary.unequal_coverage))
      expect(
        heads.map(({ model, mean, n, expected, states, common }) => ({
          model,
          mean: rounded(mean),
          counts: [n, expected, ...Object.values(states)],
          common: isUnequal && common !== null ? [common.n, rounded(common.mean)] : null,
        })),
      ).toEqual(
        summaries.map(({ approach: { model }, summary }) => ({
          model,
          mean: rounded(summary.mean),
          counts: [
            summary.scored,
            summary.expected,
            summary.missing,
            summary.scored,
            summary.unevaluable,
            summary.errors,
            summary.timeouts,
            summary.disabled,
            summary.not_run,
          ],
          common:
            summary.common?.mean === undefined || summary.common.mean === null
              ? null
              : [summary.common.n, rounded(summary.common.mean)],
        })),
      )
    },
  )
})
