import type { CanonicalRow } from '../../contract/index.ts'
import { rowKeyOf } from '../evidence/row-id.ts'
import { decodeLine, sealOf, wrongId, type Decoded } from '../evidence/row-line.ts'
import { InternedRows } from '../evidence/interned-rows.ts'
import { cellRecord, type CellRecord } from './cell-record.ts'

export type Parsed = { ok: true; row: CanonicalRow; record: CellRecord } | { ok: false; problem: string }

/** Lines of evidence → what the index keeps; rows of a file share what they have in common. */
export class RowParser {
  readonly #rows = new InternedRows()

  parse(line: Buffer): Parsed {
    const decoded = this.#decode(line)
    if (!decoded.ok) return decoded
    try {
      return { ok: true, row: decoded.row, record: cellRecord(decoded.row) }
    } catch (error) {
      // The checksum holds, but whoever made the line did not keep to the schema: say where.
      const checked = decodeLine(line, 'full')
      if (!checked.ok) return checked
      throw error
    }
  }

  #decode(line: Buffer): Decoded {
    const row = sealOf(line) === 'intact' ? this.#rows.read(line) : null
    if (row !== null) {
      const problem = wrongId(row.row_id, rowKeyOf(row))
      return problem === null ? { ok: true, row } : { ok: false, problem }
    }
    const decoded = decodeLine(line, 'quick')
    if (decoded.ok) this.#rows.learn(decoded.row, line)
    return decoded
  }
}
