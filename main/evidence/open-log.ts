import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import type { RunIdentity } from '../../contract/evidence/run-identity.ts'
import { claimLost, EvidenceError, failureOf } from './errors.ts'
import type { AnsweredRow, CellClaim, ClaimAttempt, ClaimOutcome } from './evidence-log.ts'
import { NamedWaiters } from './locks/named-waiters.ts'
import { pause } from './pause.ts'
import { admittedRow } from './rows/admitted-row.ts'
import { checkRowsFrom } from './rows/identity-record.ts'
import type { SealedRow } from './rows/row-file.ts'
import { fingerprint } from './rows/row-identity.ts'
import type { IdentityFrom, IdentityOutcome } from './rows/run-identity.ts'
import type { StoredRows } from './rows/stored-rows.ts'

export type WriteKind = 'row' | 'answer'

/** Both stores' logs share the claims that this process holds, the identity of the run, and the one failure that ends the use of a log. */
export abstract class OpenLog {
  readonly file: string
  protected readonly held = new Map<string, CellClaim>()
  protected failure: EvidenceError | null = null
  protected closing: Promise<void> | null = null
  readonly #runId: string
  /** Sets how often a waiting process looks whether another one is done with a cell. */
  readonly #pollMs: number
  readonly #released = new NamedWaiters()
  /** Holds what each row must share, and how many rows were compared with it. */
  #identity: { run: RunIdentity; digest: Buffer; checkedRows: number } | null = null

  constructor(file: string, runId: string, pollMs: number) {
    this.file = file
    this.#runId = runId
    this.#pollMs = pollMs
  }

  abstract tryClaim(rowId: string): Promise<ClaimAttempt>
  protected abstract compareIdentity(make: IdentityFrom, keep: boolean): Promise<IdentityOutcome>
  protected abstract write(kind: WriteKind, claim: CellClaim, sealed: SealedRow): Promise<void>
  protected abstract leave(): Promise<void>

  checkIdentity(make: IdentityFrom): Promise<IdentityOutcome> {
    return this.compareIdentity(make, false)
  }

  async setIdentity(make: IdentityFrom): Promise<IdentityOutcome> {
    const outcome = await this.compareIdentity(make, true)
    if (outcome.ok) {
      const digest = fingerprint(outcome.identity.reproducibility)
      this.#identity = { run: outcome.identity, digest, checkedRows: 0 }
    }
    return outcome
  }

  protected async checkNewRows(rows: StoredRows): Promise<void> {
    if (this.#identity === null) return
    const { run, digest, checkedRows } = this.#identity
    await checkRowsFrom(checkedRows, rows, run, digest)
    this.#identity.checkedRows = rows.index.count
  }

  async claim(rowId: string, signal?: AbortSignal): Promise<ClaimOutcome> {
    for (;;) {
      signal?.throwIfAborted()
      const outcome = await this.tryClaim(rowId)
      if (outcome.outcome !== 'held') return outcome
      if (this.held.has(rowId)) await this.#released.next(rowId, this.#pollMs, signal)
      else await pause(this.#pollMs * (0.5 + Math.random()), signal)
    }
  }

  keepAnswer(claim: CellClaim, row: AnsweredRow): Promise<void> {
    return this.#admit('answer', claim, row)
  }

  append(claim: CellClaim, row: CanonicalRow): Promise<void> {
    return this.#admit('row', claim, row)
  }

  async #admit(kind: WriteKind, claim: CellClaim, row: CanonicalRow): Promise<void> {
    this.assertUsable()
    if (this.held.get(claim.rowId) !== claim) throw claimLost(this.file, claim.rowId)
    const expected = { file: this.file, runId: this.#runId, identity: this.#identity?.run ?? null }
    await this.write(kind, claim, admittedRow(expected, claim, row))
  }

  protected drop(rowId: string): void {
    this.held.delete(rowId)
    this.#released.wake(rowId)
  }

  /** Ends the use of this handle; the first failure is the one that is reported. */
  protected fail(error: unknown): EvidenceError {
    this.failure ??= failureOf(error, this.file)
    return this.failure
  }

  protected assertUsable(): void {
    if (this.failure !== null) throw this.failure
    if (this.closing !== null) throw new EvidenceError('log_closed', `${this.file} is closed`, { file: this.file })
  }

  close(): Promise<void> {
    this.closing ??= this.leave()
    return this.closing
  }
}
