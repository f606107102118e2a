import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { RowIndex } from './row-index.ts'

/** The stored rows of a run in their order, wherever they are stored: an index in memory, and the rows themselves one by one. */
export interface StoredRows {
  /** States where they are, for messages. */
  readonly path: string
  readonly index: RowIndex
  /** The row with that number. Throws `damaged` when its bytes are not those that were stored. */
  readAt(ordinal: number): Promise<CanonicalRow>
}
