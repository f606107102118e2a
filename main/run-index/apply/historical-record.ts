import { z } from 'zod'
import type { Judgments } from '../../../contract/evidence/judgments.ts'
import { HistoricalCell, HistoricalMatrix } from '../../../contract/evidence/matrix.ts'
import { describeIssues } from '../../../core/issues.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { latencyMs as latencyMetric } from '../../../contract/metrics/latency-ms.ts'
import { jsonIn } from '../../../core/json.ts'
import { rowId } from '../../evidence/rows/row-id.ts'
import type { MetricOutcome } from '../../report/aggregate/metric-outcome.ts'
import { metricFields, type CellRecord, type HistoricalQuestion } from './cell-record.ts'
import { SEARCHABLE_CHARS } from '../schema.ts'

const optionalText = z.string().nullish().catch(undefined)

/** Optional fields of an old cell; those of another type count as absent. */
const Cell = HistoricalCell.extend({
  query_id: z.string().min(1),
  model: z.string().min(1),
  base_model: optionalText,
  answer: optionalText,
  sources: z
    .array(z.looseObject({ title: z.string().catch(''), score: z.number().nullish().catch(null) }))
    .optional()
    .catch(undefined),
})

const Query = z.looseObject({
  id: z.string(),
  query: optionalText,
  ground_truth: optionalText,
  expect_winner: optionalText,
})

const Known = z.looseObject({
  run_id: z.string().catch(''),
  dataset_id: z.string().catch(''),
  queries: z.array(z.unknown()).catch([]),
})

interface HistoricalRecords {
  runId: string
  datasetId: string
  cells: CellRecord[]
}

type ParsedHistorical = { ok: true; records: HistoricalRecords } | { ok: false; problem: string }

/**
 * Text of an old matrix file, without evidence beside it → what the index keeps of its cells. What the matrix lacks (run, dataset,
 * the text of a question) is taken from its file name and its judgments.
 */
export function parseHistorical(text: string, name: string, judgments: Judgments | null): ParsedHistorical {
  const value = jsonIn(text)
  if (value === undefined) return { ok: false, problem: 'not JSON' }
  const matrix = HistoricalMatrix.safeParse(value)
  if (!matrix.success) return { ok: false, problem: describeIssues(matrix.error).slice(0, 3).join('; ') }
  const known = Known.parse(matrix.data)
  const runId = known.run_id === '' ? name : known.run_id
  const datasetId = known.dataset_id || judgments?.dataset_id || name
  const judged = judgments?.queries.map(({ query_id, query }) => ({ id: query_id, query })) ?? []
  const queries = new Map([...judged, ...known.queries].flatMap((query) => questionOf(query)))
  const cells: CellRecord[] = []
  for (const [index, cell] of matrix.data.cells.entries()) {
    const parsed = Cell.safeParse(cell)
    if (!parsed.success)
      return { ok: false, problem: `cells[${index}].${describeIssues(parsed.error).slice(0, 3).join('; ')}` }
    cells.push(recordOf(parsed.data, { runId, datasetId }, queries))
  }
  return { ok: true, records: { runId, datasetId, cells } }
}

/** The cell of an old matrix that `question` and `model` name; null when it has none. */
export function historicalCell(text: string, question: string, model: string): Record<string, unknown> | null {
  const matrix = HistoricalMatrix.safeParse(JSON.parse(text))
  return matrix.data?.cells.find((cell) => cell.query_id === question && cell.model === model) ?? null
}

function questionOf(value: unknown): [string, HistoricalQuestion][] {
  const parsed = Query.safeParse(value)
  if (!parsed.success) return []
  const { id, query, ground_truth, expect_winner } = parsed.data
  return [
    [
      id,
      {
        ...unknownQuestion(id),
        query: query ?? null,
        ground_truth: ground_truth ?? null,
        expect_winner: expect_winner ?? null,
      },
    ],
  ]
}

const unknownQuestion = (id: string): HistoricalQuestion => ({
  id,
  query: null,
  ground_truth: null,
  answerable: null,
  hops: null,
  expect_winner: null,
})

function recordOf(
  cell: z.infer<typeof Cell>,
  { runId, datasetId }: { runId: string; datasetId: string },
  queries: ReadonlyMap<string, HistoricalQuestion>,
): CellRecord {
  const latencyMs = cell.latency_s === undefined ? null : cell.latency_s * 1000
  const answer = cell.ok ? (cell.answer ?? null) : null
  return {
    rowId: rowId({ run_id: runId, dataset_id: datasetId, question_id: cell.query_id, model: cell.model }),
    question: queries.get(cell.query_id) ?? unknownQuestion(cell.query_id),
    repeat: 1,
    retry: 0,
    alias: { model: cell.model, base: cell.base_model ?? null, flavor: cell.flavor ?? null, capability: null },
    status: cell.ok ? 'ok' : 'error',
    errorType: null,
    evaluation: null,
    queueMs: null,
    latencyMs,
    attempts: null,
    serverSeconds: cell.metrics?.seconds ?? null,
    totalTokens: null,
    answerChars: answer?.length ?? null,
    finishedMs: null,
    ...metricFields((metric): MetricOutcome => {
      if (!cell.ok) return { kind: 'not_run' }
      const score = cell.evaluation?.scores[metric]
      if (typeof score === 'number' && Number.isFinite(score)) return { kind: 'scored', score }
      if (metric === latencyMetric.id && latencyMs !== null) return { kind: 'scored', score: latencyMs }
      return { kind: metricOfId(metric).class === 'judge_panel' ? 'not_run' : 'disabled' }
    }),
    sources: (cell.sources ?? []).map(({ title, score }) => ({ title, document: null, score: score ?? null })),
    searchable: answer?.slice(0, SEARCHABLE_CHARS) ?? null,
  }
}
