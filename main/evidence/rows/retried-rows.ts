import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { nodeFileOps } from '../files/file-ops.ts'
import { scanLines } from '../files/line-file.ts'
import { type RowKey, rowId, rowKeyOf } from './row-id.ts'
import { decodeLine } from './row-line.ts'

// Which row of a cell counts. A cell that failed, or whose grading was refused, can be tried again by a later run of the same id: its new row has the next
// `retry` number and a row id of its own, and the earlier row stays in the file. Of the rows of one cell the one with the highest number counts. Every reader of
// evidence skips the others by this file: the open log, the reports, the index and `verify` (decision 097).

/** The rows that other rows of the same cell replace, by row id. */
export class SupersededRows {
  readonly #rowIds = new Set<string>()

  has(rowId: string): boolean {
    return this.#rowIds.has(rowId)
  }

  /** Takes in a stored row. Returns the ids of the rows that it replaces; most rows replace none. */
  add(key: RowKey): readonly string[] {
    const { retry = 0 } = key
    if (retry === 0) return []
    const earlier = Array.from({ length: retry }, (_, number) => rowId({ ...key, retry: number }))
    for (const id of earlier) this.#rowIds.add(id)
    return earlier
  }
}

/** False for a row that another one may replace: without an answer, or with one whose grading was refused. */
export const isFinalRow = ({ status, grading_refused: isRefused }: CanonicalRow): boolean =>
  status === 'ok' && isRefused !== true

/** The problem of a row that would replace one with an answer, which is final. */
export const answerReplaced = (replacedRowId: string): string =>
  `it tries a cell again whose row ${replacedRowId} has an answer`

const RETRY = Buffer.from('"retry":')

/**
 * The replaced rows of a file, or of its first `bytes`. Only lines that may be a retry are parsed; a line that cannot be used is left to the reader of the rows. Rejects
 * with the system's error when the file cannot be read.
 */
export async function supersededRowsOf(path: string, bytes?: number): Promise<SupersededRows> {
  const superseded = new SupersededRows()
  const file = await nodeFileOps.openRead(path)
  try {
    await scanLines(file, { from: 0, to: bytes ?? file.state().sizeBytes }, (line) => {
      if (!line.includes(RETRY)) return
      const decoded = decodeLine(line, 'quick')
      if (decoded.ok) superseded.add(rowKeyOf(decoded.row))
    })
  } finally {
    await file.close()
  }
  return superseded
}
