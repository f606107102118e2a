import { SCHEMA_VERSION, type CanonicalRow } from '../../contract/index.ts'
import { decodeLine, sealOf, wrongId, type Decoded } from '../evidence/row-line.ts'
import { cellRecord, type CellRecord } from './cell-record.ts'
import { SharedSection } from './shared-section.ts'

export type Parsed = { ok: true; row: CanonicalRow; record: CellRecord } | { ok: false; problem: string }

const QUOTE = Buffer.from('"')
const ROW_ID_BYTES = 64

/** What stands between the members that rows share; the log writes a row's members in this order. */
const BEFORE_QUESTION = Buffer.from(',"question":')
const BEFORE_APPROACH = Buffer.from(',"approach":')
const BEFORE_PROVENANCE = Buffer.from(',"reproducibility":')
const BEFORE_REST = Buffer.from(',"status":')

/**
 * Lines of evidence → what the index keeps. Dataset, question, approach and provenance stand alike in many rows of a file and are more than
 * half of a short one: their bytes are compared with those of rows before, and only the rest is parsed. Such rows share these objects.
 */
export class RowParser {
  /** From the beginning of the line to the row id, and from behind it to the end of the dataset. */
  #head: { bytes: Buffer; dataset: Buffer; row: CanonicalRow } | null = null
  readonly #questions = new SharedSection<CanonicalRow['question']>(8, { cycles: false })
  readonly #approaches = new SharedSection<CanonicalRow['approach']>(64, { cycles: true })
  readonly #provenance = new SharedSection<CanonicalRow['reproducibility']>(4, { cycles: false })

  parse(line: Buffer): Parsed {
    const decoded = this.#fromShared(line) ?? this.#whole(line)
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

  #whole(line: Buffer): Decoded {
    const decoded = decodeLine(line, 'quick')
    if (decoded.ok) this.#learn(decoded.row, line)
    return decoded
  }

  /** Null when the line does not begin as the rows before it, or is not certain to be one of the log's own. */
  #fromShared(line: Buffer): Decoded | null {
    if (this.#head === null || sealOf(line) !== 'intact') return null
    const { bytes, dataset, row } = this.#head
    if (!standsAt(line, 0, bytes)) return null
    const behindId = bytes.length + ROW_ID_BYTES
    if (!standsAt(line, behindId, dataset)) return null
    const questionAt = behindId + dataset.length
    const question = this.#questions.find(line, questionAt) ?? this.#nextQuestion(line, questionAt)
    const approach = question && this.#approaches.find(line, question.end)
    const provenance = approach && this.#provenance.find(line, approach.end)
    if (!provenance) return null
    const row_id = line.toString('latin1', bytes.length, behindId)
    const { run_id } = row
    const key = { run_id, dataset_id: row.dataset.id, question_id: question.value.id, model: approach.value.model }
    const problem = wrongId(row_id, key)
    if (problem !== null) return { ok: false, problem }
    let parsed: CanonicalRow
    try {
      parsed = JSON.parse(`{"status":${line.toString('utf8', provenance.end)}`) as CanonicalRow
    } catch {
      return null
    }
    const { checksum: _, ...rest } = parsed
    const { schema_version, runner_version } = row
    const shared = {
      schema_version,
      runner_version,
      run_id,
      row_id,
      dataset: row.dataset,
      question: question.value,
      approach: approach.value,
      reproducibility: provenance.value,
    }
    return { ok: true, row: Object.assign(rest, shared) }
  }

  /** A question that no row before had: each does once, and the rest of such a row is known all the same. */
  #nextQuestion(line: Buffer, at: number): { value: CanonicalRow['question']; end: number } | null {
    const behind = line.indexOf(BEFORE_APPROACH, at)
    if (behind === -1) return null
    let value: unknown
    try {
      value = JSON.parse(line.toString('utf8', at, behind))
    } catch {
      return null
    }
    if (typeof value !== 'object' || value === null) return null
    const question = value as CanonicalRow['question']
    const end = this.#questions.learn(question, line, at, BEFORE_APPROACH)
    return end === -1 ? null : { value: question, end }
  }

  /** Remembers the members of a row, when they stand in its line as they must to be compared. */
  #learn(row: CanonicalRow, line: Buffer): void {
    const { runner_version, run_id, row_id } = row
    const bytes = Buffer.from(
      `{"schema_version":${SCHEMA_VERSION},"runner_version":${runner_version},"run_id":${JSON.stringify(run_id)},"row_id":"`,
    )
    const dataset = Buffer.concat([QUOTE, Buffer.from(`,"dataset":${JSON.stringify(row.dataset)}`), BEFORE_QUESTION])
    const datasetAt = bytes.length + row_id.length
    if (!standsAt(line, 0, bytes) || !standsAt(line, datasetAt, dataset)) return
    this.#head = { bytes, dataset, row }
    let at = this.#questions.learn(row.question, line, datasetAt + dataset.length, BEFORE_APPROACH)
    if (at !== -1) at = this.#approaches.learn(row.approach, line, at, BEFORE_PROVENANCE)
    if (at !== -1) this.#provenance.learn(row.reproducibility, line, at, BEFORE_REST)
  }
}

const standsAt = (line: Buffer, at: number, bytes: Buffer): boolean =>
  at + bytes.length <= line.length && line.compare(bytes, 0, bytes.length, at, at + bytes.length) === 0
