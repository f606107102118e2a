import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { EvaluationMetric } from '../../../contract/common.ts'
import { HistoricalCell, HistoricalMatrix } from '../../../contract/evidence/matrix.ts'
import { describeIssues } from '../../../core/issues.ts'
import { jsonIn } from '../../../core/json.ts'
import { distributionOf, share } from '../../lib/text/numbers.ts'
import { judgeRows } from '../csv/aggregate-rows.ts'
import { readJudgments, type JudgeInput } from '../aggregate/judge-input.ts'
import { judgeSection } from '../aggregate/judge-section.ts'
import { spread, type LongRow } from '../csv/long-row.ts'
import { ReportError } from '../report-error.ts'
import { usableOrListed, type UnusableFile } from './results-folder.ts'

/** A result from before canonical rows existed: its fields are read, nothing is added. */
export interface HistoricalSnapshot {
  /** The file name without `-matrix.json`. */
  name: string
  matrix: HistoricalMatrix
  /** `disabled` when there is no judgments file. */
  judge: JudgeInput
}

const MATRIX_SUFFIX = '-matrix.json'
const MODERN_SUFFIXES = ['-evidence.jsonl', '-evaluation.json']

/** Text of an old matrix file → matrix with all its fields. Throws `ReportError` for any other text. */
export function parseHistoricalMatrix(text: string, name: string): HistoricalMatrix {
  const value = jsonIn(text)
  if (value === undefined) throw new ReportError('unreadable', `${name}: not JSON`, { file: name })
  const parsed = HistoricalMatrix.safeParse(value)
  if (parsed.success) return parsed.data
  const [first = '', ...others] = describeIssues(parsed.error)
  const more = others.length === 0 ? '' : ` (the first of ${others.length + 1} problems)`
  throw new ReportError('unreadable', `${name}: ${first}${more}`, { file: name })
}

/** Every snapshot of a folder that has a matrix but no evidence, by name; a matrix that cannot be read is listed with its reason. */
export async function loadHistorical(
  dir: string,
): Promise<{ snapshots: HistoricalSnapshot[]; unusable: UnusableFile[] }> {
  const names = new Set(await readdir(dir))
  const prefixes = [...names]
    .filter((name) => name.endsWith(MATRIX_SUFFIX))
    .map((name) => name.slice(0, -MATRIX_SUFFIX.length))
    .filter((prefix) => !MODERN_SUFFIXES.some((suffix) => names.has(prefix + suffix)))
    .sort()
  const unusable: UnusableFile[] = []
  const snapshots: HistoricalSnapshot[] = []
  for (const name of prefixes) {
    const file = `${name}${MATRIX_SUFFIX}`
    const matrix = await usableOrListed(join(dir, file), unusable, async () =>
      parseHistoricalMatrix(await readFile(join(dir, file), 'utf8'), file),
    )
    if (matrix === null) continue
    const judgments = `${name}-judgments.json`
    const judge = names.has(judgments) ? await readJudgments(join(dir, judgments)) : { state: 'disabled' as const }
    snapshots.push({ name, matrix, judge })
  }
  return { snapshots, unusable }
}

const Known = z.looseObject({
  run_id: z.string().catch(''),
  dataset_id: z.string().catch(''),
})

/** Run and dataset of a snapshot: as its matrix records them, for the dataset also its judgments; else both are named by the file. */
export function snapshotIdentity({ name, matrix, judge }: HistoricalSnapshot): { runId: string; datasetId: string } {
  const known = Known.parse(matrix)
  const judged = judge.state === 'read' ? judge.judgments.dataset_id : ''
  return { runId: known.run_id || name, datasetId: known.dataset_id || judged || name }
}

const QUANTITIES = ['seconds', 'chunks', 'llm_calls', 'cloud_calls'] as const
const NAMES = { seconds: 'server_seconds', chunks: 'chunks', llm_calls: 'llm_calls', cloud_calls: 'cloud_calls' }

type Cell = z.infer<typeof HistoricalCell>

/** A snapshot's figures in the long form: cells, latency, server metrics and judges, as far as it has them. */
export function* historicalRows(snapshot: HistoricalSnapshot): Generator<LongRow> {
  const { runId: run_id, datasetId: dataset_id } = snapshotIdentity(snapshot)
  const cells = snapshot.matrix.cells.map((cell) => HistoricalCell.parse(cell))
  const models = [...new Set(cells.map((cell) => cell.model))]
  const questionIds = [...new Set(cells.map((cell) => cell.query_id))]
  const judge = judgeSection(snapshot.judge, {
    datasetId: dataset_id,
    ingestion: ingestionOf(snapshot),
    models,
    questionIds,
  })
  for (const model of models) {
    const own = cells.filter((cell) => cell.model === model)
    const { base_model, flavor } = own[0]!
    const head = { dataset_id, run_id, model, base_model: base_model ?? null, flavor: flavor ?? null }
    yield* operationalRows(head, own, questionIds.length)
    yield* evaluationRows(head, own, questionIds.length)
    yield* judgeRows(head, judge)
  }
}

/** A snapshot without an ingestion takes whatever its judgments record, and one whose judgments record none takes none: neither can be checked. */
function ingestionOf({ matrix, judge }: HistoricalSnapshot) {
  if (judge.state === 'read' && judge.unknown?.includes('ingestion') === true) return null
  const { ingestion } = matrix as HistoricalMatrix & { ingestion?: unknown }
  const judged = judge.state === 'read' ? (judge.judgments.ingestion ?? null) : null
  return (ingestion === undefined ? judged : ingestion) as typeof judged
}

/** Scores of an evaluator, where a cell has any. */
function* evaluationRows(
  head: Pick<LongRow, 'dataset_id' | 'run_id' | 'model' | 'base_model' | 'flavor'>,
  cells: readonly Cell[],
  expected: number,
): Generator<LongRow> {
  for (const metric of EvaluationMetric.options) {
    const scores = cells.flatMap(({ ok, evaluation }) => {
      const score = ok ? evaluation?.scores[metric] : undefined
      return typeof score === 'number' && Number.isFinite(score) ? [score] : []
    })
    if (scores.length === 0) continue
    const state = scores.length === expected ? 'ok' : 'partial'
    const coverage = share(scores.length, expected)
    const figures = spread(distributionOf(Float64Array.from(scores)))
    yield { ...head, metric_class: 'ragas', metric, state, ...figures, expected, coverage }
  }
}

function* operationalRows(
  head: Pick<LongRow, 'dataset_id' | 'run_id' | 'model' | 'base_model' | 'flavor'>,
  cells: readonly Cell[],
  expected: number,
): Generator<LongRow> {
  const answered = cells.filter((cell) => cell.ok)
  const common = { ...head, metric_class: 'operational' as const }
  const missing = expected - new Set(cells.map((cell) => cell.query_id)).size
  yield {
    ...common,
    metric: 'cells',
    state: answered.length === expected ? 'ok' : answered.length > 0 ? 'partial' : 'error',
    n: answered.length,
    eligible: expected,
    expected,
    coverage: share(answered.length, expected),
    errors: cells.length - answered.length,
    missing,
  }
  const quantity = (metric: string, values: readonly (number | undefined)[]): LongRow[] => {
    const known = Float64Array.from(values.filter((value) => value !== undefined))
    if (known.length === 0) return []
    const coverage = share(known.length, expected)
    return [
      { ...common, metric, ...spread(distributionOf(known)), eligible: answered.length, expected, coverage, missing },
    ]
  }
  yield* quantity(
    'latency_ms',
    answered.map(({ latency_s }) => (latency_s === undefined ? undefined : latency_s * 1000)),
  )
  for (const name of QUANTITIES)
    yield* quantity(
      NAMES[name],
      answered.map(({ metrics }) => metrics?.[name]),
    )
}
