// The evidence of a run is one append-only sequence of rows, which any number of processes resume and add to. In: the run's conditions, its cells, answers
// and rows. Out: a resume plan, claims, and rows that are on stable storage when a call resolves. A crash at any byte loses no acknowledged row.
//   1. evidence-store.ts chooses where rows are kept: in files (open-evidence-log.ts, files/log-handle.ts) or in PostgreSQL (postgres/database-log.ts).
//   2. rows/run-identity.ts compares the conditions of the run with what is stored; one difference refuses the run.
//   3. resume-planner.ts sorts the cells by their fingerprints: reuse, evaluate a kept answer, call, or conflict.
//   4. locks/claim-table.ts gives one process the right to make a cell, and takes it from a process that died.
//   5. answer-journal.ts keeps an answer before its evaluation; files/group-commit.ts appends many rows with one sync.
// verify-evidence.ts reads a log as a stranger would; files/recover-torn-tail.ts moves an unfinished last line aside. Neither is needed to resume.
// This file has the interface that the runner sees, and no code.
import type { RowIdentity } from './rows/row-identity.ts'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import type { PlanConflict } from '../../contract/evidence/run-event.ts'
import type { IdentityFrom, IdentityOutcome } from './rows/run-identity.ts'

/** A row without its evaluation: an answer that is safe on disk before its evaluation starts. */
export type AnsweredRow = CanonicalRow

/** Why a log cannot be used as it is; `offset` is the byte of the damage, `line` counts from 1, `remedy` is what the person can do. */
export interface EvidenceRefusal {
  code:
    | 'torn_tail'
    | 'malformed_line'
    | 'duplicate_row'
    | 'foreign_run'
    | 'untrusted_filesystem'
    | 'missing'
    | 'missing_rows'
    | 'unreadable'
    | 'unwritable'
    | 'not_torn'
    | 'mixed_rows'
    | 'in_use'
    | 'unreachable'
    | 'copy'
  file: string
  offset: number | null
  line: number | null
  message: string
  remedy: string
}

/** Something that the log did by itself and that is reported to the user. */
export interface EvidenceNotice {
  code: 'torn_tail_moved' | 'journal_not_compacted'
  file: string
  message: string
}

export interface ResumePlan {
  /** Row ids that are in the log with equal identity. */
  reuse: string[]
  /** Row ids whose answer was kept by a stopped run and only needs its evaluation and append. */
  answered: string[]
  run: string[]
  conflicts: PlanConflict[]
}

/** The right to make one cell, held across processes until `append` or `release`, or until this process dies. */
export interface CellClaim {
  readonly rowId: string
}

export type ClaimOutcome =
  | { outcome: 'claimed'; claim: CellClaim; answered: AnsweredRow | null }
  | { outcome: 'stored'; row: CanonicalRow }

/** `held`: a living process, this one included, makes the cell. */
export type ClaimAttempt = ClaimOutcome | { outcome: 'held' }

/**
 * One append-only sequence of canonical rows, shared by any number of processes: a file for those of one machine, or a PostgreSQL database. Methods reject with `EvidenceError`; after
 * `log_failed` or `damaged` the log promises nothing any more and is to be closed.
 */
export interface EvidenceLog {
  /** The file's path, or the database's address with the run. */
  readonly file: string
  /** Rows that this process knows of; `planResume`, `claim`, `read` and `rows` look at what others stored first. */
  readonly rowCount: number
  /** Compares a run's conditions with the stored ones and with every row; writes nothing. */
  checkIdentity(make: IdentityFrom): Promise<IdentityOutcome>
  /** The same, and keeps them durably as the run's: to be called before any call, and before `keepAnswer` and `append`. */
  setIdentity(make: IdentityFrom): Promise<IdentityOutcome>
  /** Decides what can be reused without any call. Streams: memory does not grow with the rows' content. */
  planResume(cells: Iterable<RowIdentity>): Promise<ResumePlan>
  /** Digest of the stored rows and kept answers as far as a plan depends on them: while it is the same, `planResume` decides the same. */
  contentDigest(): Promise<string>
  /** Waits while a living process holds the cell, then returns whether to make it or take over its durable row. Rejects with the signal's reason. */
  claim(rowId: string, signal?: AbortSignal): Promise<ClaimOutcome>
  /** The same without waiting. */
  tryClaim(rowId: string): Promise<ClaimAttempt>
  /** Keeps an answer durably before its evaluation, so that a crash in between costs no second model call. */
  keepAnswer(claim: CellClaim, row: AnsweredRow): Promise<void>
  /** Resolves when the row is on stable storage, and releases the claim. When it rejects, the claim is still held. */
  append(claim: CellClaim, row: CanonicalRow): Promise<void>
  /** Releases a claim without a row. Does nothing for a claim that is released already. */
  release(claim: CellClaim): Promise<void>
  read(rowId: string): Promise<CanonicalRow | null>
  /** Returns true when this process knows that the row is stored; it may be without its knowledge. Makes no request. */
  isStored(rowId: string): boolean
  /** Every durable row that counts in file order, as of the call: of a cell that was tried again, the last one. */
  rows(): AsyncIterable<CanonicalRow>
  /** Those of them that a later row may replace: without an answer, or with one whose grading was refused. */
  openRows(): AsyncIterable<CanonicalRow>
  /** The number of a cell's newest row or kept answer, by the id of its first row; 0 for a cell that was never tried again. */
  retryOf(cellId: string): number
  /** Waits for the appends in progress, releases all claims and cleans up. */
  close(): Promise<void>
}

export type OpenOutcome = { ok: true; log: EvidenceLog } | { ok: false; refusal: EvidenceRefusal }
