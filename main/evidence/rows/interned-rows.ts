import { SCHEMA_VERSION } from '../../../contract/common.ts'
import type { CanonicalRow, ContextText } from '../../../contract/evidence/canonical-row.ts'
import type { Derivation } from '../../../contract/evidence/derivation.ts'
import { withCurrentNames } from '../../../core/evidence/metric-names.ts'

interface Known<Value> {
  /** The member's JSON with what follows it, so that a longer value cannot match it. */
  bytes: Buffer
  value: Value
}

/** The last few different values of one member, found again by their bytes. */
class InternedSection<Value> {
  readonly #following: Buffer
  readonly #known: Known<Value>[] = []
  readonly #size: number
  readonly #cycles: boolean
  /** States where the search begins. */
  #next = 0

  /** `following`: the bytes after the member in a line. `cycles`: the values alternate, else the same one comes several times in a row. */
  constructor(following: string, size: number, { cycles }: { cycles: boolean }) {
    this.#following = Buffer.from(following)
    this.#size = size
    this.#cycles = cycles
  }

  /** The value at `at`, and the offset after it and `following`; null when there is no value followed by `following`. */
  take(line: Buffer, at: number): { value: Value; end: number } | null {
    const count = this.#known.length
    for (let step = 0; step < count; step += 1) {
      const place = (this.#next + step) % count
      const { bytes, value } = this.#known[place]!
      const end = at + bytes.length
      if (end > line.length || line.compare(bytes, 0, bytes.length, at, end) !== 0) continue
      this.#next = this.#cycles ? place + 1 : place
      return { value, end }
    }
    return this.#learn(line, at)
  }

  #learn(line: Buffer, at: number): { value: Value; end: number } | null {
    const close = line.indexOf(this.#following, at)
    if (close === -1) return null
    let parsed: unknown
    try {
      // The same bytes may also occur inside the member: the text up to there is then incomplete and not JSON.
      parsed = JSON.parse(line.toString('utf8', at, close))
    } catch {
      return null
    }
    if (typeof parsed !== 'object' || parsed === null) return null
    const value = parsed as Value
    const end = close + this.#following.length
    const known = { bytes: Buffer.from(line.subarray(at, end)), value }
    if (this.#known.length < this.#size) this.#next = this.#known.push(known) - 1
    else this.#known[(this.#next = (this.#next + 1) % this.#size)] = known
    if (this.#cycles) this.#next = (this.#next + 1) % this.#known.length
    return { value, end }
  }
}

const QUOTE = Buffer.from('"')
const ROW_ID_BYTES = 64

// The bytes between the members of a row; the log writes them in this order.
const BEFORE_QUESTION = Buffer.from(',"question":')
const BEFORE_APPROACH = ',"approach":'
const BEFORE_PROVENANCE = ',"reproducibility":'
const BEFORE_REST = ',"status":'
/** Quotes within a text are escaped, so neither can occur in one. */
const BEFORE_EVIDENCE = ',"evidence":'
const BEFORE_DERIVATIONS = Buffer.from(',"derivations":')
const AFTER_DERIVATIONS = ',"token_usage":'
const BEFORE_METRICS = ',"metrics":{"operational":'

/** Describes how much text an answer was written from. */
export interface HandedOver {
  /** Null where the platform does not report it and the row holds none of it. */
  tokens: number | null
  by: string | null
  /** Facts found at each budget of the curve; null where the question has no gold fact, or nothing is known of the contexts. */
  curve: readonly number[] | null
}

/**
 * A row without its answer and contexts: all that figures are made of. `handed` is absent where only the texts give it, null without an answer;
 * `derivations` is absent where the row has none.
 */
export type FigureRow = Omit<CanonicalRow, 'evidence'> & {
  handed?: HandedOver | null
  derivations?: readonly Derivation[]
}

/** Describes what a line has in common with others; where its own row id is, and where the rest of it begins. */
interface Shared extends Pick<CanonicalRow, 'question' | 'approach' | 'reproducibility'> {
  head: FigureRow
  idAt: number
  end: number
}

type Rest = Pick<
  CanonicalRow,
  'status' | 'grading_refused' | 'evidence' | 'trace' | 'metrics' | 'finished_at' | 'error' | 'derived_from'
>

/** Returns what follows `"status":` in a line; null when it is no JSON. */
function parsedRest(text: string): Rest | null {
  try {
    return withCurrentNames(JSON.parse(`{"status":${text}`) as Rest)
  } catch {
    return null
  }
}

/** False where the platform sent only the start of some contexts: what was handed over is not known from them. */
export const holdsWholeTexts = ({ context_text: text }: { context_text?: ContextText | undefined }): boolean =>
  text === undefined || text === 'full'

const HANDED = /^,"evidence":\{"context_tokens":(\d+|null),"context_tokens_by":("(?:[^"\\]|\\.)*"|null),/
const MOST_HANDED_BYTES = 400

/** Returns what the start of the evidence records of the text handed over; undefined where it does not. */
function handedIn(start: string, { status, metrics }: Rest): HandedOver | null | undefined {
  if (status !== 'ok') return null
  const found = HANDED.exec(start)
  if (found === null) return undefined
  const [tokens, by] = found.slice(1).map((text) => JSON.parse(text) as unknown) as [number | null, string | null]
  const isKnown = tokens !== null && holdsWholeTexts(metrics)
  return { tokens, by, curve: isKnown ? (metrics.retrieval.budget_curve ?? null) : null }
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
  if (rest.grading_refused === true) row.grading_refused = true
  if (rest.derived_from !== undefined) row.derived_from = rest.derived_from
  return row
}

/**
 * Reads lines whose checksum holds. Dataset, question, approach and provenance are equal in many rows of a file and are more than half of a
 * short one: their bytes are compared with those of rows before, and only the rest is parsed. Such rows share these objects.
 */
export class InternedRows {
  /** From the beginning of the line to the row id, and from after it to the end of the dataset. */
  #head: { bytes: Buffer; dataset: Buffer; row: FigureRow } | null = null
  readonly #questions = new InternedSection<CanonicalRow['question']>(BEFORE_APPROACH, 8, { cycles: false })
  readonly #approaches = new InternedSection<CanonicalRow['approach']>(BEFORE_PROVENANCE, 64, { cycles: true })
  readonly #provenance = new InternedSection<CanonicalRow['reproducibility']>(BEFORE_REST, 4, { cycles: false })

  readonly #derivations = new InternedSection<Derivation[]>(AFTER_DERIVATIONS, 16, { cycles: true })

  /** Null when the line does not begin as the rows before it: it must be parsed completely and then passed to `learn`. */
  read(line: Buffer): CanonicalRow | null {
    const shared = this.#shared(line)
    if (shared === null) return null
    const rest = parsedRest(line.toString('utf8', shared.end))
    if (rest === null) return null
    const row: CanonicalRow = { ...figuresOf(line, shared, rest), evidence: rest.evidence }
    if (rest.trace !== undefined) row.trace = rest.trace
    return row
  }

  /** The same without the answer and its contexts, which are most of a line and not parsed at all. */
  readFigures(line: Buffer): FigureRow | null {
    const shared = this.#shared(line)
    if (shared === null) return null
    const evidence = line.indexOf(BEFORE_EVIDENCE, shared.end)
    // The last one is the row's own member or a nested one; after a nested one the braces do not balance, so the text is not JSON.
    const metrics = line.lastIndexOf(BEFORE_METRICS)
    if (evidence === -1 || metrics < evidence) return null
    const rest = parsedRest(line.toString('utf8', shared.end, evidence) + line.toString('utf8', metrics))
    if (rest === null) return null
    const handed = handedIn(line.toString('utf8', evidence, evidence + MOST_HANDED_BYTES), rest)
    const row = figuresOf(line, shared, rest)
    if (handed !== undefined) row.handed = handed
    const derivations = this.#derivationsIn(line, evidence, metrics)
    if (derivations !== null) row.derivations = derivations
    return row
  }

  /** The records of what answered, between the texts of the evidence and its end; quotes in texts are escaped. */
  #derivationsIn(line: Buffer, evidence: number, metrics: number): Derivation[] | null {
    const at = line.lastIndexOf(BEFORE_DERIVATIONS, metrics)
    return at < evidence ? null : (this.#derivations.take(line, at + BEFORE_DERIVATIONS.length)?.value ?? null)
  }

  #shared(line: Buffer): Shared | null {
    if (this.#head === null) return null
    const { bytes, dataset, row } = this.#head
    if (!hasBytesAt(line, 0, bytes)) return null
    const idAt = bytes.length
    const behindId = idAt + ROW_ID_BYTES
    if (!hasBytesAt(line, behindId, dataset)) return null
    const question = this.#questions.take(line, behindId + dataset.length)
    const approach = question && this.#approaches.take(line, question.end)
    const provenance = approach && this.#provenance.take(line, approach.end)
    if (!provenance) return null
    const { value: reproducibility, end } = provenance
    return { head: row, idAt, question: question.value, approach: approach.value, reproducibility, end }
  }

  /** Remembers how the lines of a file begin, when the members of this one are written as the comparison needs them. */
  learn(row: FigureRow, line: Buffer): void {
    const { runner_version, run_id, row_id } = row
    const bytes = Buffer.from(
      `{"schema_version":${SCHEMA_VERSION},"runner_version":${runner_version},"run_id":${JSON.stringify(run_id)},"row_id":"`,
    )
    const dataset = Buffer.concat([QUOTE, Buffer.from(`,"dataset":${JSON.stringify(row.dataset)}`), BEFORE_QUESTION])
    const datasetAt = bytes.length + row_id.length
    if (!hasBytesAt(line, 0, bytes) || !hasBytesAt(line, datasetAt, dataset)) return
    this.#head = { bytes, dataset, row }
  }
}

const hasBytesAt = (line: Buffer, at: number, bytes: Buffer): boolean =>
  at + bytes.length <= line.length && line.compare(bytes, 0, bytes.length, at, at + bytes.length) === 0
