import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import type { RunIdentity } from '../../../contract/evidence/run-identity.ts'
import { admittedRow } from '../rows/admitted-row.ts'
import { AnswerJournal } from '../answer-journal.ts'
import { ClaimTable, type DurableMarks } from '../locks/claim-table.ts'
import { claimLost, EvidenceError, failureOf, messageOf } from '../errors.ts'
import type {
  AnsweredRow,
  CellClaim,
  ClaimAttempt,
  ClaimOutcome,
  EvidenceLog,
  EvidenceNotice,
  ResumePlan,
} from '../evidence-log.ts'
import type { RowIdentity } from '../rows/row-identity.ts'
import type { FileOps } from './file-ops.ts'
import { GroupCommit, type WriteKind } from './group-commit.ts'
import { checkRowsFrom, storedRunOf } from '../rows/identity-record.ts'
import type { LockFolder } from '../locks/lock-folder.ts'
import { NamedWaiters } from '../locks/named-waiters.ts'
import { pause } from '../pause.ts'
import { contentDigestOf, resumePlanOf } from '../resume-planner.ts'
import type { RowFile } from '../rows/row-file.ts'
import { fingerprint } from '../rows/row-identity.ts'
import { checkIdentity, type IdentityFrom, type IdentityOutcome } from '../rows/run-identity.ts'

/** Sets how often a waiting process looks whether another one is done with a cell. */
const POLL_MS = 20

interface LogHandleParts {
  runId: string
  rows: RowFile
  answers: AnswerJournal
  claims: ClaimTable
  locks: LockFolder
  ops: FileOps
  notify: (notice: EvidenceNotice) => void
}

/** The log as one process has it open. Built by `openEvidenceLog` only. */
export class LogHandle implements EvidenceLog {
  readonly file: string
  readonly #parts: LogHandleParts
  readonly #held = new Map<string, CellClaim>()
  readonly #released = new NamedWaiters()
  readonly #seenAlive = new Map<string, number>()
  #answersEpoch: number
  readonly #commits: GroupCommit
  #serial: Promise<unknown> = Promise.resolve()
  #failure: EvidenceError | null = null
  #closing: Promise<void> | null = null
  #mayCompact = true
  /** Holds what each row must share, and how many rows were compared with it. */
  #identity: { run: RunIdentity; digest: Buffer; checkedRows: number } | null = null

  constructor(parts: LogHandleParts, answersEpoch: number) {
    this.file = parts.rows.path
    this.#parts = parts
    this.#answersEpoch = answersEpoch
    this.#commits = new GroupCommit(parts, {
      underLock: (work) =>
        this.#exclusively(async () => {
          await this.#refresh()
          await work()
        }),
      settle: (stored) => this.#settle(stored),
      stored: (rowId) => this.#drop(rowId),
      afterCommit: () => this.#tidy(),
      fail: (error) => this.#fail(error),
    })
  }

  get rowCount(): number {
    return this.#parts.rows.index.count
  }

  checkIdentity(make: IdentityFrom): Promise<IdentityOutcome> {
    return this.#compareIdentity(make, false)
  }

  async setIdentity(make: IdentityFrom): Promise<IdentityOutcome> {
    const outcome = await this.#compareIdentity(make, true)
    if (outcome.ok) {
      const digest = fingerprint(outcome.identity.reproducibility)
      this.#identity = { run: outcome.identity, digest, checkedRows: 0 }
    }
    return outcome
  }

  #compareIdentity(make: IdentityFrom, keep: boolean): Promise<IdentityOutcome> {
    this.#assertUsable()
    const { rows, answers, locks, ops } = this.#parts
    return this.#exclusively(async () => {
      await this.#refresh()
      const isShared = locks.others().some((other) => locks.isAlive(other))
      return checkIdentity(storedRunOf({ file: this.file, rows, answers, ops }), { isShared, keep }, make)
    })
  }

  async planResume(cells: Iterable<RowIdentity>): Promise<ResumePlan> {
    await this.#catchUp()
    const { rows, answers } = this.#parts
    return resumePlanOf(rows, { has: (rowId) => answers.has(rowId), read: (rowId) => this.#answerOf(rowId) }, cells)
  }

  async contentDigest(): Promise<string> {
    await this.#catchUp()
    const { rows, answers } = this.#parts
    return contentDigestOf(rows, answers.rowIds())
  }

  async claim(rowId: string, signal?: AbortSignal): Promise<ClaimOutcome> {
    for (;;) {
      signal?.throwIfAborted()
      const outcome = await this.tryClaim(rowId)
      if (outcome.outcome !== 'held') return outcome
      if (this.#held.has(rowId)) await this.#released.next(rowId, POLL_MS, signal)
      else await pause(POLL_MS * (0.5 + Math.random()), signal)
    }
  }

  async tryClaim(rowId: string): Promise<ClaimAttempt> {
    const { claims, locks } = this.#parts
    for (;;) {
      this.#assertUsable()
      const row = await this.#storedRow(rowId)
      if (row !== null) return { outcome: 'stored', row }
      const attempt = await claims.tryClaim(rowId, locks.owner)
      if (attempt.won) return this.#afterWinning(rowId, attempt.marks)
      if (attempt.owner === locks.owner || this.#livesStill(attempt.owner)) return { outcome: 'held' }
      await this.#exclusively(() => this.#buryOwner(attempt.owner))
    }
  }

  /** Asks the system at most once per interval about an owner, however many cells wait for it. */
  #livesStill(owner: string): boolean {
    const now = performance.now()
    if (now - (this.#seenAlive.get(owner) ?? -Infinity) < POLL_MS) return true
    const alive = this.#parts.locks.isAlive(owner)
    if (alive) this.#seenAlive.set(owner, now)
    return alive
  }

  async #afterWinning(rowId: string, marks: DurableMarks): Promise<ClaimOutcome> {
    const claim: CellClaim = { rowId }
    this.#held.set(rowId, claim)
    try {
      const { answers } = this.#parts
      if (marks.answersEpoch !== this.#answersEpoch || marks.answersBytes !== answers.knownBytes)
        await this.#exclusively(() => this.#refresh())
      else await this.#catchUpTo(marks.rowsBytes)
      const row = await this.#storedRow(rowId)
      if (row === null) return { outcome: 'claimed', claim, answered: await this.#answerOf(rowId) }
      await this.release(claim)
      return { outcome: 'stored', row }
    } catch (error) {
      await this.release(claim)
      throw error
    }
  }

  async #storedRow(rowId: string): Promise<CanonicalRow | null> {
    const ordinal = this.#parts.rows.index.find(rowId)
    return ordinal === -1 ? null : this.#parts.rows.readAt(ordinal)
  }

  async #answerOf(rowId: string): Promise<AnsweredRow | null> {
    if (!this.#parts.answers.has(rowId)) return null
    return this.#serially(() => this.#parts.answers.read(rowId))
  }

  keepAnswer(claim: CellClaim, row: AnsweredRow): Promise<void> {
    return this.#write('answer', claim, row)
  }

  append(claim: CellClaim, row: CanonicalRow): Promise<void> {
    return this.#write('row', claim, row)
  }

  async #write(kind: WriteKind, claim: CellClaim, row: CanonicalRow): Promise<void> {
    this.#assertUsable()
    if (this.#held.get(claim.rowId) !== claim) throw claimLost(this.file, claim.rowId)
    const expected = { file: this.file, runId: this.#parts.runId, identity: this.#identity?.run ?? null }
    await this.#commits.write(kind, admittedRow(expected, claim, row))
  }

  #settle(stored: readonly string[]): Promise<void> {
    const { rows, answers, claims, locks } = this.#parts
    const marks = {
      rowsBytes: rows.knownBytes,
      answersBytes: answers.knownBytes,
      answersEpoch: this.#answersEpoch,
    }
    return claims.settle(marks, stored, locks.owner)
  }

  async #tidy(): Promise<void> {
    const { answers, notify } = this.#parts
    if (!this.#mayCompact || !answers.isWorthCompacting) return
    try {
      await answers.compact()
      this.#answersEpoch += 1
      await this.#settle([])
    } catch (error) {
      // The journal only stays larger than it needs to be; its answers are where they were.
      this.#mayCompact = false
      const message = `${answers.path} could not be rewritten: ${messageOf(error)}`
      notify({ code: 'journal_not_compacted', file: answers.path, message })
    }
  }

  async release(claim: CellClaim): Promise<void> {
    if (this.#held.get(claim.rowId) !== claim) return
    const { claims, locks } = this.#parts
    // A failed log leaves its claims to be taken over, because only a takeover looks at bytes beyond the marks; a closing one
    // gives all of them up by itself.
    if (this.#failure === null && this.#closing === null) await claims.release(claim.rowId, locks.owner)
    this.#drop(claim.rowId)
  }

  #drop(rowId: string): void {
    this.#held.delete(rowId)
    this.#released.wake(rowId)
  }

  async read(rowId: string): Promise<CanonicalRow | null> {
    this.#assertUsable()
    const known = await this.#storedRow(rowId)
    if (known !== null) return known
    await this.#catchUp()
    return this.#storedRow(rowId)
  }

  isStored(rowId: string): boolean {
    return this.#parts.rows.has(rowId)
  }

  async *rows(): AsyncGenerator<CanonicalRow> {
    await this.#catchUp()
    yield* this.#parts.rows.rows(this.rowCount)
  }

  async *failedRows(): AsyncGenerator<CanonicalRow> {
    await this.#catchUp()
    const { rows } = this.#parts
    for (const ordinal of rows.index.failed()) yield await rows.readAt(ordinal)
  }

  retryOf(cellId: string): number {
    const { rows, answers } = this.#parts
    return Math.max(rows.index.retryOf(cellId), answers.retryOf(cellId))
  }

  async #catchUp(): Promise<void> {
    this.#assertUsable()
    await this.#catchUpTo((await this.#parts.claims.marks()).rowsBytes)
  }

  /** Reads what others stored. Needs no lock: below a mark nothing changes any more. */
  async #catchUpTo(markBytes: number): Promise<void> {
    if (markBytes <= this.#parts.rows.knownBytes) return
    const { rows, answers } = this.#parts
    try {
      await this.#serially(async () => {
        await rows.scanTo(markBytes)
        await this.#checkNewRows()
      })
    } catch (error) {
      throw this.#fail(error)
    }
    answers.supersede((rowId) => rows.has(rowId))
  }

  /** Under the lock: takes in everything that others did, and sets the marks to how far it is durable. */
  async #refresh(): Promise<void> {
    const { rows, answers, claims, locks } = this.#parts
    if (this.#failure !== null) throw this.#failure
    if (!rows.isIntact() || !locks.isIntact())
      throw this.#fail(new Error(`${this.file} or its lock was removed or replaced while the log was open`))
    try {
      const marks = await claims.marks()
      this.#reportMoved(this.file, await rows.refresh(marks.rowsBytes))
      this.#reportMoved(answers.path, await answers.refresh())
      answers.supersede((rowId) => rows.has(rowId))
      await this.#checkNewRows()
      this.#answersEpoch = marks.answersEpoch
      if (marks.rowsBytes !== rows.knownBytes || marks.answersBytes !== answers.knownBytes) await this.#settle([])
    } catch (error) {
      throw this.#fail(error)
    }
  }

  async #checkNewRows(): Promise<void> {
    if (this.#identity === null) return
    const { run, digest, checkedRows } = this.#identity
    await checkRowsFrom(checkedRows, this.#parts.rows, run, digest)
    this.#identity.checkedRows = this.rowCount
  }

  #reportMoved(file: string, movedTo: string | null): void {
    if (movedTo === null) return
    const message = `${file}: another process died while writing a row; its unfinished bytes are in ${movedTo}`
    this.#parts.notify({ code: 'torn_tail_moved', file, message })
  }

  /** Under the lock: a dead owner's claims fall once everything that it may have stored is known and marked. */
  async #buryOwner(owner: string): Promise<void> {
    const { claims, locks } = this.#parts
    if (locks.isAlive(owner)) return
    await this.#refresh()
    await claims.releaseAll(owner)
    await locks.forget(owner)
  }

  #exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#serially(() => this.#parts.locks.exclusive(work))
  }

  #serially<Result>(work: () => Promise<Result>): Promise<Result> {
    const run = this.#serial.then(work)
    this.#serial = run.catch(() => undefined)
    return run
  }

  /** Ends the use of this handle; the first failure is the one that is reported. */
  #fail(error: unknown): EvidenceError {
    this.#failure ??= failureOf(error, this.file)
    return this.#failure
  }

  #assertUsable(): void {
    if (this.#failure !== null) throw this.#failure
    if (this.#closing !== null) throw new EvidenceError('log_closed', `${this.file} is closed`, this.#here)
  }

  get #here(): { file: string } {
    return { file: this.file }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const { rows, answers, claims, locks } = this.#parts
    await this.#commits.done
    try {
      if (this.#failure === null) await this.#serially(() => locks.exclusive(() => this.#leave()))
    } finally {
      claims.close()
      await Promise.all([rows.close(), answers.close(), locks.close()])
    }
  }

  /** Under the lock: releases the claims, and removes what only matters while the log is open somewhere. */
  async #leave(): Promise<void> {
    const { answers, claims, locks, rows, ops } = this.#parts
    await claims.releaseAll(locks.owner)
    if (locks.others().some((other) => locks.isAlive(other))) return
    await answers.refresh()
    answers.supersede((rowId) => rows.has(rowId))
    await answers.removeIfEmpty()
    claims.close()
    await ClaimTable.reset(locks.path, ops)
  }
}
