import { limitBehind } from '../../core/system-limit.ts'
import type { EvidenceRefusal } from './evidence-log.ts'
import { remedyFor, typedCommand } from './typed-command.ts'

/**
 * invalid_row: the row breaks the contract; nothing was written. claim_lost: the claim is no longer held. already_stored: the log
 * holds this row id. write_failed: nothing of the row is in the log, and it may be tried again. log_failed: the handle can promise
 * nothing any more (a sync failed, or the file was changed by others); open the log again. log_closed: used after `close`.
 * damaged: stored bytes are not the ones that were written. no_identity: a row comes before the run's identity was set. other_identity: a
 * row of other conditions than the run's, from this process (it was not stored) or from another one (the log is not used any more).
 */
export type EvidenceErrorCode =
  | 'invalid_row'
  | 'claim_lost'
  | 'already_stored'
  | 'write_failed'
  | 'log_failed'
  | 'log_closed'
  | 'damaged'
  | 'no_identity'
  | 'other_identity'

/** A failure of the evidence log that its caller did not have to expect. `data.file` names the file. */
export class EvidenceError extends Error {
  readonly code: EvidenceErrorCode
  readonly data: Record<string, unknown> & { file: string }

  constructor(code: EvidenceErrorCode, message: string, data: EvidenceError['data'], cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'EvidenceError'
    this.code = code
    this.data = data
  }
}

export function messageOf(error: unknown): string {
  const limit = limitBehind(error)
  if (limit !== null) return `${limit.reason}: ${limit.remedy}`
  return error instanceof Error ? error.message : String(error)
}

/** The system's name for a failure, such as `ENOSPC`; null when it has none. */
export function systemCode(error: unknown): string | null {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return typeof code === 'string' ? code : null
}

/** Carries a refusal from where it is found to where it becomes a value (opening) or a typed error (a log in use). */
export class RefusalError extends Error {
  readonly refusal: EvidenceRefusal
  constructor(refusal: EvidenceRefusal, cause?: unknown) {
    super(refusal.message, cause === undefined ? undefined : { cause })
    this.name = 'RefusalError'
    this.refusal = refusal
  }
}

/** The failure that ends the use of an open log. */
export function failureOf(error: unknown, file: string): EvidenceError {
  if (error instanceof EvidenceError) return error
  if (error instanceof RefusalError) return new EvidenceError('damaged', error.message, { ...error.refusal }, error)
  const message = `${file} cannot be used any more: ${messageOf(error)}. Rows that were acknowledged are safe`
  return new EvidenceError('log_failed', message, { file }, error)
}

export const claimLost = (file: string, rowId: string): EvidenceError =>
  new EvidenceError('claim_lost', `the claim on ${rowId} is not held any more`, { file, rowId })

export const alreadyStored = (file: string, rowId: string, kind: 'row' | 'answer' = 'row'): EvidenceError =>
  new EvidenceError('already_stored', `the ${kind} ${rowId} is stored already`, { file, rowId })

const NEW_RUN_OR_REMOVE = 'keep the file for inspection and use a new run id, or remove it'

export const tornTail = (file: string, offset: number, bytes: number): EvidenceRefusal => ({
  code: 'torn_tail',
  file,
  offset,
  line: null,
  message: `${file}: the last ${bytes} bytes, from byte ${offset}, are an unfinished row: its writer was killed or its disk failed`,
  remedy: remedyFor({
    panel: `every finished row stays; "Move torn bytes" puts the unfinished bytes into ${file}.torn-<time>`,
    commandLine: `every finished row stays; to move the unfinished bytes to ${file}.torn-<time>, run: ${typedCommand(['recover', file])}`,
  }),
})

export const malformedLine = (file: string, offset: number, line: number, problem: string): EvidenceRefusal => ({
  code: 'malformed_line',
  file,
  offset,
  line,
  message: `${file}: line ${line} at byte ${offset} cannot be used: ${problem}`,
  remedy: NEW_RUN_OR_REMOVE,
})

export const changedTexts = (file: string, offset: number): EvidenceRefusal => ({
  code: 'malformed_line',
  file,
  offset,
  line: null,
  message: `${file}: texts of traces at byte ${offset} do not match their digests: they were changed after they were written`,
  remedy: 'restore the file from a copy, or remove it: rows and scores do not depend on it',
})

export const malformedJournal = (file: string, offset: number, line: number, problem: string): EvidenceRefusal => ({
  ...malformedLine(file, offset, line, problem),
  remedy: `remove ${file}: it only holds answers that wait for their evaluation, and their cells are then called again`,
})

export const duplicateRow = (file: string, offset: number, line: number, rowId: string): EvidenceRefusal => ({
  code: 'duplicate_row',
  file,
  offset,
  line,
  message: `${file}: line ${line} at byte ${offset} holds the row ${rowId} a second time`,
  remedy: NEW_RUN_OR_REMOVE,
})

export const foreignRun = (
  place: { file: string; offset: number; line: number },
  found: string,
  runId: string,
): EvidenceRefusal => ({
  code: 'foreign_run',
  ...place,
  message: `${place.file}: line ${place.line} belongs to run ${found}, not to ${runId}`,
  remedy: `resume with run id ${found}, or use another file`,
})

export const mixedRows = (
  place: { file: string; offset: number; line: number },
  { path, stored, current }: { path: string; stored: string; current: string },
): EvidenceRefusal => ({
  code: 'mixed_rows',
  ...place,
  message: `${place.file}: line ${place.line} was stored under other conditions than a line before it (${path}: ${current}, before ${stored})`,
  remedy: 'rows of different conditions must not be compared: keep the file for inspection and use a new run id',
})

export const cutFile = (file: string, sizeBytes: number, knownBytes: number): EvidenceRefusal => ({
  code: 'malformed_line',
  file,
  offset: sizeBytes,
  line: null,
  message: `${file}: it ends at byte ${sizeBytes}, but its rows reached byte ${knownBytes}: stored rows were cut off`,
  remedy: 'stop the other runs, restore the file from a copy, or use a new run id',
})

export const untrustedFileSystem = (file: string, type: string): EvidenceRefusal => ({
  code: 'untrusted_filesystem',
  file,
  offset: null,
  line: null,
  message: `${file}: it is on a network file system (${type}), whose locks cannot be trusted`,
  remedy: 'put the results folder on a local disk and copy the finished files to the network',
})

export const missingFile = (file: string): EvidenceRefusal => ({
  code: 'missing',
  file,
  offset: null,
  line: null,
  message: `${file}: there is no such file`,
  remedy: 'check the run id and the results folder',
})

export const unusableFile = (file: string, code: 'unreadable' | 'unwritable', problem: string): EvidenceRefusal => ({
  code,
  file,
  offset: null,
  line: null,
  message: `${file}: ${problem}`,
  remedy:
    code === 'unwritable'
      ? 'make the folder and the file writable, or choose another results folder'
      : 'check that the path names a file in an existing folder that you may read',
})

export const notTorn = (file: string): EvidenceRefusal => ({
  code: 'not_torn',
  file,
  offset: null,
  line: null,
  message: `${file}: it ends with a finished row, so there is nothing to recover`,
  remedy: 'resume the run',
})
