import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { cutFile, duplicateRow, EvidenceError, foreignRun, malformedLine, RefusalError } from '../errors.ts'
import type { FileOps, LogFile } from '../files/file-ops.ts'
import { appendWhole, lastLineEnd, moveTail, readWhole, scanLines, undoAppend } from '../files/line-file.ts'
import { answerReplaced } from './retried-rows.ts'
import { HeadReader } from './row-head.ts'
import { RowIndex } from './row-index.ts'
import { decodeLine } from './row-line.ts'
import type { StoredRows } from './stored-rows.ts'

// The evidence file: one row, one line, appended and never changed.
//
// A process checks every line once, when it opens the file and as others append, and keeps in memory where each row is and the
// fingerprints of what a resume compares (about 250 bytes per row). Rows themselves stay on disk and are read by offset.

const READ_AHEAD_BYTES = 1 << 20

/** A row and its line, ready to be written. */
export interface SealedRow {
  row: CanonicalRow
  line: Buffer
}

/**
 * The open evidence file and what this process knows of it: an index of its first `knownBytes`, which never change any more. Calls of
 * `scanTo`, `refresh` and the writing methods must not overlap.
 */
export class RowFile implements StoredRows {
  readonly path: string
  #runId: string | null
  readonly #ops: FileOps
  readonly #file: LogFile
  readonly #heads = new HeadReader()
  readonly index = new RowIndex()
  #knownBytes = 0

  /** With `runId` null the first row defines which run it is. */
  constructor(path: string, runId: string | null, ops: FileOps, file: LogFile) {
    this.path = path
    this.#runId = runId
    this.#ops = ops
    this.#file = file
  }

  get knownBytes(): number {
    return this.#knownBytes
  }

  has(rowId: string): boolean {
    return this.index.find(rowId) !== -1
  }

  /** Checks and indexes the lines up to `end`, which must be complete and final. Throws `RefusalError`; the index then ends before the damage. */
  async scanTo(end: number, signal?: AbortSignal): Promise<void> {
    const { index } = this
    const from = this.#knownBytes
    if (end <= from) return
    await scanLines(
      this.#file,
      { from, to: end },
      (line, offset) => {
        const position = { file: this.path, offset, line: index.count + 1 }
        const outcome = this.#heads.read(line)
        if (!outcome.ok) throw new RefusalError(malformedLine(this.path, offset, position.line, outcome.problem))
        const { runId, rowId } = outcome.head
        this.#runId ??= runId
        if (runId !== this.#runId) throw new RefusalError(foreignRun(position, runId, this.#runId))
        const replaced = index.answerReplacedBy(outcome.head)
        if (replaced !== null)
          throw new RefusalError(malformedLine(this.path, offset, position.line, answerReplaced(replaced)))
        if (!index.add(outcome.head, { offset, length: line.length }))
          throw new RefusalError(duplicateRow(this.path, offset, position.line, rowId))
      },
      signal,
    )
    this.#knownBytes = end
  }

  /** False when the file was removed or replaced: what is appended to it now would be lost. */
  isIntact(): boolean {
    return this.#ops.state(this.path)?.identity === this.#file.state().identity
  }

  /** Returns where the finished lines end, looking at bytes beyond `markBytes` only. Throws `RefusalError` when stored bytes are gone. */
  async finishedEnd(markBytes: number): Promise<{ endBytes: number; sizeBytes: number }> {
    const { sizeBytes } = this.#file.state()
    const from = Math.max(this.knownBytes, markBytes)
    if (sizeBytes < from) throw new RefusalError(cutFile(this.path, sizeBytes, from))
    return { sizeBytes, endBytes: await lastLineEnd(this.#file, { from, to: sizeBytes }) }
  }

  /**
   * Under the log's lock: moves away what a dying writer left unfinished, makes sure that everything else is on stable storage, and
   * indexes it. `markBytes` are known to be synced. Returns the name of the file with the unfinished bytes, if there were any.
   */
  async refresh(markBytes: number): Promise<string | null> {
    const { endBytes, sizeBytes } = await this.finishedEnd(markBytes)
    const movedTo = endBytes < sizeBytes ? await moveTail(this.#ops, this.path, this.#file, endBytes) : null
    if (endBytes > markBytes) await this.#file.sync()
    await this.scanTo(endBytes)
    return movedTo
  }

  /** Appends lines, all or none; `sync` is still to come. Throws as `appendWhole` does. */
  async append(rows: readonly SealedRow[]): Promise<void> {
    const bytes = Buffer.concat(rows.map(({ line }) => line))
    await appendWhole(this.#ops, this.path, this.#file, bytes, this.knownBytes)
  }

  sync(): Promise<void> {
    return this.#file.sync()
  }

  undoAppend(cause: unknown): Promise<void> {
    return undoAppend(this.#ops, this.path, this.knownBytes, cause)
  }

  /** After the sync: the rows given to `append` are in the log now. */
  accept(rows: readonly SealedRow[]): void {
    for (const { row, line } of rows) {
      const outcome = this.#heads.read(line.subarray(0, -1))
      if (!outcome.ok) throw new Error(`${row.row_id} was written as a line that cannot be read: ${outcome.problem}`)
      this.index.add(outcome.head, { offset: this.#knownBytes, length: line.length - 1 })
      this.#knownBytes += line.length
    }
  }

  /** The row with that number in file order. Throws `damaged` when its bytes are not those that were indexed. */
  async readAt(ordinal: number): Promise<CanonicalRow> {
    const { offset, length } = this.index.rangeOf(ordinal)
    const line = Buffer.allocUnsafe(length)
    await readWhole(this.#file, line, offset)
    return this.#decode(line, ordinal)
  }

  /** Those of the first `count` rows that count, in file order, read ahead in pieces of about 1 MiB. */
  async *rows(count: number): AsyncGenerator<CanonicalRow> {
    for (let first = 0; first < count;) {
      const start = this.index.rangeOf(first).offset
      let last = first
      while (last + 1 < count && this.index.rangeOf(last + 1).offset - start < READ_AHEAD_BYTES) last += 1
      const final = this.index.rangeOf(last)
      const piece = Buffer.allocUnsafe(final.offset + final.length - start)
      await readWhole(this.#file, piece, start)
      for (; first <= last; first += 1) {
        const { offset, length } = this.index.rangeOf(first)
        if (this.index.isSuperseded(first)) continue
        yield this.#decode(piece.subarray(offset - start, offset - start + length), first)
      }
    }
  }

  #decode(line: Buffer, ordinal: number): CanonicalRow {
    const decoded = decodeLine(line, 'quick')
    if (decoded.ok && decoded.row.row_id === this.index.rowIdOf(ordinal)) return decoded.row
    const problem = decoded.ok ? 'the file has another row there than the index' : decoded.problem
    const { offset } = this.index.rangeOf(ordinal)
    const data = { file: this.path, offset, line: ordinal + 1 }
    throw new EvidenceError('damaged', `${this.path}: line ${ordinal + 1} at byte ${offset}: ${problem}`, data)
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}
