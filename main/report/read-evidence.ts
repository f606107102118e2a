import { isUtf8 } from 'node:buffer'
import { open, type FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { SCHEMA_VERSION, type CanonicalRow } from '../../contract/index.ts'
import { sealOf } from '../evidence/row-line.ts'
import { ReportError, type ReportErrorCode } from './report-error.ts'

const CHUNK_BYTES = 1 << 20
const NEWLINE = 10

/**
 * The rows of a closed evidence file in file order, as fast as JSON can be read. Checked are the checksum, the fields that a summary
 * addresses and that no row id comes twice; the full schema is the business of `validateArtifacts` and `verify`. Throws
 * `ReportError` with the line number. Memory grows with the longest line and 64 characters per row. Rows share their provenance object.
 */
export async function* readEvidenceRows(file: string): AsyncGenerator<CanonicalRow> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    throw new ReportError('unreadable', `${basename(file)} cannot be read`, { file }, cause)
  })
  try {
    yield* rowsOf(handle, file)
  } finally {
    await handle.close()
  }
}

async function* rowsOf(handle: FileHandle, file: string): AsyncGenerator<CanonicalRow> {
  const refuse = (code: ReportErrorCode, line: number, what: string): ReportError =>
    new ReportError(code, `${basename(file)}:${line}: ${what}`, { file, line })
  const parser = new RowParser()
  const seen = new Set<string>()
  let buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  let held = 0
  let line = 0
  for (;;) {
    if (held === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2)
    const { bytesRead } = await handle.read(buffer, held, buffer.length - held, null)
    if (bytesRead === 0) break
    const end = held + bytesRead
    let start = 0
    for (;;) {
      const newline = buffer.indexOf(NEWLINE, Math.max(start, held))
      if (newline === -1 || newline >= end) break
      line += 1
      const parsed = parser.parse(buffer.subarray(start, newline))
      if (!parsed.ok) throw refuse('malformed_line', line, parsed.problem)
      const { row } = parsed
      if (seen.has(row.row_id)) throw refuse('duplicate_row', line, `the row ${row.row_id} stands in the file twice`)
      seen.add(row.row_id)
      start = newline + 1
      yield row
    }
    buffer.copyWithin(0, start, end)
    held = end - start
  }
  if (held > 0) throw refuse('torn_tail', line + 1, 'the last line has no end: recover the file first')
}

type Parsed = { ok: true; row: CanonicalRow } | { ok: false; problem: string }

/** Parses lines; the provenance, which is the same and large in every row of a run, is parsed once and shared. */
class RowParser {
  #shared: { bytes: Buffer; value: unknown } | null = null

  parse(bytes: Buffer): Parsed {
    const seal = sealOf(bytes)
    if (seal === 'broken') return { ok: false, problem: 'the bytes do not match their checksum' }
    if (seal === 'absent' && !isUtf8(bytes)) return { ok: false, problem: 'not UTF-8' }
    let row: unknown
    try {
      row = this.#withShared(bytes) ?? JSON.parse(bytes.toString('utf8'))
    } catch {
      return { ok: false, problem: 'not JSON' }
    }
    if (!isReadable(row)) return { ok: false, problem: 'not a row of this schema' }
    if (row.reproducibility !== this.#shared?.value) this.#share(row, bytes)
    return { ok: true, row }
  }

  /** Null when the line does not have the shared provenance at its top level. Throws when it is not JSON. */
  #withShared(bytes: Buffer): unknown {
    if (this.#shared === null) return null
    const at = bytes.indexOf(this.#shared.bytes)
    if (at === -1) return null
    const rest = bytes.toString('utf8', at + this.#shared.bytes.length)
    const row: unknown = JSON.parse(`${bytes.toString('utf8', 0, at)}${PROVENANCE}null${rest}`)
    if (!isObject(row) || row['reproducibility'] !== null) return null
    row['reproducibility'] = this.#shared.value
    return row
  }

  #share({ reproducibility }: CanonicalRow, line: Buffer): void {
    const bytes = Buffer.from(PROVENANCE + JSON.stringify(reproducibility))
    if (line.includes(bytes)) this.#shared = { bytes, value: reproducibility }
  }
}

/** With its comma, so that it cannot begin inside a text: a quote would end that text. */
const PROVENANCE = ',"reproducibility":'

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function isReadable(value: unknown): value is CanonicalRow {
  if (!isObject(value) || value['schema_version'] !== SCHEMA_VERSION) return false
  const { dataset, question, approach, metrics, reproducibility } = value
  return (
    typeof value['run_id'] === 'string' &&
    typeof value['row_id'] === 'string' &&
    typeof value['status'] === 'string' &&
    isObject(dataset) &&
    isObject(question) &&
    isObject(approach) &&
    isObject(reproducibility) &&
    typeof question['id'] === 'string' &&
    Array.isArray(question['gold']) &&
    typeof approach['model'] === 'string' &&
    isObject(metrics) &&
    isObject(metrics['operational']) &&
    Array.isArray(metrics['operational']['attempts']) &&
    isObject(metrics['ragas']) &&
    isObject(metrics['ragas']['scores']) &&
    isObject(metrics['retrieval']) &&
    isObject(metrics['retrieval']['scores'])
  )
}
