import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { RunIdentity } from '../../../contract/evidence/run-identity.ts'
import { EvidenceError } from '../errors.ts'
import type { CellClaim } from '../evidence-log.ts'
import type { SealedRow } from './row-file.ts'
import { conflictsWith } from './conditions.ts'
import { firstDifference, sameJson } from './row-identity.ts'
import { sealRow } from './row-line.ts'

/** Describes what every row of an open run must share. */
interface ExpectedRow {
  /** States where the run is stored, for messages. */
  file: string
  runId: string
  /** Null before the run's identity is set: no row may be stored then. */
  identity: RunIdentity | null
}

/** A row with its line, ready to be stored: of this run, of its conditions, and of the claim's cell. Throws `no_identity`, `other_identity`, `invalid_row`. */
export function admittedRow(expected: ExpectedRow, claim: CellClaim, row: CanonicalRow): SealedRow {
  assertIdentity(expected, row)
  const sealed = sealRow(row)
  const problem = sealed.ok ? mismatch(expected, claim, sealed.row) : sealed.problem
  if (sealed.ok && problem === null) return { row: sealed.row, line: sealed.line }
  const data = { file: expected.file, rowId: claim.rowId }
  throw new EvidenceError('invalid_row', `the row cannot be stored: ${problem}`, data)
}

function assertIdentity({ file, identity }: ExpectedRow, row: CanonicalRow): void {
  if (identity === null)
    throw new EvidenceError('no_identity', `${file}: the run's identity must be set before its rows`, { file })
  const { row_id: rowId, runner_version, reproducibility } = row
  const { runner_version: version = runner_version, reproducibility: expected } = identity
  const isSame = reproducibility === expected || sameJson(reproducibility, expected)
  if (isSame && runner_version === version) return
  const [conflict] = conflictsWith(row, expected)
  const difference = firstDifference(runner_version, version, ['runner_version']) ?? conflict
  if (difference === undefined) return
  const { path, stored, current } = difference
  const message = `${file}: the row ${rowId} was not stored, because it has other conditions than its run: ${path} is ${stored}, of the run ${current}`
  throw new EvidenceError('other_identity', message, { file, rowId, path })
}

function mismatch({ runId }: ExpectedRow, claim: CellClaim, row: CanonicalRow): string | null {
  if (row.run_id !== runId) return `run_id: ${row.run_id}, but the log is of run ${runId}`
  return row.row_id === claim.rowId ? null : `row_id: ${row.row_id}, but the claim is for ${claim.rowId}`
}
