import type { AnswerJournal } from '../answer-journal.ts'
import type { ClaimTable } from '../locks/claim-table.ts'
import { alreadyStored, claimLost, EvidenceError } from '../errors.ts'
import type { LockFolder } from '../locks/lock-folder.ts'
import type { WriteKind } from '../open-log.ts'
import type { RowFile, SealedRow } from '../rows/row-file.ts'

/** Bounds the memory of one commit; a single larger row still goes alone. */
const BATCH_BYTES = 16 << 20

interface PendingWrite extends SealedRow {
  kind: WriteKind
  resolve: () => void
  reject: (error: unknown) => void
}

interface CommitParts {
  rows: RowFile
  answers: AnswerJournal
  claims: ClaimTable
  locks: LockFolder
}

/** Describes what the log does around a commit. */
interface CommitHost {
  /** Runs `work` under the log's lock, with everything known that others wrote. */
  underLock(work: () => Promise<void>): Promise<void>
  /** Moves the durable marks and releases the claims of stored rows. */
  settle(storedRowIds: readonly string[]): Promise<void>
  stored(rowId: string): void
  afterCommit(): Promise<void>
  /** Ends the use of the log; returns the failure to report. */
  fail(error: unknown): EvidenceError
}

const linesOf = (writes: readonly SealedRow[]): Map<string, Buffer> =>
  new Map(writes.map(({ row, line }) => [row.row_id, line]))

/** Writes rows and answers in groups: what arrives while a sync is under way shares the next one. */
export class GroupCommit {
  readonly #parts: CommitParts
  readonly #host: CommitHost
  #waiting: PendingWrite[] = []
  #pump: Promise<void> | null = null

  constructor(parts: CommitParts, host: CommitHost) {
    this.#parts = parts
    this.#host = host
  }

  /** Resolves once the line is on stable storage. */
  write(kind: WriteKind, { row, line }: SealedRow): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#waiting.push({ kind, row, line, resolve, reject })
      this.#pump ??= this.#commitAll()
    })
  }

  /** Resolves when nothing is left to write. */
  get done(): Promise<void> {
    return this.#pump ?? Promise.resolve()
  }

  async #commitAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.#host.underLock(() => this.#commit(this.#nextBatch()))
    } catch (error) {
      // The log has failed: every write that was not stored is rejected with the same failure.
      const failure = this.#host.fail(error)
      for (const { reject } of this.#waiting.splice(0)) reject(failure)
    } finally {
      // At once, not in a later turn: a write that comes in between would wait for a pump that is gone.
      this.#pump = null
    }
  }

  #nextBatch(): PendingWrite[] {
    let bytes = 0
    let count = 0
    for (const { line } of this.#waiting) {
      bytes += line.length
      if (count > 0 && bytes > BATCH_BYTES) break
      count += 1
    }
    return this.#waiting.splice(0, count)
  }

  async #commit(batch: PendingWrite[]): Promise<void> {
    const { rows, answers } = this.#parts
    let admitted: PendingWrite[] = []
    try {
      admitted = await this.#admit(batch)
      const newRows = await this.#written(admitted, 'row', (writes) => rows.append(writes))
      const newAnswers = await this.#written(admitted, 'answer', (writes) => answers.append(linesOf(writes)))
      admitted = [...newRows, ...newAnswers]
      if (admitted.length === 0) return
      await this.#sync(newRows.length > 0, newAnswers.length > 0)
      rows.accept(newRows)
      answers.accept(linesOf(newAnswers))
      const stored = newRows.map(({ row }) => row.row_id)
      for (const rowId of stored) answers.forgetAnswer(rowId)
      // From here on the rows are durable whatever happens: a failure below spoils the handle, not the acknowledgement.
      await this.#host.settle(stored).catch((error: unknown) => this.#host.fail(error))
      for (const rowId of stored) this.#host.stored(rowId)
      for (const { resolve } of admitted) resolve()
      await this.#host.afterCommit()
    } catch (error) {
      const failure = this.#host.fail(error)
      for (const { reject } of batch) reject(failure)
    }
  }

  /** Rejects writes whose claim is gone or whose row is already in the log. */
  async #admit(batch: PendingWrite[]): Promise<PendingWrite[]> {
    const { rows, claims, locks } = this.#parts
    const ids = batch.map(({ row }) => row.row_id)
    const held = await claims.heldBy(locks.owner, ids)
    return batch.filter(({ row: { row_id: rowId }, kind, reject }, position) => {
      if (!held.has(rowId)) reject(claimLost(rows.path, rowId))
      else if (rows.has(rowId) || ids.indexOf(rowId) < position) reject(alreadyStored(rows.path, rowId, kind))
      else return true
      return false
    })
  }

  /** Writes one kind; when the disk refuses, and nothing of it is left there, only these writes fail. */
  async #written(
    admitted: PendingWrite[],
    kind: WriteKind,
    append: (writes: PendingWrite[]) => Promise<void>,
  ): Promise<PendingWrite[]> {
    const writes = admitted.filter((write) => write.kind === kind)
    if (writes.length === 0) return []
    try {
      await append(writes)
      return writes
    } catch (error) {
      if (!(error instanceof EvidenceError) || error.code !== 'write_failed') throw error
      for (const { reject } of writes) reject(error)
      return []
    }
  }

  /** After a failed sync it is unknown which bytes are safe: what was just written is undone, and the handle can no longer be used. */
  async #sync(rowsToo: boolean, answersToo: boolean): Promise<void> {
    const { rows, answers } = this.#parts
    const outcomes = await Promise.allSettled([rowsToo ? rows.sync() : null, answersToo ? answers.sync() : null])
    const failed = outcomes.find((outcome) => outcome.status === 'rejected')
    if (failed === undefined) return
    if (rowsToo) await rows.undoAppend(failed.reason)
    if (answersToo) await answers.undoAppend(failed.reason)
    throw failed.reason
  }
}
