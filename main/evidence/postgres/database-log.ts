import type { ClientBase } from 'pg'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { EvidenceError } from '../errors.ts'
import type { CellClaim, ClaimAttempt, EvidenceLog, ResumePlan } from '../evidence-log.ts'
import type { RowIdentity } from '../rows/row-identity.ts'
import { OpenLog, type WriteKind } from '../open-log.ts'
import { contentDigestOf, resumePlanOf } from '../resume-planner.ts'
import type { SealedRow } from '../rows/row-file.ts'
import { decodeLine } from '../rows/row-line.ts'
import { checkIdentity, type IdentityFrom, type IdentityOutcome } from '../rows/run-identity.ts'
import { cellLock, lockRun, tryLockCell, unlockCells } from './database-locks.ts'
import { DatabaseAnswers } from './database-answers.ts'
import { storedRunIn } from './database-identity.ts'
import { DatabaseRows } from './database-rows.ts'
import { registerWorker, type WorkerName } from './database-workers.ts'
import type { DatabaseSession } from './database-session.ts'
import { DatabaseWrites } from './database-writes.ts'

/** Sets how often a waiting process looks whether another one is done with a cell. */
const POLL_MS = 50
/** Sets how soon after a row of its own, and how often at most, a process looks for those of others. */
const NEWS_MS = 200

interface DatabaseLogParts {
  /** Address and run, for messages. */
  label: string
  runId: string
  datasetId: string
  /** Number of the run in the database. */
  run: number
  worker: WorkerName
  session: DatabaseSession
}

/**
 * A run's evidence in a database, as one process has it open. Built by `openDatabaseLog` only. A claim is an advisory lock of the connection on the cell, so the server frees it when this process ends; what is
 * appended goes over the same connection, so a claim that still holds is a claim that no other process can have taken meanwhile.
 */
export class DatabaseLog extends OpenLog implements EvidenceLog {
  readonly #parts: DatabaseLogParts
  readonly #rows: DatabaseRows
  readonly #answers: DatabaseAnswers
  readonly #writes: DatabaseWrites
  /** Cells whose lock is being asked for: a lock can be taken twice by one connection, so no second caller may ask. */
  readonly #taking = new Set<string>()
  #worker: number | null = null
  /** Revision of the identity that this process keeps to; null before it is set. */
  #revision: number | null = null
  #catchingUp: Promise<void> = Promise.resolve()
  #news: NodeJS.Timeout | null = null

  constructor(parts: DatabaseLogParts) {
    const { label, session, run, runId, datasetId } = parts
    super(label, runId, POLL_MS)
    this.#parts = parts
    this.#rows = new DatabaseRows(label, session, run, { runId, datasetId })
    this.#answers = new DatabaseAnswers(label, session, run)
    this.#writes = new DatabaseWrites({
      file: label,
      run,
      session,
      worker: () => this.#worker!,
      identityRevision: () => this.#revision!,
      isHeld: (claim) => this.held.get(claim.rowId) === claim,
      stored: (rowIds, count) => this.#afterStoring(rowIds, count),
      fail: (error) => this.fail(error),
    })
  }

  get rowCount(): number {
    return this.#rows.index.count
  }

  /** On a new connection: takes the locks again. Cells that another process has claimed meanwhile are left to it. */
  async restore(client: ClientBase): Promise<void> {
    await lockRun(client, this.#parts.run)
    for (const rowId of this.held.keys()) if (!(await tryLockCell(client, rowId))) this.drop(rowId)
    if (this.#worker !== null) await registerWorker(client, this.#parts.run, this.#parts.worker, this.#worker)
  }

  override async setIdentity(make: IdentityFrom): Promise<IdentityOutcome> {
    const outcome = await super.setIdentity(make)
    if (!outcome.ok) return outcome
    const { run, worker, session } = this.#parts
    this.#worker ??= await session.use((client) => registerWorker(client, run, worker, null))
    return outcome
  }

  protected async compareIdentity(make: IdentityFrom, keep: boolean): Promise<IdentityOutcome> {
    await this.#catchUp()
    await this.#answers.refresh()
    const { session, run, label: file } = this.#parts
    const stored = storedRunIn({ file, session, run, rows: this.#rows, answers: this.#answers })
    const outcome = await checkIdentity(stored, { isShared: await stored.isShared(), keep }, make)
    if (outcome.ok && keep) this.#revision = stored.revision
    return outcome
  }

  async planResume(cells: Iterable<RowIdentity>): Promise<ResumePlan> {
    await this.#catchUp()
    await this.#answers.refresh()
    return resumePlanOf(this.#rows, this.#answers, cells)
  }

  async contentDigest(): Promise<string> {
    await this.#catchUp()
    await this.#answers.refresh()
    return contentDigestOf(this.#rows, this.#answers.rowIds())
  }

  async tryClaim(rowId: string): Promise<ClaimAttempt> {
    this.assertUsable()
    const known = this.#rows.index.find(rowId)
    if (known !== -1) return { outcome: 'stored', row: await this.#rows.readAt(known) }
    if (this.held.has(rowId) || this.#taking.has(rowId)) return { outcome: 'held' }
    this.#taking.add(rowId)
    try {
      return await this.#parts.session.use((client) => this.#take(client, rowId))
    } finally {
      this.#taking.delete(rowId)
    }
  }

  /** Locks first and looks then: a row that an earlier owner stored is committed before its lock falls, so the second statement sees it. */
  async #take(client: ClientBase, rowId: string): Promise<ClaimAttempt> {
    const { run } = this.#parts
    // One message to the server; neither text can hold anything but digits and hexadecimal digits.
    const results = (await client.query(
      `SELECT pg_try_advisory_lock(${cellLock(rowId)}) AS won;
       SELECT true AS is_row, line FROM rag_ladder.rows WHERE run = ${run} AND row_id = '${rowId}'
       UNION ALL SELECT false, line FROM rag_ladder.answers WHERE run = ${run} AND row_id = '${rowId}'`,
    )) as unknown as [{ rows: { won: boolean }[] }, { rows: { is_row: boolean; line: Buffer }[] }]
    const { won } = results[0].rows[0]!
    const found = results[1].rows
    const stored = found.find(({ is_row }) => is_row)
    if (stored !== undefined) {
      if (won) await unlockCells(client, [rowId])
      this.#expectNews()
      return { outcome: 'stored', row: this.#decoded(stored.line, rowId) }
    }
    if (!won) return { outcome: 'held' }
    const claim: CellClaim = { rowId }
    this.held.set(rowId, claim)
    const answered = found[0] === undefined ? null : this.#decoded(found[0].line, rowId)
    return { outcome: 'claimed', claim, answered }
  }

  #decoded(line: Buffer, rowId: string): CanonicalRow {
    const decoded = decodeLine(line.subarray(0, -1), 'quick')
    if (decoded.ok && decoded.row.row_id === rowId) return decoded.row
    const problem = decoded.ok ? `it is the row ${decoded.row.row_id}` : decoded.problem
    throw new EvidenceError('damaged', `${this.file}: row ${rowId}: ${problem}`, { file: this.file, rowId })
  }

  protected write(kind: WriteKind, claim: CellClaim, sealed: SealedRow): Promise<void> {
    return this.#writes.write(kind, claim, sealed)
  }

  /** The rows are committed: their locks fall after that, never before. */
  #afterStoring(rowIds: readonly string[], count: number): void {
    for (const rowId of rowIds) this.drop(rowId)
    this.#unlock(rowIds)
    if (count > this.rowCount) this.#expectNews()
  }

  /** Not waited for: it follows on the same connection, and one that breaks has freed the locks. */
  #unlock(rowIds: readonly string[]): void {
    this.#parts.session.use((client) => unlockCells(client, rowIds)).catch((error: unknown) => this.fail(error))
  }

  /** Indexes soon what was stored since, and not after each row: a worker then passes over what others made without asking. */
  #expectNews(): void {
    if (this.#news !== null || this.closing !== null) return
    this.#news = setTimeout(() => {
      this.#news = null
      if (this.closing === null && this.failure === null) this.#catchUp().catch((error: unknown) => this.fail(error))
    }, NEWS_MS)
  }

  async release(claim: CellClaim): Promise<void> {
    if (this.held.get(claim.rowId) !== claim) return
    this.drop(claim.rowId)
    if (this.failure === null && this.closing === null)
      await this.#parts.session.use((client) => unlockCells(client, [claim.rowId]))
  }

  async read(rowId: string): Promise<CanonicalRow | null> {
    this.assertUsable()
    if (!this.#rows.has(rowId)) await this.#catchUp()
    const ordinal = this.#rows.index.find(rowId)
    return ordinal === -1 ? null : this.#rows.readAt(ordinal)
  }

  isStored(rowId: string): boolean {
    return this.#rows.has(rowId)
  }

  async *rows(): AsyncGenerator<CanonicalRow> {
    await this.#catchUp()
    yield* this.#rows.rows(Array.from({ length: this.rowCount }, (_, ordinal) => ordinal))
  }

  async *openRows(): AsyncGenerator<CanonicalRow> {
    await this.#catchUp()
    yield* this.#rows.rows(this.#rows.index.open())
  }

  retryOf(cellId: string): number {
    return Math.max(this.#rows.index.retryOf(cellId), this.#answers.retryOf(cellId))
  }

  #catchUp(): Promise<void> {
    this.assertUsable()
    const next = this.#catchingUp.then(async () => {
      await this.#rows.catchUp()
      await this.checkNewRows(this.#rows)
    })
    this.#catchingUp = next.catch(() => undefined)
    return next.catch((error: unknown) => {
      throw this.fail(error)
    })
  }

  protected async leave(): Promise<void> {
    if (this.#news !== null) clearTimeout(this.#news)
    this.#news = null
    await this.#writes.done
    await this.#catchingUp
    const { session } = this.#parts
    if (this.failure === null && this.#worker !== null && session.isConnected)
      await session
        .use(async (client) => {
          await client.query('UPDATE rag_ladder.workers SET ended_at = now() WHERE key = $1', [this.#worker])
        })
        .catch(() => undefined)
    await session.close()
  }
}
