import { rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AnswerStarts, CellOutcome } from '../../../contract/control/run-index/cell.ts'
import { RunComparison } from '../../../contract/control/run-index/compare-runs.ts'
import { MatrixPageOutcome } from '../../../contract/control/run-index/matrix-page.ts'
import { MAX_ANSWER_BYTES } from '../../../contract/control/run-index/metrics.ts'
import { RunList, RunSummaryOutcome } from '../../../contract/control/run-index/runs.ts'
import { SearchResults } from '../../../contract/control/run-index/search.ts'
import { IndexStatus } from '../../../contract/control/run-index/upkeep.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { sampleReproducibility, sampleRow } from '../../../tests/helpers/evidence-rows.ts'
import { asker, dataset, goldenIndex, rows } from '../../../tests/helpers/golden-index.ts'
import { evidenceBytes } from '../../../tests/helpers/report-project.ts'
import { goldenRows, REPORT_RUN } from '../../../tests/helpers/report-rows.ts'
import { indexFolders, openIndex } from '../../../tests/helpers/run-index.ts'
import { rowId } from '../../evidence/rows/row-id.ts'
import type { QueryResult } from './answer-query.ts'

describe('one cell', () => {
  it('a cell is the row in its file', async () => {
    const { ask } = await goldenIndex()
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

  it('a long cell is cut, and its slices join to the whole text', async () => {
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
        const slice: QueryResult<'answerSlice'> = ask('answerSlice', {
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

  it('the beginnings of answers are one line each, and what cannot be read is left out', async () => {
    const { ask, files } = await goldenIndex()
    const answered = rows.filter(({ evidence }) => evidence !== null)
    const failed = rows.find(({ evidence }) => evidence === null)!
    const row_ids = [...answered.slice(0, 3), failed].map(({ row_id }) => row_id)
    const starts = () => AnswerStarts.parse(ask('answerStarts', { run_id: REPORT_RUN, row_ids })).starts
    const lines = answered.slice(0, 3).map(({ row_id, evidence }) => {
      const line = evidence!.answer.replace(/\s+/g, ' ').trim()
      return [row_id, line.slice(0, 240)] as const
    })
    expect(starts()).toEqual(Object.fromEntries(lines))
    expect(ask('answerStarts', { run_id: REPORT_RUN, row_ids: ['0'.repeat(64)] })).toEqual({ starts: {} })
    await rm(files.evidence)
    expect(starts()).toEqual({})
  })

  it('a changed or missing file is reported', async () => {
    const { ask, files } = await goldenIndex()
    const key = { run_id: REPORT_RUN, row_id: rows[20]!.row_id }
    await truncate(files.evidence, 5000)
    expect(ask('cell', key)).toMatchObject({ ok: false, code: 'file_changed' })
    await writeFile(files.evidence, evidenceBytes(rows.slice().reverse()))
    expect(ask('cell', key)).toMatchObject({ ok: false, code: 'file_changed' })
    await rm(files.evidence)
    expect(ask('cell', key)).toMatchObject({ ok: false, code: 'file_missing' })
  })

  it('a cell of a snapshot has the values of the snapshot', async () => {
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
  it('a run that only published files hold is a sample, on whatever page of the list it is', async () => {
    const folders = await indexFolders()
    const store = (folder: string, runId: string) =>
      writeFile(join(folder, `${runId}-baseline_curated-evidence.jsonl`), evidenceBytes([sampleRow({ runId })]))
    await store(folders.published, 'shipped')
    await store(folders.results, 'own')
    const index = openIndex(folders)
    await index.sync()
    const list = RunList.parse(asker(index)('listRuns', { limit: 1 }))
    expect(list).toMatchObject({ total: 2, samples: ['shipped'] })
    // Published, a run of the person keeps its working file.
    await store(folders.published, 'own')
    await index.sync()
    expect(RunList.parse(asker(index)('listRuns', {})).samples).toEqual(['shipped'])
  })

  it('runs are listed newest first in pages and have summaries', async () => {
    const { ask, index, folders, aggregate, files } = await goldenIndex()
    const others = ['run-a', 'run-b', 'run-c'].map((runId, index) => ({
      ...sampleRow({ runId }),
      finished_at: `2026-03-0${index + 1}T00:00:00.000Z`,
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
    const one = RunList.parse(ask('listRuns', { run_id: 'run-a', limit: 1 }))
    expect(one).toMatchObject({ runs: [{ run_id: 'run-a' }], next_cursor: null })
    expect(RunList.parse(ask('listRuns', { run_id: 'run-x' })).runs).toEqual([])

    const outcome = RunSummaryOutcome.parse(ask('runSummary', { run_id: REPORT_RUN }))
    if (!outcome.ok) throw new Error(outcome.message)
    const [summary] = outcome.summary.datasets
    const { ok, error, timeout, expected } = aggregate.cells
    expect(summary).toMatchObject({
      dataset_id: 'alpha',
      cells: { ok, error, timeout },
      expected_cells: expected,
      damaged: false,
    })
    expect(summary!.aliases.map(({ model, unavailable }) => [model, unavailable])).toEqual([
      ...aggregate.approaches.map(({ model }) => [model, null]),
      ...aggregate.unavailable.map(({ model, reason }) => [model, reason]),
    ])
    expect(summary).toMatchObject({ provenance: [{ cells: rows.length }], conditions: aggregate.reproducibility })
    expect(summary!.metrics).toEqual([
      'faithfulness',
      'answer_relevancy',
      'hit_at_5',
      'recall_at_5',
      'mrr_at_10',
      'ndcg_at_10',
      'token_f1',
      'points_covered',
      'abstention',
      'judge_mean',
      'latency_ms',
    ])
    expect(summary!.artifacts.map(({ path, state }) => [path, state]).sort()).toEqual(
      Object.entries(files)
        .map(([kind, path]) => [path, kind === 'matrix' ? 'listed' : 'applied'])
        .sort(),
    )
    expect(ask('runSummary', { run_id: 'unlisted' })).toMatchObject({ ok: false, code: 'not_found' })
    expect(IndexStatus.parse(ask('status'))).toMatchObject({
      runs: 4,
      cells: rows.length + 3,
      damaged: [],
    })
  })

  it('runs are compared over common questions', async () => {
    const { ask, index, folders } = await goldenIndex()
    const shifted = goldenRows(dataset)
      .slice(0, 20)
      .map((row, index) => sampleOf(row, index === 4 ? 0.05 : null))
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

  it('a run with a repaired setting has of each model the setting of the answers that it had a part in, as its summary', async () => {
    const under = (max_tokens: number) => {
      const made = sampleReproducibility()
      const roles = { agentic: { backend: 'openai', model: 'm', settings: { max_tokens } } }
      return { ...made, runtime: { ...made.runtime, models: { set: 'own', roles } } }
    }
    const at = (row: CanonicalRow, second: number, max_tokens: number): CanonicalRow => ({
      ...row,
      finished_at: `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`,
      reproducibility: under(max_tokens),
    })
    const agentic = sampleRow({ model: 'agentic-rag', question: 'q9' })
    const made = [
      ...['q1', 'q2', 'q3'].map((question, place) => at(sampleRow({ question }), place, 64)),
      at({ ...agentic, approach: { ...agentic.approach, base_model: 'agentic-rag' } }, 30, 900),
      at(sampleRow({ question: 'q4' }), 40, 64),
    ]
    const folders = await indexFolders()
    await writeFile(join(folders.results, 'run-1-x-evidence.jsonl'), evidenceBytes(made))
    const index = openIndex(folders)
    await index.sync()
    const outcome = RunSummaryOutcome.parse(asker(index)('runSummary', { run_id: 'run-1' }))
    expect(outcome).toMatchObject({
      summary: { datasets: [{ provenance: [{ cells: 4 }, { cells: 1 }], conditions: under(900) }] },
    })
  })

  it('search finds questions and answers', async () => {
    const { ask, index, folders } = await goldenIndex()
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
