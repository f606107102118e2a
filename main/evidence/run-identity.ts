import { readFile } from 'node:fs/promises'
import {
  type CanonicalRow,
  describeIssues,
  type EvaluationConditions,
  type PlanConflict,
  RunIdentity,
  SCHEMA_VERSION,
} from '../../contract/index.ts'
import type { AnswerJournal } from './answer-journal.ts'
import { EvidenceError, messageOf, systemCode } from './errors.ts'
import type { FileOps } from './file-ops.ts'
import { appendWhole } from './line-file.ts'
import type { RowFile } from './row-file.ts'
import { type Difference, differences, fingerprint, IDENTITY_PARTS, sameJson } from './row-identity.ts'

// A run's identity is one record beside its evidence, written and synced before the first call. A process that opens the evidence to add rows
// compares its conditions with it, whatever cells it selects, and every row of the file: by the fingerprints of the row index, so that
// 200,000 rows cost milliseconds. A file from before the record existed has its identity from its first row, and all others must agree.

const REPRODUCIBILITY = IDENTITY_PARTS.indexOf('reproducibility')

/** `…-evidence.jsonl` → `…-evidence.identity.json`. */
export const identityPathFor = (file: string): string => `${file.replace(/\.jsonl$/, '')}.identity.json`

/** A run's conditions from what is stored of it; null when nothing is. Rows are written in the form that it returns. */
export type IdentityFrom = (stored: RunIdentity | null) => RunIdentity | Promise<RunIdentity>

export type IdentityOutcome = { ok: true; identity: RunIdentity } | { ok: false; conflicts: PlanConflict[] }

interface StoredParts {
  file: string
  rows: RowFile
  answers: AnswerJournal
  ops: FileOps
}

async function readRecord(file: string): Promise<RunIdentity | null> {
  const path = identityPathFor(file)
  let problem: string
  try {
    const parsed = RunIdentity.safeParse(JSON.parse(await readFile(path, 'utf8')))
    if (parsed.success) return parsed.data
    problem = describeIssues(parsed.error).slice(0, 3).join('; ')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    problem = messageOf(error)
  }
  const message = `${path}: invalid run identity (${problem}). Remove the file: it is rebuilt from the rows of ${file}`
  throw new EvidenceError('damaged', message, { file: path })
}

/** What a row says of its run. Its evaluation settings are known by their hash, and by the metrics that it asked for. */
export function identityOfRow(row: CanonicalRow): RunIdentity {
  return {
    schema_version: SCHEMA_VERSION,
    runner_version: row.runner_version,
    run_id: row.run_id,
    dataset_id: row.dataset.id,
    evaluation: { metrics: row.metrics.ragas.requested, retries: null, timeout_s: null, evaluator_timeout_s: null },
    reproducibility: row.reproducibility,
  }
}

/** The identity of what is stored: the record, else what the first row or kept answer says. Null when there is neither. */
async function storedIdentity({ file, rows, answers }: StoredParts, isVoid: boolean): Promise<RunIdentity | null> {
  const record = isVoid ? null : await readRecord(file)
  if (record?.runner_version !== undefined) return record
  const ofRows = await identityOfRows(rows, answers)
  if (record === null) return ofRows
  return { ...record, runner_version: ofRows?.runner_version }
}

/** What the first row, else the first kept answer, says; null when there is neither. */
async function identityOfRows(rows: RowFile, answers: AnswerJournal): Promise<RunIdentity | null> {
  if (rows.index.count > 0) return identityOfRow(await rows.readAt(0))
  for (const rowId of answers.rowIds()) return identityOfRow((await answers.read(rowId))!)
  return null
}

/** Replaces the record whole, and makes it durable. */
async function writeRecord({ file, ops }: StoredParts, identity: RunIdentity): Promise<void> {
  const path = identityPathFor(file)
  const temporary = `${path}.tmp`
  await ops.remove(temporary)
  const target = await ops.openNew(temporary)
  try {
    await appendWhole(ops, temporary, target, Buffer.from(`${JSON.stringify(identity, null, 2)}\n`), 0)
    await target.sync()
  } finally {
    await target.close()
  }
  await ops.rename(temporary, path)
  await ops.syncFolderOf(path)
}

interface StoredRow {
  rowId: string
  row: CanonicalRow
  rows: number
}

/** One row for each set of conditions other than those of `identity`, with how many rows share them. */
async function otherRows({ rows, answers }: StoredParts, { reproducibility }: RunIdentity): Promise<StoredRow[]> {
  const { index } = rows
  const digest = fingerprint(reproducibility)
  const found = new Map<string, { ordinal: number; rows: number }>()
  for (let ordinal = 0; ordinal < index.count; ordinal += 1) {
    if (index.hasPart(ordinal, REPRODUCIBILITY, digest)) continue
    const key = index.partOf(ordinal, REPRODUCIBILITY).toString('latin1')
    const known = found.get(key)
    if (known === undefined) found.set(key, { ordinal, rows: 1 })
    else known.rows += 1
  }
  const other: StoredRow[] = []
  for (const { ordinal, rows: count } of found.values()) {
    const row = await rows.readAt(ordinal)
    other.push({ rowId: row.row_id, row, rows: count })
  }
  for (const rowId of answers.rowIds()) {
    const row = await answers.read(rowId)
    if (row !== null && !sameJson(row.reproducibility, reproducibility)) other.push({ rowId, row, rows: 1 })
  }
  return other
}

/** What is null was not recorded, and is no difference. */
function* evaluationDifferences(stored: EvaluationConditions, current: EvaluationConditions): Generator<Difference> {
  for (const field of Object.keys(stored) as (keyof EvaluationConditions)[]) {
    const [then, now] = [stored[field], current[field]]
    if (then !== null && now !== null) yield* differences(inWords(then), inWords(now), ['evaluation', field])
  }
}

/** A list as one text: its order has no meaning, and a difference shows both lists in full. */
const inWords = (value: readonly string[] | number): string | number =>
  typeof value === 'number' ? value : value.length === 0 ? 'none' : [...value].sort().join(', ')

const EVALUATION_HASH = 'reproducibility.config_hashes.evaluation'

/** A hash says less than the field that it is a hash of: those come last, and the evaluation's not at all when a field of it is named. */
function mostTellingFirst(conflicts: Iterable<PlanConflict>): PlanConflict[] {
  const all = [...conflicts]
  const isTold = all.some(({ path }) => path.startsWith('evaluation.') || path === 'reproducibility.seed')
  const isHash = ({ path }: PlanConflict): boolean => path.startsWith('reproducibility.config_hashes.')
  return all
    .filter(({ path }) => !(isTold && path === EVALUATION_HASH))
    .toSorted((a, b) => Number(isHash(a)) - Number(isHash(b)))
}

async function conflictsOf(
  parts: StoredParts,
  stored: RunIdentity | null,
  identity: RunIdentity,
): Promise<PlanConflict[]> {
  const byField = new Map<string, PlanConflict>()
  const add = (difference: Difference, rowId: string | null, rows: number): void => {
    const key = `${difference.path}\0${difference.stored}`
    const known = byField.get(key)
    byField.set(key, { row_id: known?.row_id ?? rowId, ...difference, rows: (known?.rows ?? 0) + rows })
  }
  for (const { rowId, row, rows } of await otherRows(parts, identity))
    for (const difference of differences(row.reproducibility, identity.reproducibility, ['reproducibility']))
      add(difference, rowId, rows)
  if (stored === null) return []

  const { index } = parts.rows
  const first = index.count === 0 ? null : index.rowIdOf(0)
  const { evaluation, reproducibility, ...names } = stored
  const { evaluation: evaluationNow, reproducibility: reproducibilityNow, ...namesNow } = identity
  for (const difference of differences(names, namesNow)) add(difference, first, index.count)
  for (const difference of evaluationDifferences(evaluation, evaluationNow)) add(difference, first, index.count)
  for (const difference of differences(reproducibility, reproducibilityNow, ['reproducibility']))
    if (!byField.has(`${difference.path}\0${difference.stored}`)) add(difference, null, 0)
  return mostTellingFirst(byField.values())
}

export interface IdentityCheck extends StoredParts {
  /** Whether another living process has the log open. A record without any row binds only as long as one has. */
  isShared: boolean
  /** Whether to write the record when nothing conflicts. */
  keep: boolean
}

/**
 * Compares a run's conditions with the record and with all stored rows and kept answers. Call it under the log's lock, with everything read
 * that others wrote. Throws `damaged` for a record that cannot be read.
 */
export async function checkIdentity(check: IdentityCheck, make: IdentityFrom): Promise<IdentityOutcome> {
  const isEmpty = check.rows.index.count === 0 && check.answers.rowIds().length === 0
  const stored = await storedIdentity(check, isEmpty && !check.isShared)
  const identity = await make(stored)
  const conflicts = await conflictsOf(check, stored, identity)
  if (conflicts.length > 0) return { ok: false, conflicts }
  if (check.keep && !sameJson(await readRecord(check.file), identity)) await writeRecord(check, identity)
  return { ok: true, identity }
}

/** Looks at the rows that came since: another program may append without asking. Throws `other_identity`. */
export async function checkRowsFrom(
  first: number,
  rows: RowFile,
  identity: RunIdentity,
  digest: Buffer,
): Promise<void> {
  for (let ordinal = first; ordinal < rows.index.count; ordinal += 1) {
    if (rows.index.hasPart(ordinal, REPRODUCIBILITY, digest)) continue
    const row = await rows.readAt(ordinal)
    const [difference] = differences(row.reproducibility, identity.reproducibility, ['reproducibility'])
    const { path, stored, current } = difference!
    const message = `${rows.path}: another process stored row ${ordinal + 1} under other conditions (${path}: stored ${stored}, this run has ${current}). Stop that process, and start a new run with --run-id`
    throw new EvidenceError('other_identity', message, { file: rows.path, rowId: row.row_id, path })
  }
}
