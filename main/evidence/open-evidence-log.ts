import { limitBehind } from '../../core/system-limit.ts'
import { dirname, resolve } from 'node:path'
import { AnswerJournal } from './answer-journal.ts'
import { ClaimTable, type DurableMarks } from './locks/claim-table.ts'
import { copyRecordOf, copyRefusal } from './copied-evidence.ts'
import {
  EvidenceError,
  messageOf,
  missingFile,
  RefusalError,
  systemCode,
  tornTail,
  untrustedFileSystem,
  unusableFile,
} from './errors.ts'
import type { EvidenceNotice, EvidenceRefusal, OpenOutcome } from './evidence-log.ts'
import { type FileOps, type LogFile, nodeFileOps } from './files/file-ops.ts'
import { CutFileError } from './files/line-file.ts'
import { LockFolder } from './locks/lock-folder.ts'
import { LogHandle } from './files/log-handle.ts'
import { RowFile } from './rows/row-file.ts'

export interface OpenOptions {
  /** Every row of the log belongs to this run. */
  runId: string
  /** True to start a new log when there is none; its folder must exist. */
  create: boolean
  signal?: AbortSignal
  /** Called with what the log repaired or could not do by itself. */
  onNotice?: (notice: EvidenceNotice) => void
  /** A disk to use instead of the real one. */
  ops?: FileOps
}

/**
 * Opens a log of canonical rows for one run, to be resumed and added to by any number of processes on this machine. Every line is
 * checked before the log is used; what forbids its use comes back as a refusal. Throws the signal's reason when aborted.
 */
export async function openEvidenceLog(file: string, options: OpenOptions): Promise<OpenOutcome> {
  const path = resolve(file)
  const opening = new Opening(path, options)
  try {
    return { ok: true, log: await opening.run() }
  } catch (error) {
    await opening.abandon()
    const refusal = refusalOf(error, path)
    if (refusal !== null) return { ok: false, refusal }
    throw error
  }
}

const UNWRITABLE = ['EACCES', 'EPERM', 'EROFS', 'SQLITE_READONLY', 'SQLITE_READONLY_DIRECTORY']
const UNREADABLE = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EIO', 'ELOOP', 'ENAMETOOLONG']

function refusalOf(error: unknown, path: string): EvidenceRefusal | null {
  if (error instanceof RefusalError) return error.refusal
  const cause = error instanceof EvidenceError && error.cause !== undefined ? error.cause : error
  const code = systemCode(cause)
  const limit = limitBehind(cause)
  if (limit !== null) return { ...unusableFile(path, 'unwritable', limit.reason), remedy: limit.remedy }
  if (code !== null && UNWRITABLE.includes(code)) return unusableFile(path, 'unwritable', messageOf(error))
  if (error instanceof CutFileError || (code !== null && (UNREADABLE.includes(code) || code.startsWith('SQLITE_'))))
    return unusableFile(path, 'unreadable', messageOf(error))
  return null
}

/** The steps of opening, with what has to be given back when one of them fails. */
class Opening {
  readonly #path: string
  readonly #options: OpenOptions
  readonly #ops: FileOps
  readonly #answers: AnswerJournal
  #locks: LockFolder | null = null
  #claims: ClaimTable | null = null
  #file: LogFile | null = null

  constructor(path: string, options: OpenOptions) {
    this.#path = path
    this.#options = options
    this.#ops = options.ops ?? nodeFileOps
    this.#answers = new AnswerJournal(path, options.runId, this.#ops)
  }

  async run(): Promise<LogHandle> {
    const { runId, create, signal, onNotice: notify = () => undefined } = this.#options
    const network = await this.#ops.networkFileSystem(dirname(this.#path))
    if (network !== null) throw new RefusalError(untrustedFileSystem(this.#path, network))
    if (!create && this.#ops.state(this.#path) === null) throw new RefusalError(missingFile(this.#path))

    const copied = await copyRecordOf(this.#path)
    if (copied !== null) throw new RefusalError(copyRefusal(this.#path, copied))

    const locks = (this.#locks = await LockFolder.open(this.#path, this.#ops))
    const { rows, claims, marks } = await locks.exclusive(() => this.#enter(locks), signal)

    // Below the mark the file is final, so the long part needs no lock.
    await rows.scanTo(marks.rowsBytes, signal)
    this.#answers.supersede((rowId) => rows.has(rowId))
    const parts = { runId, rows, answers: this.#answers, claims, locks, ops: this.#ops, notify }
    return new LogHandle(parts, marks.answersEpoch)
  }

  /** Under the lock: registers this process, releases what dead processes held, and determines how far the files are complete and durable. */
  async #enter(locks: LockFolder): Promise<{ rows: RowFile; claims: ClaimTable; marks: DurableMarks }> {
    locks.register()
    const dead = locks.others().filter((owner) => !locks.isAlive(owner))
    if (dead.length === locks.others().length) await ClaimTable.reset(locks.path, this.#ops)
    const claims = (this.#claims = new ClaimTable(locks.path))
    const before = await claims.marks()

    const isNew = this.#ops.state(this.#path) === null
    const file = (this.#file = await this.#ops.openAppend(this.#path))
    if (isNew) await this.#ops.syncFolderOf(this.#path)
    const rows = new RowFile(this.#path, this.#options.runId, this.#ops, file)
    const { endBytes, sizeBytes } = await rows.finishedEnd(before.rowsBytes)
    if (endBytes < sizeBytes) throw new RefusalError(tornTail(this.#path, endBytes, sizeBytes - endBytes))
    // These bytes may come from a process that died before its sync.
    await file.sync()
    const movedTo = await this.#answers.refresh()
    if (movedTo !== null)
      this.#options.onNotice?.({
        code: 'torn_tail_moved',
        file: this.#answers.path,
        message: `${this.#answers.path}: an answer was never finished; its bytes are in ${movedTo}`,
      })

    const marks = { ...before, rowsBytes: endBytes, answersBytes: this.#answers.knownBytes }
    await claims.settle(marks, [], locks.owner)
    for (const owner of dead) {
      await claims.releaseAll(owner)
      await locks.forget(owner)
    }
    return { rows, claims, marks }
  }

  /** Gives back what a failed opening holds. */
  async abandon(): Promise<void> {
    this.#claims?.close()
    await this.#file?.close()
    await this.#answers.close()
    await this.#locks?.close()
  }
}
