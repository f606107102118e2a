import { SCHEMA_VERSION, withCurrentNames, type CanonicalRow } from '../../contract/index.ts'
import { SharedSection } from './shared-section.ts'

const QUOTE = Buffer.from('"')
const ROW_ID_BYTES = 64

// What stands between the members of a row; the log writes them in this order.
const BEFORE_QUESTION = Buffer.from(',"question":')
const BEFORE_APPROACH = ',"approach":'
const BEFORE_PROVENANCE = ',"reproducibility":'
const BEFORE_REST = ',"status":'
/** Quotes within a text are escaped, so neither can stand in one. */
const BEFORE_EVIDENCE = ',"evidence":'
const BEFORE_METRICS = ',"metrics":{"operational":'

/** A row without its answer and contexts: all that figures are made of. */
export type FigureRow = Omit<CanonicalRow, 'evidence'>

/** What a line has in common with others; where its own row id stands, and where the rest of it begins. */
interface Shared extends Pick<CanonicalRow, 'question' | 'approach' | 'reproducibility'> {
  head: FigureRow
  idAt: number
  end: number
}

type Rest = Pick<CanonicalRow, 'status' | 'evidence' | 'metrics' | 'finished_at' | 'error' | 'derived_from'>

/** What follows `"status":` in a line; null when it is no JSON. */
function parsedRest(text: string): Rest | null {
  try {
    return withCurrentNames(JSON.parse(`{"status":${text}`) as Rest)
  } catch {
    return null
  }
}

/** Member by member, because a copy with one member left out takes longer than everything else here. */
function figuresOf(line: Buffer, shared: Shared, rest: Rest): FigureRow {
  const { head, idAt, question, approach, reproducibility } = shared
  const row: FigureRow = {
    schema_version: head.schema_version,
    runner_version: head.runner_version,
    run_id: head.run_id,
    row_id: line.toString('latin1', idAt, idAt + ROW_ID_BYTES),
    dataset: head.dataset,
    question,
    approach,
    reproducibility,
    status: rest.status,
    metrics: rest.metrics,
    finished_at: rest.finished_at,
    error: rest.error,
  }
  if (rest.derived_from !== undefined) row.derived_from = rest.derived_from
  return row
}

/**
 * Reads lines whose checksum holds. Dataset, question, approach and provenance stand alike in many rows of a file and are more than half of a
 * short one: their bytes are compared with those of rows before, and only the rest is parsed. Such rows share these objects.
 */
export class SharedRows {
  /** From the beginning of the line to the row id, and from behind it to the end of the dataset. */
  #head: { bytes: Buffer; dataset: Buffer; row: FigureRow } | null = null
  readonly #questions = new SharedSection<CanonicalRow['question']>(BEFORE_APPROACH, 8, { cycles: false })
  readonly #approaches = new SharedSection<CanonicalRow['approach']>(BEFORE_PROVENANCE, 64, { cycles: true })
  readonly #provenance = new SharedSection<CanonicalRow['reproducibility']>(BEFORE_REST, 4, { cycles: false })

  /** Null when the line does not begin as the rows before it: it must be read whole, and learnt. */
  read(line: Buffer): CanonicalRow | null {
    const shared = this.#shared(line)
    if (shared === null) return null
    const rest = parsedRest(line.toString('utf8', shared.end))
    return rest === null ? null : { ...figuresOf(line, shared, rest), evidence: rest.evidence }
  }

  /** The same without the answer and its contexts, which are most of a line and not parsed at all. */
  readFigures(line: Buffer): FigureRow | null {
    const shared = this.#shared(line)
    if (shared === null) return null
    const evidence = line.indexOf(BEFORE_EVIDENCE, shared.end)
    // The last one is the row's own, or lies deeper: then what follows it closes more than it opens, and is no JSON.
    const metrics = line.lastIndexOf(BEFORE_METRICS)
    if (evidence === -1 || metrics < evidence) return null
    const rest = parsedRest(line.toString('utf8', shared.end, evidence) + line.toString('utf8', metrics))
    return rest === null ? null : figuresOf(line, shared, rest)
  }

  #shared(line: Buffer): Shared | null {
    if (this.#head === null) return null
    const { bytes, dataset, row } = this.#head
    if (!standsAt(line, 0, bytes)) return null
    const idAt = bytes.length
    const behindId = idAt + ROW_ID_BYTES
    if (!standsAt(line, behindId, dataset)) return null
    const question = this.#questions.take(line, behindId + dataset.length)
    const approach = question && this.#approaches.take(line, question.end)
    const provenance = approach && this.#provenance.take(line, approach.end)
    if (!provenance) return null
    const { value: reproducibility, end } = provenance
    return { head: row, idAt, question: question.value, approach: approach.value, reproducibility, end }
  }

  /** Remembers how the lines of a file begin, when this one's members stand in it as they must to be compared. */
  learn(row: FigureRow, line: Buffer): void {
    const { runner_version, run_id, row_id } = row
    const bytes = Buffer.from(
      `{"schema_version":${SCHEMA_VERSION},"runner_version":${runner_version},"run_id":${JSON.stringify(run_id)},"row_id":"`,
    )
    const dataset = Buffer.concat([QUOTE, Buffer.from(`,"dataset":${JSON.stringify(row.dataset)}`), BEFORE_QUESTION])
    const datasetAt = bytes.length + row_id.length
    if (!standsAt(line, 0, bytes) || !standsAt(line, datasetAt, dataset)) return
    this.#head = { bytes, dataset, row }
  }
}

const standsAt = (line: Buffer, at: number, bytes: Buffer): boolean =>
  at + bytes.length <= line.length && line.compare(bytes, 0, bytes.length, at, at + bytes.length) === 0
