import { isUtf8 } from 'node:buffer'
import { open, type FileHandle } from 'node:fs/promises'
import { basename } from 'node:path'
import { SCHEMA_VERSION } from '../../contract/common.ts'
import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import { isObject, withCurrentNames } from '../../core/evidence/metric-names.ts'
import { remedyFor } from '../../core/remedy.ts'
import { handedOver } from '../evaluation/handed-over.ts'
import { MIXED_SEALS, sealOf, unsealedProblem, type SealState } from '../evidence/rows/row-line.ts'
import { InternedRows, type FigureRow } from '../evidence/rows/interned-rows.ts'
import { supersededRowsOf, type SupersededRows } from '../evidence/rows/retried-rows.ts'
import { isOpenGrading } from './aggregate/grading-refusal.ts'
import { ReportError, type ReportErrorCode } from './report-error.ts'

/** Describes a file whose last line was not written to its end. */
export const TORN_END = 'the last line has no end'

const CHUNK_BYTES = 1 << 20
const NEWLINE = 10

/**
 * The rows that count of a closed evidence file in file order (of a cell that was tried again, the last one), as fast as JSON can be read. It checks the checksums, the fields that a summary
 * reads and that no row id comes twice; `validateArtifacts` and `verify` check the full schema. Throws
 * `ReportError` with the line number. Memory grows with the longest line and 64 characters per row. Rows share
 * what they have in common.
 */
export async function* readEvidenceRows(file: string): AsyncGenerator<CanonicalRow> {
  for await (const rows of rowsIn(file, new LineParser((rows, line) => rows.read(line)))) yield* rows
}

/** The same rows without their answers and contexts, several at a time, in half the time: for figures only. */
export function readFigureRows(file: string): AsyncGenerator<FigureRow[]> {
  return rowsIn(file, new LineParser(quickFigures))
}

async function* rowsIn<Row extends FigureRow>(file: string, parser: LineParser<Row>): AsyncGenerator<Row[]> {
  const handle = await open(file, 'r').catch((cause: unknown) => {
    throw new ReportError('unreadable', `${basename(file)} cannot be read`, { file }, cause)
  })
  try {
    yield* linesOf(handle, file, parser, await supersededRowsOf(file))
  } finally {
    await handle.close()
  }
}

async function* linesOf<Row extends FigureRow>(
  handle: FileHandle,
  file: string,
  parser: LineParser<Row>,
  superseded: SupersededRows,
): AsyncGenerator<Row[]> {
  const refuse = (code: ReportErrorCode, line: number, what: string): ReportError =>
    new ReportError(code, `${basename(file)}:${line}: ${what}`, { file, line })
  const seen = new Set<string>()
  let line = 0
  /** The beginning of a line that continues in the next chunk. */
  let begun: Buffer[] = []
  // The stream reads the next chunk while this one is parsed.
  for await (const chunk of handle.createReadStream({
    highWaterMark: CHUNK_BYTES,
    autoClose: false,
  }) as AsyncIterable<Buffer>) {
    let start = 0
    // A chunk's rows at once: to wait for each of them takes a tenth of the time.
    const rows: Row[] = []
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const rest = chunk.subarray(start, end)
      const parsed = parser.parse(begun.length === 0 ? rest : Buffer.concat([...begun, rest]))
      begun = []
      start = end + 1
      line += 1
      if (!parsed.ok) {
        yield rows
        throw refuse('malformed_line', line, parsed.problem)
      }
      const { row } = parsed
      if (seen.has(row.row_id)) {
        yield rows
        throw refuse('duplicate_row', line, `duplicate row ${row.row_id} in this file`)
      }
      seen.add(row.row_id)
      if (!superseded.has(row.row_id)) rows.push(row)
    }
    yield rows
    if (start < chunk.length) begun.push(chunk.subarray(start))
  }
  if (begun.length > 0) throw refuse('torn_tail', line + 1, `${TORN_END}: ${moveTornBytes()}`)
}

const moveTornBytes = (): string =>
  remedyFor({ panel: 'move its torn bytes aside first', commandLine: 'recover the file first (rag-ladder recover)' })

type Parsed<Row> = { ok: true; row: Row } | { ok: false; problem: string }

/** Reads a line whose checksum holds, quickly; null when it must be read whole. */
type QuickRead<Row> = (rows: InternedRows, line: Buffer) => Row | null

/** Parses lines; what rows of a run have in common is parsed once and shared. */
class LineParser<Row extends FigureRow> {
  readonly #rows = new InternedRows()
  readonly #quick: QuickRead<Row>
  /** Of the first line; the others have the same. */
  #seal: SealState | undefined

  constructor(quick: QuickRead<Row>) {
    this.#quick = quick
  }

  parse(line: Buffer): Parsed<Row> {
    const seal = sealOf(line)
    if (seal === 'broken') return { ok: false, problem: 'the bytes do not match their checksum' }
    if (seal === 'absent' && !isUtf8(line)) return { ok: false, problem: 'not UTF-8' }
    if (seal !== (this.#seal ??= seal)) return { ok: false, problem: MIXED_SEALS }
    const quick = seal === 'intact' ? this.#quick(this.#rows, line) : null
    if (quick !== null) return isReadable(quick) ? { ok: true, row: quick } : NO_ROW
    let row: unknown
    try {
      row = withCurrentNames(JSON.parse(line.toString('utf8')))
    } catch {
      return { ok: false, problem: 'not JSON' }
    }
    const unsealed = seal === 'absent' ? unsealedProblem(row) : null
    if (unsealed !== null) return { ok: false, problem: unsealed }
    if (!isReadable(row)) return NO_ROW
    this.#rows.learn(row, line)
    return { ok: true, row: row as Row }
  }
}

const NO_ROW = { ok: false, problem: 'not a row of this schema' } as const

const quickFigures: QuickRead<FigureRow> = (rows, line) => {
  const figures = rows.readFigures(line)
  if (figures === null) return null
  const isOpen = isReadable(figures) && isOpenGrading(figures.metrics.ragas)
  if (figures.handed !== undefined && !isOpen) return figures
  const row = rows.read(line)
  if (row === null) return null
  const { handed = handedOver(row) } = figures
  return { ...figures, handed, ...(isOpen && row.trace !== undefined ? { trace: row.trace } : {}) }
}

function isReadable(value: unknown): value is FigureRow {
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
