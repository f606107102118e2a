// The index keeps this of a row: a line of evidence → its row → a flat record without the long texts.
import { CellMetricState, type IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { CanonicalRow, RowQuestion } from '../../../contract/evidence/canonical-row.ts'
import { EvaluationStatus } from '../../../contract/evidence/evaluation-result.ts'
import { metricOfId, type OperationalMetric } from '../../../contract/metrics/metrics.ts'
import { InternedRows } from '../../evidence/rows/interned-rows.ts'
import { rowKeyOf } from '../../evidence/rows/row-id.ts'
import { decodeLine, sealOf, wrongId, type Decoded } from '../../evidence/rows/row-line.ts'
import { metricOutcome, type MetricOutcome, type ScoreMetric } from '../../report/aggregate/metric-outcome.ts'
import { INDEX_METRICS, SEARCHABLE_CHARS, stateCode, STATUS_CODES } from '../schema.ts'

/** Describes what the index keeps of a cell, before texts are replaced by their numbers. */
export interface CellRecord {
  rowId: string
  question: RowQuestion | HistoricalQuestion
  /** Which of the question's answers this is, from 1. */
  repeat: number
  /** States how often the cell had failed before; 0 for its first row. */
  retry: number
  alias: AliasRecord
  status: keyof typeof STATUS_CODES
  errorType: string | null
  /** Code of the evaluation status; null when the file does not have it. */
  evaluation: number | null
  queueMs: number | null
  latencyMs: number | null
  attempts: number | null
  serverSeconds: number | null
  totalTokens: number | null
  answerChars: number | null
  finishedMs: number | null
  /** In the order of `INDEX_METRICS`. */
  values: (number | null)[]
  /** Codes of the states, in the same order. */
  states: number[]
  /** JSON of metric → why it has no value; null when there is no reason. */
  reasons: string | null
  sources: SourceRecord[]
  /** The beginning of the answer that is searchable. */
  searchable: string | null
}

export interface AliasRecord {
  model: string
  base: string | null
  flavor: string | null
  capability: string | null
}

interface SourceRecord {
  title: string
  document: string | null
  score: number | null
}

/** A question as a snapshot has it. */
export interface HistoricalQuestion {
  id: string
  query: string | null
  ground_truth: string | null
  answerable: boolean | null
  hops: number | null
  expect_winner: string | null
}

const EVALUATION_CODES = new Map(EvaluationStatus.options.map((status, code) => [status, code]))
export const evaluationOfCode = (code: number | null): EvaluationStatus | null =>
  code === null ? null : EvaluationStatus.options[code]!

const STATE_OF_OUTCOME: Record<MetricOutcome['kind'], CellMetricState> = {
  scored: 'ok',
  error: 'error',
  timeout: 'timeout',
  unevaluable: 'not_evaluable',
  disabled: 'disabled',
  not_run: 'not_run',
}

const finite = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null

/** A canonical row → what the index keeps of it. */
export function cellRecord(row: CanonicalRow): CellRecord {
  const { evidence, approach, metrics } = row
  const { operational, ragas } = metrics
  return {
    rowId: row.row_id,
    question: row.question,
    repeat: row.repeat ?? 1,
    retry: row.retry ?? 0,
    alias: aliasOf(approach),
    status: row.status,
    errorType: row.error?.type ?? null,
    evaluation: EVALUATION_CODES.get(ragas.status)!,
    queueMs: operational.queue_ms,
    latencyMs: operational.latency_ms,
    attempts: operational.attempts.length,
    serverSeconds: finite(operational.server?.seconds),
    totalTokens: operational.token_usage?.total_tokens ?? null,
    answerChars: evidence?.answer.length ?? null,
    finishedMs: Date.parse(row.finished_at),
    ...metricFields((metric) => outcomeOf(row, metric)),
    sources: (evidence?.sources ?? []).map(({ title, document, score }) => ({
      title,
      document: document ?? null,
      score: finite(score ?? undefined),
    })),
    searchable: evidence?.answer.slice(0, SEARCHABLE_CHARS) ?? null,
  }
}

const aliases = new WeakMap<CanonicalRow['approach'], AliasRecord>()

/** Rows that share their approach share this too. */
function aliasOf(approach: CanonicalRow['approach']): AliasRecord {
  const known = aliases.get(approach)
  if (known !== undefined) return known
  const { model, base_model: base, flavor, evidence_capability: capability } = approach
  const alias = { model, base, flavor, capability }
  aliases.set(approach, alias)
  return alias
}

function outcomeOf(row: CanonicalRow, metric: IndexMetric): MetricOutcome {
  const { class: metricClass } = metricOfId(metric)
  if (metricClass === 'operational')
    return row.status === 'ok'
      ? { kind: 'scored', score: row.metrics.operational[metric as OperationalMetric] }
      : { kind: 'not_run' }
  // The verdicts are in another file and are joined when that is read.
  if (metricClass === 'judge_panel')
    return { kind: row.status === 'ok' && row.metrics.judge_panel.status === 'disabled' ? 'disabled' : 'not_run' }
  return metricOutcome(row, metric as ScoreMetric)
}

/** Values, states and reasons of all metrics. */
export function metricFields(
  outcome: (metric: IndexMetric) => MetricOutcome,
): Pick<CellRecord, 'values' | 'states' | 'reasons'> {
  const values: (number | null)[] = []
  const states: number[] = []
  const reasons: Record<string, string> = {}
  let hasReason = false
  for (const metric of INDEX_METRICS) {
    const found = outcome(metric)
    values.push(found.kind === 'scored' ? found.score : null)
    states.push(stateCode(STATE_OF_OUTCOME[found.kind]))
    if (!('reason' in found)) continue
    reasons[metric] = found.reason
    hasReason = true
  }
  return { values, states, reasons: hasReason ? JSON.stringify(reasons) : null }
}

export type Parsed = { ok: true; row: CanonicalRow; record: CellRecord } | { ok: false; problem: string }

/** Parses lines of evidence into rows and records; equal members of a file's rows are one object. */
export class RowParser {
  readonly #rows = new InternedRows()

  parse(line: Buffer): Parsed {
    const decoded = this.#decode(line)
    if (!decoded.ok) return decoded
    try {
      return { ok: true, row: decoded.row, record: cellRecord(decoded.row) }
    } catch (error) {
      // The checksum is right, but the row breaks its schema: report where.
      const checked = decodeLine(line, 'full')
      if (!checked.ok) return checked
      throw error
    }
  }

  #decode(line: Buffer): Decoded {
    const row = sealOf(line) === 'intact' ? this.#rows.read(line) : null
    if (row !== null) {
      const problem = wrongId(row.row_id, rowKeyOf(row))
      return problem === null ? { ok: true, row } : { ok: false, problem }
    }
    const decoded = decodeLine(line, 'quick')
    if (decoded.ok) this.#rows.learn(decoded.row, line)
    return decoded
  }
}
