import { crc32 } from 'node:zlib'
import type { CanonicalRow } from '../../contract/index.ts'
import { cutFile, duplicateRow, EvidenceError, foreignRun, malformedLine, RefusalError } from './errors.ts'
import type { FileOps, LogFile } from './file-ops.ts'
import type { IndexedPrefix } from './index-file.ts'
import { appendWhole, crcOf, lastLineEnd, moveTail, readWhole, scanLines, undoAppend } from './line-file.ts'
import { HeadReader } from './row-head.ts'
import { RowIndex } from './row-index.ts'
import { decodeLine } from './row-line.ts'

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
export class RowFile {
  readonly path: string
  #runId: string | null
  readonly #ops: FileOps
  readonly #file: LogFile
  readonly #heads = new HeadReader()
  #prefix: IndexedPrefix = { index: new RowIndex(), coveredBytes: 0, prefixCrc: 0 }

  /** With `runId` null the first row says which run it is. */
  constructor(path: string, runId: string | null, ops: FileOps, file: LogFile) {
    this.path = path
    this.#runId = runId
    this.#ops = ops
    this.#file = file
  }

  get index(): RowIndex {
    return this.#prefix.index
  }
  get knownBytes(): number {
    return this.#prefix.coveredBytes
  }
  get prefix(): Readonly<IndexedPrefix> {
    return this.#prefix
  }

  has(rowId: string): boolean {
    return this.index.find(rowId) !== -1
  }

  /** Takes over an index when the file still has every byte that it was made from. False when not: the file must be scanned. */
  async adopt(prefix: IndexedPrefix, signal?: AbortSignal): Promise<boolean> {
    if (prefix.coveredBytes > this.#file.state().sizeBytes) return false
    const crc = await crcOf(this.#file, { from: 0, to: prefix.coveredBytes }, signal)
    if (crc !== prefix.prefixCrc) return false
    this.#prefix = prefix
    return true
  }

  /** Checks and indexes the lines up to `end`, which must be complete and final. Throws `RefusalError`; the index then ends before the damage. */
  async scanTo(end: number, signal?: AbortSignal): Promise<void> {
    const { index } = this
    const from = this.knownBytes
    if (end <= from) return
    const crc = await scanLines(
      this.#file,
      { from, to: end },
      (line, offset) => {
        const place = { file: this.path, offset, line: index.count + 1 }
        const outcome = this.#heads.read(line)
        if (!outcome.ok) throw new RefusalError(malformedLine(this.path, offset, place.line, outcome.problem))
        const { runId, rowId, parts } = outcome.head
        this.#runId ??= runId
        if (runId !== this.#runId) throw new RefusalError(foreignRun(place, runId, this.#runId))
        if (!index.add(rowId, { offset, length: line.length }, parts))
          throw new RefusalError(duplicateRow(this.path, offset, place.line, rowId))
      },
      { crc: this.#prefix.prefixCrc, signal },
    )
    this.#prefix = { index, coveredBytes: end, prefixCrc: crc }
  }

  /** False when the file was removed or replaced: what is appended to it now would be lost. */
  isIntact(): boolean {
    return this.#ops.state(this.path)?.identity === this.#file.state().identity
  }

  /** Where the finished lines end, looking at bytes beyond `markBytes` only. Throws `RefusalError` when stored bytes are gone. */
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
    const { index } = this
    let { coveredBytes, prefixCrc } = this.#prefix
    for (const { row, line } of rows) {
      const outcome = this.#heads.read(line.subarray(0, -1))
      if (!outcome.ok) throw new Error(`${row.row_id} was written as a line that cannot be read: ${outcome.problem}`)
      index.add(row.row_id, { offset: coveredBytes, length: line.length - 1 }, outcome.head.parts)
      coveredBytes += line.length
      prefixCrc = crc32(line, prefixCrc)
    }
    this.#prefix = { index, coveredBytes, prefixCrc }
  }

  /** The row with that number in file order. Throws `damaged` when its bytes are not those that were indexed. */
  async readAt(ordinal: number): Promise<CanonicalRow> {
    const { offset, length } = this.index.rangeOf(ordinal)
    const line = Buffer.allocUnsafe(length)
    await readWhole(this.#file, line, offset)
    return this.#decode(line, ordinal)
  }

  /** The first `count` rows in file order, read ahead in pieces of about 1 MiB. */
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
