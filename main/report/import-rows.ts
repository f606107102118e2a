import { z } from 'zod'
import { canonicalJson } from '../../core/canonical-json.ts'
import { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import { describeIssues } from '../../core/issues.ts'
import { jsonIn } from '../../core/json.ts'

// Rows of another writer → a historical snapshot: matrix cells with everything whose meaning is the same in both. Nothing is made up for what such
// rows lack, so they do not become canonical rows: gold evidence, required points, attempts and checksums would have to be invented.

const text = z.string().nullish().catch(undefined)
const number = z.number().nullish().catch(undefined)

/** Describes what a row must have to be a cell, and what it may have; fields of another type count as absent. */
const ForeignRow = z.looseObject({
  run_id: z.string().min(1),
  dataset: z.looseObject({ id: z.string().min(1), label: text }),
  question: z.looseObject({
    id: z.string().min(1),
    query: text,
    ground_truth: text,
    rationale: text,
    expect_winner: text,
  }),
  approach: z.looseObject({
    model: z.string().min(1),
    base_model: text,
    flavor: text,
    requires_reingest: z.boolean().optional().catch(undefined),
  }),
  status: z.enum(['ok', 'error', 'timeout']),
  evidence: z
    .looseObject({
      answer: text,
      contexts: z.array(z.string()).optional().catch(undefined),
      sources: z
        .array(z.looseObject({ title: z.string().catch(''), score: number }))
        .optional()
        .catch(undefined),
      token_usage: z.looseObject({}).nullish().catch(undefined),
      server_metrics: z.looseObject({}).nullish().catch(undefined),
      raw_content: text,
      approach_metadata: z.looseObject({}).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
  metrics: z
    .looseObject({
      operational: z.looseObject({ latency_ms: number }).optional().catch(undefined),
      ragas: z
        .looseObject({ scores: z.record(z.string(), z.unknown()).optional().catch(undefined) })
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
  reproducibility: z.looseObject({ ingestion: z.unknown() }).optional().catch(undefined),
  error: z.looseObject({ type: text, message: text }).nullish().catch(undefined),
})
type ForeignRow = z.infer<typeof ForeignRow>

/** Fields of a row that a snapshot can hold; other fields are reported as left out. */
const TAKEN = new Set([
  'run_id',
  'dataset',
  'question',
  'approach',
  'status',
  'evidence',
  'metrics',
  'reproducibility',
  'error',
  'schema_version',
  'runner_version',
  'row_id',
])

interface ImportedSnapshot {
  runId: string
  datasetId: string
  /** A historical matrix. */
  matrix: Record<string, unknown>
  cells: number
}

interface ImportOutcome {
  snapshots: ImportedSnapshot[]
  /** Lines that were not taken, with the reason. */
  refused: { location: string; reason: string }[]
  /** Fields that a snapshot cannot hold, and the number of rows with them. */
  leftOut: Map<string, number>
}

/** Converts lines of rows; `location` names a line in messages. One snapshot for each run and dataset, in order of appearance. */
export function importRows(lines: Iterable<{ location: string; text: string }>): ImportOutcome {
  const outcome: ImportOutcome = { snapshots: [], refused: [], leftOut: new Map() }
  const groups = new Map<string, Collected>()
  for (const { location, text: line } of lines) {
    if (line.trim() === '') continue
    const row = readRow(line)
    if (typeof row === 'string') outcome.refused.push({ location, reason: row })
    else {
      const key = `${row.run_id}\n${row.dataset.id}`
      const group = groups.get(key) ?? newGroup(row)
      groups.set(key, group)
      const reason = collect(group, row)
      if (reason === null) countLeftOut(row, outcome.leftOut)
      else outcome.refused.push({ location, reason })
    }
  }
  outcome.snapshots = [...groups.values()].map(snapshotOf)
  return outcome
}

/** A row, or why the line is none. */
function readRow(line: string): ForeignRow | string {
  const value = jsonIn(line)
  if (value === undefined) return 'not JSON'
  if (CanonicalRow.safeParse(value).success)
    return 'already a row of this schema: copy its file into the folder of results'
  const parsed = ForeignRow.safeParse(value)
  if (parsed.success) return parsed.data
  const [first, ...others] = describeIssues(parsed.error)
  return `${first}${others.length === 0 ? '' : ` (the first of ${others.length + 1} problems)`}`
}

interface Collected {
  head: ForeignRow
  ingestion: string
  questions: Map<string, Record<string, unknown>>
  cells: Map<string, Record<string, unknown>>
}

const ingestionOf = ({ reproducibility }: ForeignRow): unknown => reproducibility?.ingestion ?? null

const newGroup = (row: ForeignRow): Collected => ({
  head: row,
  ingestion: canonicalJson(ingestionOf(row)),
  questions: new Map(),
  cells: new Map(),
})

/** Null when the row is in the group now, else why it cannot be. */
function collect(group: Collected, row: ForeignRow): string | null {
  const { question, approach } = row
  const key = `${question.id}\n${approach.model}`
  if (group.cells.has(key)) return `a second row for ${question.id} × ${approach.model}: which one counts is unknown`
  if (canonicalJson(ingestionOf(row)) !== group.ingestion)
    return 'it answers from another ingestion than the rows before it of this run and dataset'
  group.cells.set(key, cellOf(row))
  if (!group.questions.has(question.id)) {
    const { id, query, ground_truth, rationale, expect_winner } = question
    group.questions.set(id, known({ id, query, ground_truth, rationale, expect_winner }))
  }
  return null
}

/** Without what is undefined: unknown stays absent. */
const known = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

function cellOf({ question, approach, status, evidence, metrics, error }: ForeignRow): Record<string, unknown> {
  const latencyMs = metrics?.operational?.latency_ms ?? undefined
  const head = {
    query_id: question.id,
    model: approach.model,
    base_model: approach.base_model,
    flavor: approach.flavor,
    requires_reingest: approach.requires_reingest,
    latency_s: latencyMs === undefined ? undefined : latencyMs / 1000,
  }
  if (status !== 'ok') {
    const words = [error?.type ?? status, error?.message ?? undefined].filter((part) => part !== undefined)
    return known({ ...head, ok: false, error: words.join(': ') })
  }
  return known({
    ...head,
    ok: true,
    raw: evidence?.raw_content,
    answer: evidence?.answer,
    contexts: evidence?.contexts,
    sources: evidence?.sources,
    metrics: evidence?.server_metrics,
    token_usage: evidence?.token_usage,
    approach_metadata: evidence?.approach_metadata,
    evaluation: metrics?.ragas,
  })
}

function countLeftOut(row: ForeignRow, leftOut: Map<string, number>): void {
  const count = (name: string): void => void leftOut.set(name, (leftOut.get(name) ?? 0) + 1)
  for (const name of Object.keys(row)) if (!TAKEN.has(name)) count(name)
  for (const name of Object.keys(row.metrics ?? {}))
    if (name !== 'operational' && name !== 'ragas') count(`metrics.${name}`)
  for (const name of Object.keys(row.metrics?.operational ?? {}))
    if (name !== 'latency_ms' && name !== 'token_usage' && name !== 'server') count(`metrics.operational.${name}`)
}

function snapshotOf({ head, questions, cells }: Collected): ImportedSnapshot {
  const { run_id: runId, dataset, reproducibility } = head
  const matrix = known({
    run_id: runId,
    dataset_id: dataset.id,
    label: dataset.label,
    imported: 'rows of another schema; what they lacked is unknown',
    reproducibility,
    ingestion: reproducibility?.ingestion,
    queries: [...questions.values()],
    cells: [...cells.values()],
  })
  return { runId, datasetId: dataset.id, matrix, cells: cells.size }
}
