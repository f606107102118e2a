import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { oneAfterAnother } from '../../lib/one-after-another.ts'
import { AnswerJournal } from '../answer-journal.ts'
import { ClaimTable, type DurableMarks } from '../locks/claim-table.ts'
import { messageOf } from '../errors.ts'
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
import { GroupCommit } from './group-commit.ts'
import { storedRunOf } from '../rows/identity-record.ts'
import type { LockFolder } from '../locks/lock-folder.ts'
import { OpenLog, type WriteKind } from '../open-log.ts'
import { contentDigestOf, resumePlanOf } from '../resume-planner.ts'
import type { RowFile, SealedRow } from '../rows/row-file.ts'
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
export class LogHandle extends OpenLog implements EvidenceLog {
  readonly #parts: LogHandleParts
  readonly #seenAlive = new Map<string, number>()
  #answersEpoch: number
  readonly #commits: GroupCommit
  readonly #serially = oneAfterAnother()
  #mayCompact = true

  constructor(parts: LogHandleParts, answersEpoch: number) {
    super(parts.rows.path, parts.runId, POLL_MS)
    this.#parts = parts
    this.#answersEpoch = answersEpoch
    this.#commits = new GroupCommit(parts, {
      underLock: (work) =>
        this.#exclusively(async () => {
          await this.#refresh()
          await work()
        }),
      settle: (stored) => this.#settle(stored),
      stored: (rowId) => this.drop(rowId),
      afterCommit: () => this.#tidy(),
      fail: (error) => this.fail(error),
    })
  }

  get rowCount(): number {
    return this.#parts.rows.index.count
  }

  protected compareIdentity(make: IdentityFrom, keep: boolean): Promise<IdentityOutcome> {
    this.assertUsable()
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

  async tryClaim(rowId: string): Promise<ClaimAttempt> {
    const { claims, locks } = this.#parts
    for (;;) {
      this.assertUsable()
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
    this.held.set(rowId, claim)
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

  protected write(kind: WriteKind, _claim: CellClaim, sealed: SealedRow): Promise<void> {
    return this.#commits.write(kind, sealed)
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
    if (this.held.get(claim.rowId) !== claim) return
    const { claims, locks } = this.#parts
    // A failed log leaves its claims to be taken over, because only a takeover looks at bytes beyond the marks; a closing one
    // gives all of them up by itself.
    if (this.failure === null && this.closing === null) await claims.release(claim.rowId, locks.owner)
    this.drop(claim.rowId)
  }

  async read(rowId: string): Promise<CanonicalRow | null> {
    this.assertUsable()
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

  async *openRows(): AsyncGenerator<CanonicalRow> {
    await this.#catchUp()
    const { rows } = this.#parts
    for (const ordinal of rows.index.open()) yield await rows.readAt(ordinal)
  }

  retryOf(cellId: string): number {
    const { rows, answers } = this.#parts
    return Math.max(rows.index.retryOf(cellId), answers.retryOf(cellId))
  }

  async #catchUp(): Promise<void> {
    this.assertUsable()
    await this.#catchUpTo((await this.#parts.claims.marks()).rowsBytes)
  }

  /** Reads what others stored. Needs no lock: below a mark nothing changes any more. */
  async #catchUpTo(markBytes: number): Promise<void> {
    if (markBytes <= this.#parts.rows.knownBytes) return
    const { rows, answers } = this.#parts
    try {
      await this.#serially(async () => {
        await rows.scanTo(markBytes)
        await this.checkNewRows(rows)
      })
    } catch (error) {
      throw this.fail(error)
    }
    answers.supersede((rowId) => rows.has(rowId))
  }

  /** Under the lock: takes in everything that others did, and sets the marks to how far it is durable. */
  async #refresh(): Promise<void> {
    const { rows, answers, claims, locks } = this.#parts
    if (this.failure !== null) throw this.failure
    if (!rows.isIntact() || !locks.isIntact())
      throw this.fail(new Error(`${this.file} or its lock was removed or replaced while the log was open`))
    try {
      const marks = await claims.marks()
      this.#reportMoved(this.file, await rows.refresh(marks.rowsBytes))
      this.#reportMoved(answers.path, await answers.refresh())
      answers.supersede((rowId) => rows.has(rowId))
      await this.checkNewRows(rows)
      this.#answersEpoch = marks.answersEpoch
      if (marks.rowsBytes !== rows.knownBytes || marks.answersBytes !== answers.knownBytes) await this.#settle([])
    } catch (error) {
      throw this.fail(error)
    }
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

  protected async leave(): Promise<void> {
    const { rows, answers, claims, locks } = this.#parts
    await this.#commits.done
    try {
      if (this.failure === null) await this.#serially(() => locks.exclusive(() => this.#leaveFolder()))
    } finally {
      claims.close()
      await Promise.all([rows.close(), answers.close(), locks.close()])
    }
  }

  /** Under the lock: releases the claims, and removes what only matters while the log is open somewhere. */
  async #leaveFolder(): Promise<void> {
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
