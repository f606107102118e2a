import { copyOf, fingerprint, IDENTITY_PARTS } from './row-identity.ts'
import { type RowKey, rowKeyOf } from './row-id.ts'
import { isFinalRow } from './retried-rows.ts'
import { decodeLine, sealOf, wrongId } from './row-line.ts'

/** Describes what a log must know of a line to index it. */
export interface RowHead {
  runId: string
  rowId: string
  key: RowKey
  /** False for a row that another one may replace: without an answer, or with one whose grading was refused. */
  isFinal: boolean
  /** Fingerprints of question, approach and reproducibility. */
  parts: readonly Buffer[]
}

type HeadOutcome = { ok: true; head: RowHead } | { ok: false; problem: string }

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN = 0x7b
const CLOSE = 0x7d
const MAX_CACHED_BYTES = 1 << 20

/** Offset just after the string whose first character is at `at`; -1 when it does not end. */
function stringEnd(line: Buffer, at: number): number {
  for (let index = at; index < line.length; index += 1) {
    const byte = line[index]
    if (byte === QUOTE) return index + 1
    if (byte === BACKSLASH) index += 1
  }
  return -1
}

/** Offset just after the JSON object that starts at `at`; -1 when there is none. */
function objectEnd(line: Buffer, at: number): number {
  if (line[at] !== OPEN) return -1
  let depth = 0
  for (let index = at; index < line.length; index += 1) {
    const byte = line[index]!
    if (byte === QUOTE) {
      index = stringEnd(line, index + 1) - 1
      if (index < 0) return -1
    } else if (byte === OPEN || byte === OPEN_LIST) depth += 1
    else if (byte === CLOSE || byte === CLOSE_LIST) {
      depth -= 1
      if (depth === 0) return index + 1
    }
  }
  return -1
}

/** A member of the row that many rows share. */
interface Section {
  bytes: Buffer
  digest: Buffer
  /** Its `id`, or for an approach its `model`. */
  id: string
}

/** Reads one member of every row and parses each different one once, within a bound of memory. */
class SectionReader {
  readonly #byText = new Map<string, Section>()
  #cachedBytes = 0
  #last: Section | null = null

  /** The object that starts at `at`; null when it is none. */
  read(line: Buffer, at: number): Section | null {
    const last = this.#last?.bytes
    // An object's text ends itself, so the same bytes are the same object.
    if (
      last !== undefined &&
      at + last.length <= line.length &&
      line.compare(last, 0, last.length, at, at + last.length) === 0
    )
      return this.#last
    const end = objectEnd(line, at)
    if (end === -1) return null
    const text = line.toString('latin1', at, end)
    this.#last = this.#byText.get(text) ?? this.#parse(text, line.subarray(at, end))
    return this.#last
  }

  #parse(text: string, view: Buffer): Section | null {
    let value: { id?: unknown; model?: unknown }
    try {
      value = JSON.parse(view.toString('utf8')) as typeof value
    } catch {
      return null
    }
    const section = { bytes: copyOf(view), digest: fingerprint(value), id: String(value.id ?? value.model) }
    if (this.#cachedBytes > MAX_CACHED_BYTES) {
      this.#byText.clear()
      this.#cachedBytes = 0
    }
    this.#byText.set(text, section)
    this.#cachedBytes += view.length
    return section
  }
}

/** Walks over the members of a line in their fixed order. */
class Cursor {
  readonly line: Buffer
  at = 1
  constructor(line: Buffer) {
    this.line = line
  }

  /** True when the member `field` comes next. */
  isAt(field: Buffer): boolean {
    const end = this.at + field.length
    return end <= this.line.length && this.line.compare(field, 0, field.length, this.at, end) === 0
  }

  /** Steps onto the value of the member `field`; false when another one is there. */
  enter(field: Buffer): boolean {
    const start = this.at
    this.at += field.length
    return this.at <= this.line.length && this.line.compare(field, 0, field.length, start, this.at) === 0
  }

  /** Steps past the value that ends before `end`, which must be followed by another member. */
  leave(end: number): boolean {
    this.at = end + 1
    return this.line[end] === COMMA
  }
}

const key = (name: string): Buffer => Buffer.from(`"${name}":`)
const VERSION = Buffer.concat([key('schema_version'), Buffer.from('1,'), key('runner_version')])
const RUN = key('run_id')
const ROW = key('row_id')
const REPEAT = key('repeat')
const RETRY = key('retry')
const FINAL = Buffer.concat([key('status'), Buffer.from('"ok",'), key('evidence')])
const SECTIONS = (['dataset', 'question', 'approach', 'reproducibility'] as const).map((name) => key(name))

/**
 * Reads the heads of a log's lines. A line whose checksum holds was fully checked when it was written, and its fields have a
 * known order: then only its first fields are looked at. Any other line is checked in full.
 */
export class HeadReader {
  readonly #sections = SECTIONS.map(() => new SectionReader())

  read(line: Buffer): HeadOutcome {
    return (sealOf(line) === 'intact' ? this.#readHead(line) : null) ?? this.#readFully(line)
  }

  /** Null when the line does not begin as the log writes it. */
  #readHead(line: Buffer): HeadOutcome | null {
    const cursor = new Cursor(line)
    if (!cursor.enter(VERSION) || !cursor.leave(line.indexOf(COMMA, cursor.at))) return null
    const runId = this.#text(cursor, RUN)
    const rowId = this.#text(cursor, ROW)
    if (runId === null || rowId === null) return null
    const repeat = this.#number(cursor, REPEAT, 1)
    const retry = this.#number(cursor, RETRY, 0)
    if (repeat === null || retry === null) return null
    const found: Section[] = []
    for (const [index, name] of SECTIONS.entries()) {
      const section = cursor.enter(name) ? this.#sections[index]!.read(line, cursor.at) : null
      if (section === null || !cursor.leave(cursor.at + section.bytes.length)) return null
      found.push(section)
    }
    const [dataset, question, approach, reproducibility] = found as [Section, Section, Section, Section]
    const names = { run_id: runId, dataset_id: dataset.id, question_id: question.id, model: approach.id }
    const rowKey: RowKey = { ...names, repeat, retry }
    const problem = wrongId(rowId, rowKey)
    if (problem !== null) return { ok: false, problem }
    const parts = [question.digest, approach.digest, reproducibility.digest]
    return { ok: true, head: { runId, rowId, key: rowKey, isFinal: cursor.isAt(FINAL), parts } }
  }

  /** The default when the member is absent; null when it is not a number. */
  #number(cursor: Cursor, name: Buffer, absent: number): number | null {
    if (!cursor.isAt(name)) return absent
    cursor.enter(name)
    const start = cursor.at
    const end = cursor.line.indexOf(COMMA, start)
    if (!cursor.leave(end)) return null
    const number = Number(cursor.line.toString('latin1', start, end))
    return Number.isInteger(number) ? number : null
  }

  /** An identifier or hash: text without escapes. */
  #text(cursor: Cursor, name: Buffer): string | null {
    if (!cursor.enter(name) || cursor.line[cursor.at] !== QUOTE) return null
    const start = cursor.at + 1
    const end = stringEnd(cursor.line, start)
    return end !== -1 && cursor.leave(end) ? cursor.line.toString('latin1', start, end - 1) : null
  }

  #readFully(line: Buffer): HeadOutcome {
    const decoded = decodeLine(line, 'quick')
    if (!decoded.ok) return decoded
    const { row } = decoded
    const parts = IDENTITY_PARTS.map((part) => fingerprint(row[part]))
    const { run_id: runId, row_id: rowId, repeat = 1, retry = 0 } = row
    return {
      ok: true,
      head: { runId, rowId, key: { ...rowKeyOf(row), repeat, retry }, isFinal: isFinalRow(row), parts },
    }
  }
}
