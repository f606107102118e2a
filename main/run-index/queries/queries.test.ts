import { rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  CellOutcome,
  ColumnHeadsOutcome,
  MatrixPageOutcome,
  RunComparison,
  RunList,
  RunSummaryOutcome,
  SearchResults,
  IndexStatus,
  MAX_ANSWER_BYTES,
  type CanonicalRow,
  type MatrixFilters,
  type MatrixPageInput,
} from '../../../contract/index.ts'
import { sampleRow } from '../../../tests/helpers/evidence-rows.ts'
import { evidenceBytes, writeRun } from '../../../tests/helpers/report-project.ts'
import { fixtureDataset, goldenJudgments, goldenRows, REPORT_RUN } from '../../../tests/helpers/report-rows.ts'
import { indexFolders, openIndex, type OpenedIndex } from '../../../tests/helpers/run-index.ts'
import { rowId } from '../../evidence/row-id.ts'
import { metricOf } from '../../report/metric-access.ts'
import { metricOutcome } from '../../report/metric-outcome.ts'
import { readAggregate } from '../../report/write-artifacts.ts'
import { answerQuery, newContext, type QueryAnswers, type QueryName } from './answer-query.ts'

const dataset = fixtureDataset('alpha', 'Alpha', 1)
const rows = goldenRows(dataset)
const ALIASES = ['vanilla-rag', 'hybrid-rag', 'hybrid-rag-fast', 'graph-rag']
const run = { run_id: REPORT_RUN, dataset_id: 'alpha' }

function asker({ db }: OpenedIndex) {
  const context = newContext([])
  return <Name extends QueryName>(name: Name, input: unknown = {}): QueryAnswers[Name] =>
    answerQuery(db, name, input, context) as QueryAnswers[Name]
}

async function golden() {
  const folders = await indexFolders()
  const { files } = await writeRun(folders.results, dataset, goldenJudgments(dataset))
  const index = openIndex(folders)
  await index.sync()
  const aggregate = (await readAggregate(files.evaluation))!
  return { folders, files, index, aggregate, ask: asker(index) }
}

describe('the matrix', () => {
  const page = (ask: ReturnType<typeof asker>, input: Partial<MatrixPageInput> = {}) => {
    const outcome = MatrixPageOutcome.parse(ask('matrixPage', { ...run, metric: 'faithfulness', ...input }))
    if (!outcome.ok) throw new Error(outcome.message)
    return outcome.page
  }
  const ids = (ask: ReturnType<typeof asker>, filters: MatrixFilters, input: Partial<MatrixPageInput> = {}) =>
    page(ask, { filters, ...input }).rows.map(({ question_id }) => question_id)

  it('has every question in the order of the run, and every cell as its row says', async () => {
    const { ask } = await golden()
    const { rows: found, ...head } = page(ask)
    expect(head).toMatchObject({
      aliases: [...ALIASES, 'agentic-rag', 'workflow-adaptive-rag'],
      matching: 8,
      questions: 8,
      offset: 0,
    })
    expect(found.map(({ question_id }) => question_id)).toEqual(dataset.questions.map(({ id }) => id))
    for (const [place, { question_id, cells }] of found.entries())
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
          answer_chars: row.evidence?.answer.length ?? null,
        })
        const { scores } = goldenJudgments(dataset).queries[place]!.per_judge['judge-a']!
        expect(cell.judge_mean).toBeCloseTo(
          place === 7 ? scores[model]! : scores[model]! + (scores[model] === 5 ? -2 : 0.5),
        )
      }
  })

  it('is cut into pages that fit together', async () => {
    const { ask } = await golden()
    const all = page(ask, { sort: { by: 'value', alias: 'hybrid-rag', descending: true } }).rows
    const pages = [0, 3, 6].flatMap(
      (offset) => page(ask, { sort: { by: 'value', alias: 'hybrid-rag', descending: true }, offset, limit: 3 }).rows,
    )
    expect(pages).toEqual(all)
    expect(page(ask, { offset: 8 }).rows).toEqual([])
  })

  it('shows the asked columns in the asked order', async () => {
    const { ask } = await golden()
    const { aliases, rows: found } = page(ask, { aliases: ['graph-rag', 'nobody', 'vanilla-rag', 'graph-rag'] })
    expect(aliases).toEqual(['graph-rag', 'vanilla-rag'])
    expect(found[0]!.cells).toHaveLength(2)
  })

  const value = (questionId: string, model: string, metric: 'faithfulness' | 'recall_at_5'): number | null => {
    const row = rows.find(({ question, approach }) => question.id === questionId && approach.model === model)
    const outcome = row && metricOutcome(row, metric)
    return outcome?.kind === 'scored' ? outcome.score : null
  }

  it.each(['faithfulness', 'recall_at_5'] as const)('sorts by %s with what is missing last', async (metric) => {
    const { ask } = await golden()
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
        [{ by: 'value', alias: 'nobody', descending }, () => null],
        [{ by: 'spread', descending }, spread],
        [{ by: 'mean', descending }, mean],
        [{ by: 'hops', descending }, (id: string) => dataset.questions.find((question) => question.id === id)!.hops],
      ] as const
      for (const [sort, key] of cases) {
        const found = ids(ask, {}, { metric, sort }).map(key)
        const there = found.filter((item) => item !== null)
        const expected = there.toSorted((a, b) => (descending ? b - a : a - b))
        expect(
          found.map((item) => item?.toFixed(6)),
          JSON.stringify(sort),
        ).toEqual([...expected, ...found.filter((item) => item === null)].map((item) => item?.toFixed(6)))
      }
    }
  })

  it('filters as a plain look at the rows does', async () => {
    const { ask } = await golden()
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
    expect(ids(ask, { statuses: ['timeout'] })).toEqual(['q-5'])
    expect(ids(ask, { error_types: ['http_error', 'timeout'] })).toEqual(['q-5', 'q-6'])
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
    expect(ids(ask, { winner: 'nobody' })).toEqual([])
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

  it('takes lower latency for better, and the panel for the winner of its mean', async () => {
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

  it('is not found where there is none', async () => {
    const { ask } = await golden()
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
    'say of %s what the aggregate says',
    async (metric) => {
      const { ask, aggregate } = await golden()
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
            ...[summary.scored, summary.expected, summary.missing, summary.scored, summary.unevaluable],
            ...[summary.errors, summary.timeouts, summary.disabled, summary.not_run],
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

describe('one cell', () => {
  it('is the row as it stands in its file', async () => {
    const { ask } = await golden()
    for (const row of rows) {
      const outcome = CellOutcome.parse(ask('cell', { run_id: REPORT_RUN, row_id: row.row_id }))
      if (!outcome.ok || outcome.kind !== 'canonical') throw new Error('no row')
      expect(outcome.row).toEqual(JSON.parse(JSON.stringify(row)))
      expect(outcome.cuts).toEqual([])
      expect(outcome.verdicts.map(({ judge }) => judge)).toEqual(
        row.question.id === 'q-8' ? ['judge-a'] : ['judge-a', 'judge-b'],
      )
    }
    expect(ask('cell', { run_id: REPORT_RUN, row_id: '0'.repeat(64) })).toMatchObject({ ok: false, code: 'not_found' })
  })

  it('comes in parts when it is long, and the parts give the whole', async () => {
    const folders = await indexFolders()
    const answer = `${'The lock rises. 😀é\u0000 '.repeat(50_000)}end`
    const row = sampleRow({ answer })
    await writeFile(join(folders.results, 'run-1-baseline_curated-evidence.jsonl'), evidenceBytes([row]))
    const index = openIndex(folders)
    await index.sync()
    const ask = asker(index)
    const key = { run_id: 'run-1', row_id: row.row_id }
    const outcome = CellOutcome.parse(ask('cell', key))
    if (!outcome.ok) throw new Error(outcome.message)
    expect(JSON.stringify(outcome).length).toBeLessThan(MAX_ANSWER_BYTES)
    expect(outcome.cuts.map(({ path }) => path.join('.'))).toEqual([
      'evidence.answer',
      'evidence.contexts.0',
      'evidence.contexts.1',
      'evidence.raw_content',
    ])
    for (const cut of outcome.cuts.slice(0, 2)) {
      let text = ''
      for (let offset: number | null = 0; offset !== null;) {
        const slice: QueryAnswers['answerSlice'] = ask('answerSlice', {
          ...key,
          path: cut.path,
          offset,
          limit: 149_999,
        })
        if (!slice.ok) throw new Error(slice.message)
        expect(slice.text.isWellFormed()).toBe(true)
        text += slice.text
        offset = slice.next_offset
      }
      expect(text === (cut.path[1] === 'answer' ? answer : row.evidence!.contexts[0])).toBe(true)
    }
    expect(ask('answerSlice', { ...key, path: ['evidence', 'sources'] })).toMatchObject({
      ok: false,
      code: 'not_a_text',
    })
  })

  it('says when the file is not as it was', async () => {
    const { ask, files } = await golden()
    const key = { run_id: REPORT_RUN, row_id: rows[20]!.row_id }
    await truncate(files.evidence, 5000)
    expect(ask('cell', key)).toMatchObject({ ok: false, code: 'file_changed' })
    await writeFile(files.evidence, evidenceBytes(rows.slice().reverse()))
    expect(ask('cell', key)).toMatchObject({ ok: false, code: 'file_changed' })
    await rm(files.evidence)
    expect(ask('cell', key)).toMatchObject({ ok: false, code: 'file_missing' })
  })

  it('of a snapshot is what the snapshot says', async () => {
    const folders = await indexFolders()
    const cell = { query_id: 'a', model: 'old-rag', ok: true, answer: 'x'.repeat(2_000_000), odd: [1, { a: null }] }
    await writeFile(join(folders.results, 'old-matrix.json'), JSON.stringify({ cells: [cell] }))
    const index = openIndex(folders)
    await index.sync()
    const ask = asker(index)
    const found = MatrixPageOutcome.parse(ask('matrixPage', { run_id: 'old', dataset_id: 'old', metric: 'latency_ms' }))
    const row_id = found.ok ? found.page.rows[0]!.cells[0]!.row_id : ''
    const outcome = CellOutcome.parse(ask('cell', { run_id: 'old', row_id }))
    expect(outcome).toMatchObject({
      ok: true,
      kind: 'historical',
      cell: { odd: [1, { a: null }] },
      cuts: [{ path: ['answer'] }],
    })
    expect(ask('answerSlice', { run_id: 'old', row_id, path: ['answer'], offset: 1_999_990 })).toEqual({
      ok: true,
      text: 'x'.repeat(10),
      total: 2_000_000,
      next_offset: null,
    })
  })
})

describe('runs', () => {
  it('are listed newest first in pages, and summed up', async () => {
    const { ask, index, folders, aggregate, files } = await golden()
    const others = ['run-a', 'run-b', 'run-c'].map((runId, place) => ({
      ...sampleRow({ runId }),
      finished_at: `2026-03-0${place + 1}T00:00:00.000Z`,
    }))
    for (const row of others)
      await writeFile(join(folders.results, `${row.run_id}-x-evidence.jsonl`), evidenceBytes([row]))
    await index.sync()
    const names: string[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const list: RunList = RunList.parse(ask('listRuns', { limit: 3, ...(cursor === undefined ? {} : { cursor }) }))
      expect(list.total).toBe(4)
      names.push(...list.runs.map(({ run_id }) => run_id))
      cursor = list.next_cursor
    }
    expect(names).toEqual(['run-c', 'run-b', 'run-a', REPORT_RUN])

    const outcome = RunSummaryOutcome.parse(ask('runSummary', { run_id: REPORT_RUN }))
    if (!outcome.ok) throw new Error(outcome.message)
    const [summary] = outcome.summary.datasets
    const { ok, error, timeout, expected } = aggregate.cells
    expect(summary).toMatchObject({
      dataset_id: 'alpha',
      cells: { ok, error, timeout },
      expected_cells: expected,
      damaged: false,
      failures_by_type: { http_error: 1, timeout: 1 },
      evaluation: { error: 2, not_run: 2 },
    })
    expect(summary!.aliases.map(({ model, unavailable }) => [model, unavailable])).toEqual([
      ...aggregate.approaches.map(({ model }) => [model, null]),
      ...aggregate.unavailable.map(({ model, reason }) => [model, reason]),
    ])
    expect(summary!.judge_panel).toEqual(aggregate.judge_panel)
    expect(summary!.provenance).toMatchObject([{ cells: rows.length, reproducibility: aggregate.reproducibility }])
    expect(summary!.metrics).toEqual([
      'faithfulness',
      'answer_relevancy',
      'hit_at_5',
      'recall_at_5',
      'mrr_at_10',
      'ndcg_at_10',
      'token_f1',
      'gold_coverage',
      'abstention',
      'judge_mean',
      'latency_ms',
    ])
    expect(summary!.artifacts.map(({ path, state }) => [path, state]).sort()).toEqual(
      Object.entries(files)
        .map(([kind, path]) => [path, kind === 'matrix' ? 'listed' : 'applied'])
        .sort(),
    )
    expect(ask('runSummary', { run_id: 'nobody' })).toMatchObject({ ok: false, code: 'not_found' })
    expect(IndexStatus.parse(ask('status'))).toMatchObject({
      journal_mode: 'wal',
      runs: 4,
      cells: rows.length + 3,
      damaged: [],
    })
  })

  it('compare by common questions', async () => {
    const { ask, index, folders } = await golden()
    const shifted = goldenRows(dataset)
      .slice(0, 20)
      .map((row, place) => sampleOf(row, place === 4 ? 0.05 : null))
    await writeFile(join(folders.results, 'later-alpha-evidence.jsonl'), evidenceBytes(shifted))
    await index.sync()
    const comparison = RunComparison.parse(
      ask('compareRuns', {
        run_ids: [REPORT_RUN, 'gone', 'later'],
        metric: 'faithfulness',
        aliases: ['vanilla-rag', 'hybrid-rag'],
      }),
    )
    expect(comparison).toMatchObject({ run_ids: [REPORT_RUN, 'later'], unknown_run_ids: ['gone'], better: 'higher' })
    expect(
      comparison.aliases.map(({ model, common, runs }) => [model, common, runs.map(({ n, changed }) => [n, changed])]),
    ).toEqual([
      [
        'vanilla-rag',
        7,
        [
          [8, 0],
          [7, 1],
        ],
      ],
      [
        'hybrid-rag',
        7,
        [
          [8, 0],
          [7, 2],
        ],
      ],
    ])
    expect(comparison.changed.total).toBe(3)
    expect(comparison.changed.cells[0]).toMatchObject({
      question_id: 'q-2',
      model: 'hybrid-rag',
      states: ['ok', 'ok'],
      values: [expect.any(Number), 0.05],
    })
    expect(comparison.changed.cells[1]).toMatchObject({ question_id: 'q-8', spread: null, states: ['ok', 'missing'] })
  })

  it('are searched, questions and answers', async () => {
    const { ask, index, folders } = await golden()
    await writeFile(
      join(folders.results, 'run-1-x-evidence.jsonl'),
      evidenceBytes([sampleRow({ answer: 'Der Schleusenwärter öffnet.' })]),
    )
    await index.sync()
    const found = (input: object) => SearchResults.parse(ask('search', input)).hits
    expect(found({ text: 'offnet' })).toMatchObject([
      {
        found_in: 'answer',
        run_id: 'run-1',
        question_id: 'q001',
        model: 'vanilla-rag',
        excerpt: 'Der Schleusenwärter öffnet.',
      },
    ])
    expect(found({ text: 'öffnet', run_id: REPORT_RUN })).toEqual([])
    expect(found({ text: '"question 3"' })).toMatchObject([
      { found_in: 'question', question_id: 'q-3', model: null, run_id: REPORT_RUN },
    ])
    const many = SearchResults.parse(ask('search', { text: 'answer', limit: 5 }))
    expect([many.hits.length, many.more]).toEqual([5, true])
    expect(ask('search', { text: '' })).toEqual({ hits: [], more: false })
  })
})

/** A golden row in the run `later`, with another faithfulness where one is given. */
function sampleOf(row: CanonicalRow, faithfulness: number | null): CanonicalRow {
  const { ragas } = row.metrics
  const scores = faithfulness === null ? ragas.scores : { ...ragas.scores, faithfulness }
  const key = { run_id: 'later', dataset_id: row.dataset.id, question_id: row.question.id, model: row.approach.model }
  return { ...row, run_id: 'later', row_id: rowId(key), metrics: { ...row.metrics, ragas: { ...ragas, scores } } }
}
