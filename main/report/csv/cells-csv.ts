import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { Cost, Prices } from '../../../contract/manifests/prices.ts'
import { handedOver } from '../../evaluation/handed-over.ts'
import { writeAtomic, type WrittenFile } from '../../lib/files/write-atomic.ts'
import { csvField, csvText } from './csv-text.ts'
import { metricOutcome, SCORE_METRICS } from '../aggregate/metric-outcome.ts'
import { readEvidenceRows } from '../read-evidence.ts'
import { answerCost } from '../tables/answer-cost.ts'
import { cachedTokens } from '../tables/run-use.ts'

/** One line per cell: who answered which question how, and every score. A metric without a score has its state and reason instead. */
export const CELL_COLUMNS: readonly string[] = [
  'run_id',
  'dataset_id',
  'question_id',
  'question',
  'model',
  'repeat',
  'status',
  'latency_ms',
  'attempts',
  ...SCORE_METRICS.flatMap((metric) => [metric, `${metric}_state`]),
  'answer',
  'error',
  'first_token_s',
  'context_tokens',
  'tokens_in',
  'tokens_out',
  'tokens_cached',
  'tokens_estimated',
  'cost',
  'grading_cost',
  'currency',
]

/** Nothing where a part of the cost is not known. */
const known = ({ amount, unknown }: Cost): number | '' => (unknown.length === 0 ? amount : '')

function fieldsOf(row: CanonicalRow, prices: Prices): (string | number)[] {
  const { operational } = row.metrics
  const used = operational.server?.model_usage ?? []
  const cost = answerCost(row, prices)
  const scores = SCORE_METRICS.flatMap((metric): (string | number)[] => {
    const outcome = metricOutcome(row, metric)
    if (outcome.kind === 'scored') return [outcome.score, 'scored']
    return ['', 'reason' in outcome ? `${outcome.kind}: ${outcome.reason}` : outcome.kind]
  })
  return [
    row.run_id,
    row.dataset.id,
    row.question.id,
    row.question.query,
    row.approach.model,
    row.repeat ?? 1,
    row.status,
    operational.latency_ms,
    operational.attempts.length,
    ...scores,
    row.evidence?.answer ?? '',
    row.error === null ? '' : `${row.error.type}: ${row.error.message}`,
    operational.server?.first_token_s ?? '',
    handedOver(row)?.tokens ?? '',
    operational.token_usage?.prompt_tokens ?? '',
    operational.token_usage?.completion_tokens ?? '',
    cachedTokens(used) || '',
    used.some(({ estimated }) => estimated !== undefined) ? 'true' : '',
    known(cost.answer),
    known(cost.grading),
    prices.currency,
  ]
}

/** All cells of evidence files as CSV with their cost at these prices, file by file in the order of the rows; never more than a row in memory. */
export async function* cellsCsv(files: readonly string[], prices: Prices): AsyncGenerator<string> {
  const [head] = csvText(CELL_COLUMNS, [])
  yield head!
  for (const file of files)
    for await (const row of readEvidenceRows(file)) yield `${fieldsOf(row, prices).map(csvField).join(',')}\n`
}

/** Writes every cell of evidence files, whole or not at all. Throws `ReportError` for a file that cannot be read. */
export const writeCellsCsv = (path: string, files: readonly string[], prices: Prices): Promise<WrittenFile> =>
  writeAtomic(path, cellsCsv(files, prices))
