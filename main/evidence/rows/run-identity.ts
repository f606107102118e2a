import { SCHEMA_VERSION } from '../../../contract/common.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { Reproducibility } from '../../../contract/evidence/provenance.ts'
import type { PlanConflict } from '../../../contract/evidence/run-event.ts'
import type { EvaluationConditions, RunIdentity } from '../../../contract/evidence/run-identity.ts'
import { allDifferences, commonConflicts, conflictsWith } from './conditions.ts'
import { type Difference, differences, sameJson } from './row-identity.ts'

// A run's identity is one record beside its rows, kept durably before the first call. A process that opens the evidence to add rows compares
// its conditions with it, whatever cells it selects, and every stored row. Rows from before the record existed hold their identity themselves:
// that of the first one, with which all others must agree.

/** A run's conditions from what is stored of it; null when nothing is. Rows are written in the form that it returns. */
export type IdentityFrom = (stored: RunIdentity | null) => RunIdentity | Promise<RunIdentity>

export type IdentityOutcome = { ok: true; identity: RunIdentity } | { ok: false; conflicts: PlanConflict[] }

/** A row or kept answer, and how many rows of its kind share its conditions. */
export interface StoredRow {
  rowId: string
  row: CanonicalRow
  rows: number
}

/** Describes what is stored of a run, wherever it is stored. */
export interface StoredRun {
  rowCount: number
  /** Answers that wait for their evaluation. */
  answerCount: number
  /** Null when there is none. Throws `damaged` for one that cannot be read. */
  record(): Promise<RunIdentity | null>
  /** Replaces the record durably. False when another process did so since `record`: look again. */
  keep(identity: RunIdentity): Promise<boolean>
  /** The first row, else the first kept answer; null when there is neither. */
  first(): Promise<CanonicalRow | null>
  /** One row for each kind of row with conditions other than these, and each such kept answer. */
  others(reproducibility: Reproducibility): Promise<StoredRow[]>
}

/** The identity of its run that a row records. Its evaluation settings are known by their hash, and by the metrics that it asked for. */
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

/** The record, else the identity in the first row or kept answer. Null when there is neither. */
async function storedIdentity(run: StoredRun, isVoid: boolean): Promise<RunIdentity | null> {
  const record = isVoid ? null : await run.record()
  if (record?.runner_version !== undefined) return record
  const first = await run.first()
  const ofRows = first === null ? null : identityOfRow(first)
  return record === null ? ofRows : { ...record, runner_version: ofRows?.runner_version }
}

/** A value that is null was not recorded, and is not a difference. */
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

/** A hash explains less than the field that it is a hash of: hashes come last, and the evaluation's not at all when a field of it is named. */
function mostTellingFirst(conflicts: Iterable<PlanConflict>): PlanConflict[] {
  const all = [...conflicts]
  const isFieldNamed = all.some(({ path }) => path.startsWith('evaluation.') || path === 'reproducibility.seed')
  const isHash = ({ path }: PlanConflict): boolean => path.startsWith('reproducibility.config_hashes.')
  return all
    .filter(({ path }) => !(isFieldNamed && path === EVALUATION_HASH))
    .toSorted((a, b) => Number(isHash(a)) - Number(isHash(b)))
}

async function conflictsOf(
  run: StoredRun,
  stored: RunIdentity | null,
  identity: RunIdentity,
  isShared: boolean,
): Promise<PlanConflict[]> {
  const byField = new Map<string, PlanConflict>()
  const add = (difference: Difference, rowId: string | null, rows: number): void => {
    const key = `${difference.path}\0${difference.stored}`
    const known = byField.get(key)
    byField.set(key, { row_id: known?.row_id ?? rowId, ...difference, rows: (known?.rows ?? 0) + rows })
  }
  for (const { rowId, row, rows } of await run.others(identity.reproducibility))
    for (const difference of conflictsWith(row, identity.reproducibility)) add(difference, rowId, rows)
  if (stored === null) return []

  const first = run.rowCount === 0 ? null : (await run.first())!.row_id
  const { evaluation, reproducibility, ...names } = stored
  const { evaluation: evaluationNow, reproducibility: reproducibilityNow, ...namesNow } = identity
  for (const difference of differences(names, namesNow)) add(difference, first, run.rowCount)
  for (const difference of evaluationDifferences(evaluation, evaluationNow)) add(difference, first, run.rowCount)
  // A process that has the run open makes rows under all of its conditions.
  const recorded = isShared
    ? allDifferences(reproducibility, reproducibilityNow)
    : commonConflicts(reproducibility, reproducibilityNow)
  for (const difference of recorded)
    if (!byField.has(`${difference.path}\0${difference.stored}`)) add(difference, null, 0)
  return mostTellingFirst(byField.values())
}

interface IdentityCheck {
  /** True when another living process has the run open. A record without any row binds only as long as one has. */
  isShared: boolean
  /** True to keep the record when nothing conflicts. */
  keep: boolean
}

/** Compares a run's conditions with the record and with all stored rows and kept answers. Throws `damaged` for a record that cannot be read. */
export async function checkIdentity(
  run: StoredRun,
  { isShared, keep }: IdentityCheck,
  make: IdentityFrom,
): Promise<IdentityOutcome> {
  for (;;) {
    const isEmpty = run.rowCount === 0 && run.answerCount === 0
    const stored = await storedIdentity(run, isEmpty && !isShared)
    const identity = await make(stored)
    const conflicts = await conflictsOf(run, stored, identity, isShared)
    if (conflicts.length > 0) return { ok: false, conflicts }
    if (!keep || sameJson(await run.record(), identity) || (await run.keep(identity))) return { ok: true, identity }
  }
}
