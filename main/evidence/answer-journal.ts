import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import { EvidenceError, malformedJournal, RefusalError } from './errors.ts'
import type { FileOps, LogFile } from './files/file-ops.ts'
import {
  appendWhole,
  lastLineEnd,
  type LineRange,
  moveTail,
  readWhole,
  scanLines,
  undoAppend,
} from './files/line-file.ts'
import { cellId, rowKeyOf } from './rows/row-id.ts'
import { decodeLine } from './rows/row-line.ts'

/** Below this size a journal is not worth rewriting. */
const COMPACT_ABOVE_BYTES = 8 << 20

/**
 * Answers whose evaluation is still to come, in `<name>-evidence.answers.jsonl`: lines as in the log itself. An answer is pending
 * until its row is stored. Everything but `has` is to be called under the log's lock.
 */
export class AnswerJournal {
  readonly path: string
  readonly #ops: FileOps
  readonly #runId: string
  #file: LogFile | null = null
  #pending = new Map<string, LineRange>()
  /** Highest number among the answers of cells that were tried again, by the id of the cell's first row. */
  readonly #retries = new Map<string, number>()
  #knownBytes = 0
  #knownLines = 0

  constructor(file: string, runId: string, ops: FileOps) {
    this.path = AnswerJournal.pathFor(file)
    this.#runId = runId
    this.#ops = ops
  }

  /** `…-evidence.jsonl` → `…-evidence.answers.jsonl`. */
  static pathFor(file: string): string {
    return `${file.replace(/\.jsonl$/, '')}.answers.jsonl`
  }

  get knownBytes(): number {
    return this.#knownBytes
  }

  has(rowId: string): boolean {
    return this.#pending.has(rowId)
  }

  /** The highest number among a cell's answers, by the id of its first row; 0 for a cell that was not tried again. */
  retryOf(cell: string): number {
    return this.#retries.get(cell) ?? 0
  }

  /** Cells whose answer waits for its evaluation. */
  rowIds(): string[] {
    return [...this.#pending.keys()]
  }

  /** Their rows are stored now: these answers are superseded. */
  supersede(isStored: (rowId: string) => boolean): void {
    for (const rowId of this.#pending.keys()) if (isStored(rowId)) this.#pending.delete(rowId)
  }

  forgetAnswer(rowId: string): void {
    this.#pending.delete(rowId)
  }

  /** Null when no answer of the cell is pending. Throws `damaged` when its bytes have changed since they were indexed. */
  async read(rowId: string): Promise<CanonicalRow | null> {
    const range = this.#pending.get(rowId)
    if (range === undefined || this.#file === null) return null
    const line = Buffer.allocUnsafe(range.length)
    await readWhole(this.#file, line, range.offset)
    const decoded = decodeLine(line, 'quick')
    if (decoded.ok) return decoded.row
    throw new EvidenceError('damaged', `${this.path}: ${decoded.problem}`, { file: this.path, offset: range.offset })
  }

  /**
   * Reads what other processes did to the journal, rewriting it included, and syncs it in case a writer died before it
   * could. A torn line, which was never acknowledged, is moved away; the name of its new file is returned. Throws `RefusalError`.
   */
  async refresh(): Promise<string | null> {
    const current = this.#ops.state(this.path)
    if (this.#file !== null && this.#file.state().identity !== current?.identity) await this.#startOver()
    const sizeBytes = current?.sizeBytes ?? 0
    if (sizeBytes < this.#knownBytes) await this.#startOver()
    if (sizeBytes === this.#knownBytes) return null
    this.#file ??= await this.#ops.openAppend(this.path)
    const endBytes = await lastLineEnd(this.#file, { from: this.#knownBytes, to: sizeBytes })
    const movedTo = endBytes < sizeBytes ? await moveTail(this.#ops, this.path, this.#file, endBytes) : null
    await this.#file.sync()
    await scanLines(this.#file, { from: this.#knownBytes, to: endBytes }, (line, offset) => {
      this.#knownLines += 1
      const decoded = decodeLine(line, 'quick')
      const problem = decoded.ok
        ? decoded.row.run_id === this.#runId
          ? null
          : `it is of run ${decoded.row.run_id}`
        : decoded.problem
      if (!decoded.ok || problem !== null)
        throw new RefusalError(malformedJournal(this.path, offset, this.#knownLines, problem ?? ''))
      const { row } = decoded
      this.#pending.set(row.row_id, { offset, length: line.length })
      if (row.retry === undefined) return
      const cell = cellId(rowKeyOf(row))
      this.#retries.set(cell, Math.max(row.retry, this.retryOf(cell)))
    })
    this.#knownBytes = endBytes
    return movedTo
  }

  /** Appends lines, all or none; `sync` is still to come. Throws as `appendWhole` does. */
  async append(lines: ReadonlyMap<string, Buffer>): Promise<void> {
    const isNew = this.#ops.state(this.path) === null
    this.#file ??= await this.#ops.openAppend(this.path)
    if (isNew) await this.#ops.syncFolderOf(this.path)
    await appendWhole(this.#ops, this.path, this.#file, Buffer.concat([...lines.values()]), this.#knownBytes)
  }

  async sync(): Promise<void> {
    await this.#file?.sync()
  }

  /** After the sync: the lines given to `append` are pending answers now. */
  accept(lines: ReadonlyMap<string, Buffer>): void {
    for (const [rowId, line] of lines) {
      this.#pending.set(rowId, { offset: this.#knownBytes, length: line.length - 1 })
      this.#knownBytes += line.length
      this.#knownLines += 1
    }
  }

  undoAppend(cause: unknown): Promise<void> {
    return undoAppend(this.#ops, this.path, this.#knownBytes, cause)
  }

  get isWorthCompacting(): boolean {
    if (this.#knownBytes < COMPACT_ABOVE_BYTES) return false
    let pendingBytes = 0
    for (const { length } of this.#pending.values()) pendingBytes += length
    return pendingBytes < this.#knownBytes / 4
  }

  /** Rewrites the journal with its pending answers only; the file is replaced in one step. */
  async compact(): Promise<void> {
    const lines = new Map<string, Buffer>()
    for (const [rowId, { offset, length }] of this.#pending) {
      const line = Buffer.allocUnsafe(length + 1)
      await readWhole(this.#file!, line, offset)
      lines.set(rowId, line)
    }
    const temporary = `${this.path}.tmp`
    await this.#ops.remove(temporary)
    const file = await this.#ops.openNew(temporary)
    try {
      await appendWhole(this.#ops, temporary, file, Buffer.concat([...lines.values()]), 0)
      await file.sync()
    } finally {
      await file.close()
    }
    await this.#ops.rename(temporary, this.path)
    await this.#ops.syncFolderOf(this.path)
    await this.#startOver()
    this.#file = await this.#ops.openAppend(this.path)
    this.accept(lines)
  }

  /** Removes a journal without pending answers. Call it when no other process has the log open. */
  async removeIfEmpty(): Promise<void> {
    if (this.#pending.size > 0 || this.#ops.state(this.path) === null) return
    await this.close()
    await this.#ops.remove(this.path)
    await this.#ops.syncFolderOf(this.path)
  }

  async #startOver(): Promise<void> {
    await this.close()
    this.#pending.clear()
    this.#knownBytes = 0
    this.#knownLines = 0
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = null
    await file?.close()
  }
}
