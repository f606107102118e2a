import type { CanonicalRow, PlanConflict } from '../../contract/index.ts'
import type { IdentityFrom, IdentityOutcome } from './run-identity.ts'

/** What must be equal between a planned cell and its stored row: the row's question, approach and reproducibility. */
export type RowIdentity = Pick<CanonicalRow, 'row_id' | 'question' | 'approach' | 'reproducibility'>

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
  /** Rows that this process knows of; `plan`, `claim`, `read` and `rows` look at what others stored first. */
  readonly rowCount: number
  /** Compares a run's conditions with the stored ones and with every row; writes nothing. */
  checkIdentity(make: IdentityFrom): Promise<IdentityOutcome>
  /** The same, and keeps them durably as the run's: to be called before any call, and before `keepAnswer` and `append`. */
  setIdentity(make: IdentityFrom): Promise<IdentityOutcome>
  /** Decides what can be reused without any call. Streams: memory does not grow with the rows' content. */
  plan(cells: Iterable<RowIdentity>): Promise<ResumePlan>
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
  /** Whether this process knows that the row is stored; it may be without its knowledge. Makes no request. */
  isStored(rowId: string): boolean
  /** Every durable row that counts in file order, as of the call: of a cell that was tried again, the last one. */
  rows(): AsyncIterable<CanonicalRow>
  /** Those of them without an answer. */
  failedRows(): AsyncIterable<CanonicalRow>
  /** The number of a cell's newest row or kept answer, by the id of its first row; 0 for a cell that was never tried again. */
  retryOf(cellId: string): number
  /** Waits for the appends in progress, releases all claims and cleans up. */
  close(): Promise<void>
}

export type OpenOutcome = { ok: true; log: EvidenceLog } | { ok: false; refusal: EvidenceRefusal }
