import { describe, expect, it } from 'vitest'
import { Aggregate } from '../../../contract/evidence/aggregate.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import {
  ALIASES,
  fixtureDataset,
  fixtureRow,
  goldenContext,
  goldenJudgments,
  goldenRows,
  REPORT_RUN,
  REQUESTED,
  streamOf,
} from '../../../tests/helpers/report-rows.ts'
import { aggregateText } from './aggregate-run.ts'
import { aggregateRun, allMetrics } from '../../../tests/helpers/aggregate-run.ts'
import { contextTextWords, coverageNotes } from '../tables/coverage-notes.ts'
import { datasetReport } from '../markdown/dataset-report.ts'
import { longCsv } from '../csv/long-csv.ts'
import { ReportError } from '../report-error.ts'
import { costTable } from '../tables/report-tables.ts'
import { summaryContextFromRows, summaryContextOf } from './run-summary.ts'

const dataset = fixtureDataset('subset', 'Subset', 1)
const aggregate = (rows: CanonicalRow[] = goldenRows(dataset), context = goldenContext(dataset)) =>
  aggregateRun(streamOf(rows), context)
const approach = (result: Aggregate, model: string) => result.approaches.find((each) => each.model === model)!

describe('aggregateRun', () => {
  it('gives each approach the tokens that it handed over and the facts found in the first of them', async () => {
    const found = { contexts: 1, recall: 1 }
    const rows = [0, 1, 2].map((index) => {
      const row = fixtureRow(dataset, ALIASES.hybrid, index, { found })
      const retrieval = {
        ...row.metrics.retrieval,
        budget_curve: [0, 0.5, 1, 1, 1].map((share) => share / (index + 1)),
      }
      const handed = { context_tokens: [900, 1000, 1900][index]!, context_tokens_by: 'a tokenizer' }
      return { ...row, evidence: { ...handed, ...row.evidence! }, metrics: { ...row.metrics, retrieval } }
    })
    const { context_tokens: tokens, budget_curve: curve } = approach(await aggregate(rows), 'hybrid-rag')
    expect(tokens).toEqual({ median: 1000, mean: 1266.67, n: 3, by: ['a tokenizer'] })
    expect(curve!.map(({ tokens: at, found: share, complete, filled }) => [at, share, complete, filled])).toEqual([
      [500, 0, 0, 1],
      [1000, 0.305556, 0, 1],
      [2000, 0.611111, 0.333333, 0.333333],
      [4000, 0.611111, 0.333333, 0],
      [8000, 0.611111, 0.333333, 0],
    ])
    expect(approach(await aggregate([]), 'hybrid-rag')).toMatchObject({ context_tokens: null, budget_curve: null })
  })

  it('the aggregate matches its schema and accounts for every cell of a metric', async () => {
    const result = await aggregate()
    expect(Aggregate.parse(result)).toEqual(result)
    expect(approach(result, 'hybrid-rag-fast').ragas.faithfulness).toEqual({
      state: 'partial',
      mean: 0.875,
      median: 0.875,
      stdev: 0.176777,
      scored: 2,
      eligible: 5,
      expected: 8,
      coverage: 0.25,
      errors: 2,
      timeouts: 1,
      errors_by_reason: { network_error: 1, score_not_finite: 1 },
      unevaluable: 0,
      unevaluable_by_reason: {},
      disabled: 0,
      not_run: 2,
      missing: 1,
      unequal_coverage: true,
      common: { n: 2, mean: 0.875 },
    })
  })

  it('has the time to the first token of the rows that report it, in the table of costs too, and no trace of it where none does', async () => {
    const rows = goldenRows(dataset).map((row): CanonicalRow => {
      const { server } = row.metrics.operational
      if (row.approach.model !== 'vanilla-rag' || server === null) return row
      const timed = { ...server, first_token_s: 0.25 }
      return { ...row, metrics: { ...row.metrics, operational: { ...row.metrics.operational, server: timed } } }
    })
    const result = await aggregate(rows)
    expect(Aggregate.parse(result)).toEqual(result)
    expect(approach(result, 'vanilla-rag').operational.first_token_s).toMatchObject({ median: 0.25 })
    expect(approach(result, 'hybrid-rag').operational.first_token_s).toBeUndefined()
    const [head, , ...lines] = costTable(result)
    expect(head).toContain('first token median')
    expect(lines.find((line) => line.includes('`vanilla-rag`'))).toContain('250 ms')
    const earlier = await aggregate()
    expect(aggregateText(earlier)).not.toContain('first_token')
    expect(costTable(earlier).join()).not.toContain('first token')
  })

  it('has no model calls of an own system that reports none: 0 would make it the cheapest', async () => {
    const callsWhere = async (llm_calls: number): Promise<(number | null)[]> => {
      const rows = goldenRows(dataset).flatMap((row): CanonicalRow[] => {
        const { operational } = row.metrics
        if (row.approach.model !== 'vanilla-rag' || operational.server === null) return []
        const server = { ...operational.server, llm_calls, cloud_calls: 0 }
        const own = { ...row.approach, model: 'mine', base_model: 'own-approach' as const }
        return [{ ...row, approach: own, metrics: { ...row.metrics, operational: { ...operational, server } } }]
      })
      const { llm_calls: calls, cloud_calls: elsewhere } = approach(await aggregate(rows), 'mine').operational
      return [calls.mean, elsewhere.mean]
    }
    expect(await callsWhere(0)).toEqual([null, null])
    expect(await callsWhere(2)).toEqual([2, 0])
  })

  it('sums up recall over all contexts of the rows that record it; 0 where nothing was retrieved, unknown in earlier rows', async () => {
    const scored = goldenRows(dataset).filter(({ metrics }) => metrics.retrieval.status === 'ok')
    const first = scored.find(({ approach: { model } }) => model === 'vanilla-rag')!.row_id
    const rows = goldenRows(dataset).map((row): CanonicalRow => {
      const { retrieval, operational } = row.metrics
      if (row.approach.model !== 'vanilla-rag' || retrieval.status !== 'ok') return row
      const server = operational.server ?? { seconds: 1, chunks: 0, llm_calls: 1, cloud_calls: 0 }
      const nothing: CanonicalRow['metrics'] = {
        ...row.metrics,
        operational: { ...operational, server: { ...server, chunks: 0 } },
        retrieval: { status: 'not_evaluable', scores: {}, reason: 'retrieved_contexts_required' },
      }
      const all_contexts = { contexts: 14, recall: 0.5 }
      return {
        ...row,
        metrics: row.row_id === first ? nothing : { ...row.metrics, retrieval: { ...retrieval, all_contexts } },
      }
    })
    const n = rows.filter(
      ({ approach, metrics }) => approach.model === 'vanilla-rag' && metrics.retrieval.all_contexts,
    ).length
    const result = await aggregate(rows)
    expect(Aggregate.parse(result)).toEqual(result)
    const { contexts, recall, ...rest } = approach(result, 'vanilla-rag').all_contexts!
    expect(rest).toEqual({ n: n + 1 })
    expect(contexts).toBeCloseTo((14 * n) / (n + 1), 4)
    expect(recall).toBeCloseTo((0.5 * n) / (n + 1), 5)
    expect(approach(result, 'hybrid-rag').all_contexts).toBeUndefined()
    const csv = [...longCsv({ aggregates: [result], snapshots: [] })].join('').split('\n')
    expect(csv.filter((line) => line.includes(',retrieval,recall_all_contexts,'))).toHaveLength(1)
    const report = datasetReport({
      dataset: { id: dataset.id, label: dataset.label, description: '' },
      aggregate: result,
      failed: [],
      artifacts: [],
    })
    expect(report).toContain('Contexts per answer, mean:')
  })

  it('a cut answer has no score where the run leaves such answers out, and verdict and notes count them', async () => {
    const rows = (excludes: boolean) =>
      goldenRows(dataset).map((row): CanonicalRow => {
        const isFirst = row.approach.model === 'vanilla-rag' && row.question.id === dataset.questions[0]!.id
        const { runtime } = row.reproducibility
        const left = excludes ? { excludes_cut_answers: true as const } : {}
        return {
          ...row,
          reproducibility: { ...row.reproducibility, runtime: { ...runtime, ...left } },
          metrics: {
            ...row.metrics,
            operational: { ...row.metrics.operational, ...(isFirst ? { is_cut: true as const } : {}) },
          },
        }
      })
    const scoredAs = await aggregate(rows(false))
    const leftOut = await aggregate(rows(true))
    const of = (result: Aggregate) => approach(result, 'vanilla-rag').answer.token_f1!
    expect(of(leftOut).scored).toBe(of(scoredAs).scored - 1)
    expect(of(leftOut).unevaluable_by_reason).toMatchObject({ answer_cut: 1 })
    const note = 'Answers that a limit of tokens cut are left out of all scores: vanilla-rag 1.'
    expect(leftOut.verdict!.sentences).toContain(note)
    expect(scoredAs.verdict!.sentences).not.toContain(note)
    expect(coverageNotes(leftOut, []).map(({ text }) => text)).toContain(
      'answers are cut, because the model reached its limit of tokens, and left out of all scores: vanilla-rag (1 answer)',
    )
  })

  it('answers that repeat their prompt are counted, named in the notes, and not graded; their contexts are', async () => {
    const rows = goldenRows(dataset).map((row): CanonicalRow => {
      const operational = { ...row.metrics.operational, is_repeated_prompt: true as const }
      return row.approach.model === 'vanilla-rag' ? { ...row, metrics: { ...row.metrics, operational } } : row
    })
    const result = await aggregate(rows)
    const { repeated_prompts: count, ragas } = approach(result, 'vanilla-rag')
    expect(count).toBe(8)
    expect(ragas['faithfulness']!.unevaluable_by_reason).toEqual({ prompt_repeated: 8 })
    expect(coverageNotes(result, []).map(({ text }) => text)).toContain(
      'answers repeat the prompt and hold no text of their own, so they cover no point and are not graded: vanilla-rag (8 answers)',
    )
  })

  it('failures under an earlier setting that were not tried again are counted, and named in the notes', async () => {
    const failed = goldenRows(dataset).find(({ status }) => status !== 'ok')!
    const before = structuredClone(failed)
    for (const role of Object.values(before.reproducibility.runtime.models!.roles)) role.model = 'earlier'
    const rows = goldenRows(dataset).map((row) => (row.row_id === failed.row_id ? before : row))
    const result = await aggregate(rows)
    const { model } = failed.approach
    expect(approach(await aggregate(), model).outdated_failures).toBeUndefined()
    expect(approach(result, model).outdated_failures).toBe(1)
    expect(coverageNotes(result, []).map(({ text }) => text)).toContain(
      `answers failed under an earlier setting of a model, and were not tried again. They count against their approach until the run is resumed with all of its approaches and questions: ${model} (1 answer)`,
    )
  })

  it('answers that an agent wrote without a search are counted, and named in the notes', async () => {
    const rows = goldenRows(dataset).map((row): CanonicalRow => {
      const operational = { ...row.metrics.operational, is_unsearched: true as const }
      return row.approach.model === 'vanilla-rag' ? { ...row, metrics: { ...row.metrics, operational } } : row
    })
    const result = await aggregate(rows)
    expect(approach(result, 'vanilla-rag').unsearched_answers).toBe(8)
    expect(coverageNotes(result, []).map(({ text }) => text)).toContain(
      'answers were written without a search: vanilla-rag (8 answers)',
    )
  })

  it('refusals, unseen evidence and the kind of scored texts are counted beside the scores', async () => {
    const rows = goldenRows(dataset).map((row): CanonicalRow => {
      if (row.approach.model !== 'vanilla-rag' || row.metrics.answer === undefined) return row
      const isFirst = row.question.id === dataset.questions[0]!.id
      const unseen = isFirst ? { unseen: { answer_chars: 9, contexts: 3 } } : {}
      const refusal = { refused: isFirst, decided_by: isFirst ? ('model' as const) : ('rule' as const) }
      return {
        ...row,
        metrics: {
          ...row.metrics,
          ragas: { ...row.metrics.ragas, ...unseen },
          answer: { ...row.metrics.answer, refusal },
          context_text: isFirst ? 'snippet' : 'full',
          operational: { ...row.metrics.operational, ...(isFirst ? { is_cut: true as const } : {}) },
        },
      }
    })
    const plain = approach(await aggregate(), 'vanilla-rag')
    const result = await aggregate(rows)
    expect(Aggregate.parse(result)).toEqual(result)
    const vanilla = approach(result, 'vanilla-rag')
    expect(vanilla.refusals).toEqual({ refused: 1, answered: 7, unknown: 0, decided_by_model: 1 })
    expect(vanilla.context_texts).toEqual({ full: 7, snippet: 1 })
    expect([vanilla.cut_answers, plain.cut_answers]).toEqual([1, undefined])
    expect(vanilla.evaluation.unseen).toEqual({ answer_chars: 1, contexts: 1 })
    expect([vanilla.answer, vanilla.ragas]).toEqual([plain.answer, plain.ragas])
    const notes = coverageNotes(result, []).map(({ text }) => text)
    expect(notes).toContain(
      'vanilla-rag: the evaluator did not see the end of the answer (1 answer), contexts beyond the 50th (1 answer)',
    )
    expect(notes).toContain(
      'contexts are scored on snippets of at most 240 characters, so these scores do not compare with scores of full texts: vanilla-rag (1 answer)',
    )
    expect(notes).toContain('answers are cut, because the model reached its limit of tokens: vanilla-rag (1 answer)')
    expect(notes).toContain('refused answers: vanilla-rag 1 of 8')
    expect(contextTextWords(result)).toBe(
      'Contexts and faithfulness are scored on full text (7 answers), snippets of at most 240 characters (1 answer).',
    )
    const lines = [...longCsv({ aggregates: [result], snapshots: [] })].join('').split('\n')
    const columns = lines[0]!.split(',')
    const line = lines
      .find((each) => each.includes(',operational,refused,') && each.includes('vanilla-rag'))!
      .split(',')
    expect(['sum', 'n', 'eligible', 'expected'].map((column) => line[columns.indexOf(column)])).toEqual([
      '1',
      '8',
      '8',
      '8',
    ])
  })

  it('rows without a refusal flag get no refusal figure', async () => {
    const old = goldenRows(dataset).map((row): CanonicalRow => {
      const { answer } = row.metrics
      if (answer === undefined) return row
      const { refusal: _refusal, ...rest } = answer
      return { ...row, metrics: { ...row.metrics, answer: rest } }
    })
    for (const each of (await aggregate(old)).approaches) {
      expect(each).not.toHaveProperty('refusals')
      expect(each).not.toHaveProperty('context_texts')
      expect(each.evaluation).not.toHaveProperty('unseen')
    }
  })

  it('a metric without scores has no number', async () => {
    const graph = approach(await aggregate(), 'graph-rag')
    expect(graph.ragas.faithfulness).toMatchObject({ state: 'not_evaluable', mean: null, median: null, coverage: 0 })
    expect(graph.retrieval.recall_at_5).toMatchObject({ mean: null, unevaluable_by_reason: { answer_only: 8 } })
    expect(graph.by_hops[0]).toMatchObject({ hops: 1, ragas: { faithfulness: { n: 0, mean: null } } })
  })

  it('offers the mean over the questions that every scored approach has, leaving out those with no score at all', async () => {
    const result = await aggregate()
    const shared = result.approaches.map((each) => [each.model, each.ragas.faithfulness!.common])
    expect(Object.fromEntries(shared)).toEqual({
      'vanilla-rag': { n: 2, mean: 0.75 },
      'hybrid-rag': { n: 2, mean: 0.81875 },
      'hybrid-rag-fast': { n: 2, mean: 0.875 },
      'graph-rag': null,
    })
  })

  it('coverage is equal when all approaches miss the same questions', async () => {
    const rows = goldenRows(dataset).filter((row) => ['vanilla-rag', 'hybrid-rag'].includes(row.approach.model))
    const context = { ...goldenContext(dataset), aliases: [ALIASES.vanilla, ALIASES.hybrid] }
    const recall = (await aggregate(rows, context)).approaches.map((each) => each.retrieval.recall_at_5!)
    expect(
      recall.map(({ state, scored, expected, unequal_coverage, common }) => [
        state,
        scored,
        expected,
        unequal_coverage,
        common,
      ]),
    ).toEqual([
      ['ok', 7, 8, false, null],
      ['ok', 7, 8, false, null],
    ])
  })

  it('names the machines on which its answers were timed, each once', async () => {
    const machines = ['b', 'a', undefined, 'b']
    const rows = machines.map((machine, index) => {
      const row = fixtureRow(dataset, ALIASES.vanilla, index, {})
      const operational = { ...row.metrics.operational, ...(machine === undefined ? {} : { machine }) }
      return { ...row, metrics: { ...row.metrics, operational } }
    })
    expect((await aggregateRun(streamOf(rows), goldenContext(dataset))).machines).toEqual(['a', 'b'])
    expect(await aggregateRun(streamOf(rows.slice(2, 3)), goldenContext(dataset))).not.toHaveProperty('machines')
  })

  it('costs come from answered cells, attempts from all cells', async () => {
    const { cells, operational } = approach(await aggregate(), 'hybrid-rag-fast')
    expect(cells).toEqual({
      expected: 8,
      ok: 5,
      error: 1,
      timeout: 1,
      missing: 1,
      failures_by_type: { timeout: 1, http_error: 1 },
    })
    expect(operational.latency_ms).toMatchObject({ n: 5, mean: 100, max: 100 })
    expect(operational.attempts).toMatchObject({ n: 7, sum: 10 })
    expect(operational.retries).toBe(3)
  })

  it('unavailable aliases have no figures, and rows of an earlier selection are listed', async () => {
    const context = { ...goldenContext(dataset), aliases: [ALIASES.vanilla] }
    const result = await aggregate(goldenRows(dataset), context)
    expect(result.approaches.map(({ model, selected }) => [model, selected])).toEqual([
      ['vanilla-rag', true],
      ['hybrid-rag', false],
      ['hybrid-rag-fast', false],
      ['graph-rag', false],
    ])
    expect(result.unavailable[0]).toEqual({ ...ALIASES.agentic, reason: 'the graph engine is not running' })
  })

  it('every cell is missing before the first row', async () => {
    const result = Aggregate.parse(await aggregate([]))
    expect(result.cells).toEqual({ expected: 32, ok: 0, error: 0, timeout: 0, missing: 32 })
    expect(allMetrics(result).every((metric) => metric.state === 'not_run' && metric.mean === null)).toBe(true)
  })

  it('the rows alone are enough for an aggregate', async () => {
    const context = summaryContextFromRows(REPORT_RUN, dataset.id)
    const result = Aggregate.parse(await aggregate(goldenRows(dataset), context))
    expect(result.metrics).toEqual(REQUESTED)
    expect(result.questions).toHaveLength(8)
    expect(result.approaches.map((each) => each.model)).toEqual([
      'vanilla-rag',
      'hybrid-rag',
      'hybrid-rag-fast',
      'graph-rag',
    ])
  })

  it('an aggregate computed again from its own context is the same', async () => {
    const first = await aggregate()
    const again = await aggregate(goldenRows(dataset), summaryContextOf(first, { state: 'disabled' }))
    expect(aggregateText(again)).toBe(aggregateText(first))
  })

  it.each([
    ['foreign_row', (row: CanonicalRow) => ({ ...row, run_id: 'other' })],
    ['foreign_row', (row: CanonicalRow) => ({ ...row, question: { ...row.question, id: 'q-99' } })],
    ['duplicate_cell', (row: CanonicalRow) => ({ ...row, row_id: 'f'.repeat(64) })],
    ['mixed_provenance', (row: CanonicalRow) => ({ ...row, reproducibility: { ...row.reproducibility, seed: 'x' } })],
  ])('refuses %s', async (code, change) => {
    const rows = goldenRows(dataset)
    const failure = await aggregate([...rows, change(rows[0]!)]).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ReportError)
    expect((failure as ReportError).code).toBe(code)
  })
})

describe('the judge join', () => {
  const judged = (judgments: unknown) =>
    aggregate(goldenRows(dataset), {
      ...goldenContext(dataset),
      judge: { state: 'read', judgments: judgments as ReturnType<typeof goldenJudgments> },
    })

  it('means over questions, breaks ties by votes and reports partial when an answer has no score', async () => {
    const { judge_panel } = await judged(goldenJudgments(dataset))
    expect(judge_panel).toMatchObject({
      status: 'ok',
      questions: { judged: 8, expected: 8 },
      winner: 'hybrid-rag-fast',
    })
    const all = goldenJudgments(dataset)
    const partial = await judged({ ...all, queries: all.queries.slice(1) })
    expect(partial.judge_panel).toMatchObject({ status: 'partial', questions: { judged: 7, expected: 8 } })
  })

  it('equal means are ordered by votes, and equal votes share a rank', async () => {
    const verdict = { scores: { 'vanilla-rag': 4, 'hybrid-rag': 4, 'graph-rag': 4 }, best: 'hybrid-rag' }
    const [query] = goldenJudgments(dataset).queries
    const { judge_panel } = await judged({
      ...goldenJudgments(dataset),
      queries: [{ ...query, per_judge: { 'judge-a': verdict } }],
    })
    const ranks = 'approaches' in judge_panel ? judge_panel.approaches.map(({ rank, votes }) => [rank, votes]) : []
    expect(ranks).toEqual([
      [2, 0],
      [1, 1],
      [null, 0],
      [2, 0],
    ])
  })

  it('judgments that do not fit only affect the judge section', async () => {
    const other = await judged({ ...goldenJudgments(dataset), ingestion: null })
    expect(other.judge_panel).toMatchObject({ status: 'error', reason: 'other_run' })
    expect(other.approaches).toEqual((await aggregate()).approaches)
    const failed = await judged({ ...goldenJudgments(dataset), status: 'error' })
    expect(failed.judge_panel).toMatchObject({ status: 'error', reason: 'panel_failed' })
  })
})
