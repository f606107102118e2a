/**
 * foreign_row: a row of another run, dataset or question list. duplicate_cell: two rows for one cell. mixed_provenance: rows that were made
 * under different conditions. no_rows: nothing is known about the dataset. malformed_line, duplicate_row, torn_tail, unreadable: the
 * evidence file. narrower_publication: it would delete published results that are wider. not_publishable: the artifacts did not pass validation. catalogue: `published` cannot be written. publish_busy: another
 * process publishes and does not come to an end.
 */
export type ReportErrorCode =
  | 'foreign_row'
  | 'duplicate_cell'
  | 'mixed_provenance'
  | 'no_rows'
  | 'malformed_line'
  | 'duplicate_row'
  | 'torn_tail'
  | 'unreadable'
  | 'narrower_publication'
  | 'not_publishable'
  | 'catalogue'
  | 'publish_busy'

/** Why a report cannot be written. `data` names file, line and byte offset where they exist. */
export class ReportError extends Error {
  override readonly name = 'ReportError'
  readonly code: ReportErrorCode
  readonly data: Readonly<Record<string, unknown>>

  constructor(code: ReportErrorCode, message: string, data: Readonly<Record<string, unknown>> = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.data = data
  }
}
