import type Database from 'better-sqlite3'
import type { BudgetLedger, Settlement } from './budget-ledger.ts'
import type { Micro } from './media-settings.ts'

const OPEN = ['queued', 'submitting', 'running', 'cancellation_requested', 'submission_unknown'] as const
const ENDED = ['succeeded', 'failed', 'cancelled', 'timeout'] as const
export type MediaStatus = (typeof OPEN)[number] | (typeof ENDED)[number]
export type EndedStatus = (typeof ENDED)[number]
export const MODALITIES = ['image', 'video', 'audio'] as const
export type Modality = (typeof MODALITIES)[number]
export type ProviderName = 'local' | 'fal'

/** A generated file in the object store. */
export interface Artifact {
  /** Of the object. */
  name: string
  media_type: string
  size_bytes: number
  sha256: string
  width: number | null
  height: number | null
}

export interface MediaOperation {
  id: string
  subject: string | null
  consumer: string
  project: string | null
  provider: ProviderName
  model: string
  modality: Modality
  status: MediaStatus
  /** The provider's id of the request; null before its submission, and for a local operation. */
  providerId: string | null
  /** Its deadline has passed: it ends as `timeout` where it would end as `cancelled`. */
  isLate: boolean
  /** Of one artifact; null: unknown. */
  price: Micro | null
  /** Null before the end, and where nobody knows it. */
  cost: Micro | null
  license: string | null
  artifacts: Artifact[]
  provenance: Record<string, unknown>
  raw: unknown
  error: string | null
  deadlineMs: number
  createdMs: number
  updatedMs: number
}

export type NewOperation = Pick<
  MediaOperation,
  'id' | 'subject' | 'consumer' | 'project' | 'provider' | 'model' | 'modality' | 'price' | 'license' | 'provenance'
> & { deadlineMs: number; /** Null: unknown. */ reserved: Micro | null }

/** How an operation ends. `settlement`: what becomes of its reservation. */
export interface Ending {
  status: EndedStatus
  settlement: Settlement
  error?: string
  artifacts?: Artifact[]
  provenance?: Record<string, unknown>
  raw?: unknown
}

export type CancelOutcome = 'cancelled' | 'requested' | 'ended' | 'already_requested' | 'not_submitted'

interface OperationRow {
  id: string
  subject: string | null
  consumer: string
  project: string | null
  provider: ProviderName
  model: string
  modality: Modality
  status: MediaStatus
  provider_id: string | null
  is_late: number
  price_micro: number | null
  cost_micro: number | null
  license: string | null
  artifacts: string
  provenance: string
  raw: string | null
  error: string | null
  deadline_ms: number
  created_ms: number
  updated_ms: number
}

const IS_OPEN = `status IN (${OPEN.map((status) => `'${status}'`).join(', ')})`

export const isEnded = ({ status }: Pick<MediaOperation, 'status'>): boolean =>
  (ENDED as readonly MediaStatus[]).includes(status)

/**
 * Media operations in the platform's database, which several processes share. A status changes only from those that a step expects, in one
 * transaction with the ledger: `queued → submitting → running` for a hosted provider, `queued → running` for the local one, and the first
 * writer of an end wins. `cancellation_requested` and `submission_unknown` keep the reservation.
 */
export class OperationStore {
  readonly #database: Database.Database
  readonly #ledger: BudgetLedger
  readonly #now: () => number

  constructor(database: Database.Database, ledger: BudgetLedger, now: () => number = Date.now) {
    this.#database = database
    this.#ledger = ledger
    this.#now = now
  }

  /** Reserves the cost and stores the operation; `queue` runs in the same transaction. Throws `BudgetRefusedError`; nothing is stored then. */
  add(operation: NewOperation, queue: () => void): void {
    const { id, subject, consumer, project, reserved } = operation
    const spending = { operationId: id, subject, consumer, project, amount: reserved }
    try {
      this.#write(() => {
        this.#ledger.reserve(spending)
        const now = this.#now()
        this.#database
          .prepare(
            `INSERT INTO media_operations (id, subject, consumer, project, provider, model, modality, status, price_micro, license, provenance,
             deadline_ms, created_ms, updated_ms) VALUES (@id, @subject, @consumer, @project, @provider, @model, @modality, 'queued', @price,
             @license, @provenance, @deadlineMs, @now, @now)`,
          )
          .run({ ...operation, provenance: JSON.stringify(operation.provenance), now })
        queue()
      })
    } catch (error) {
      // A ledger in memory takes no part in the transaction.
      this.#ledger.settle(spending, { state: 'released' })
      throw error
    }
  }

  get(id: string): MediaOperation | null {
    const row = this.#database.prepare<[string], OperationRow>('SELECT * FROM media_operations WHERE id = ?').get(id)
    return row === undefined ? null : toOperation(row)
  }

  /** Newest first, of one user or of all where `subject` is null. */
  list(subject: string | null, limit: number, offset: number): MediaOperation[] {
    return this.#database
      .prepare<Record<string, unknown>, OperationRow>(
        `SELECT * FROM media_operations WHERE @subject IS NULL OR subject = @subject ORDER BY seq DESC LIMIT @limit OFFSET @offset`,
      )
      .all({ subject, limit, offset })
      .map(toOperation)
  }

  /** Takes a queued operation: of several processes one gets true. */
  begin(id: string, to: 'submitting' | 'running'): boolean {
    return this.#change(id, to, ['queued'])
  }

  /** The provider certainly has not taken the request: it may be submitted again. */
  notSubmitted(id: string): boolean {
    return this.#change(id, 'queued', ['submitting'])
  }

  /** The provider has the request. Also when another process has given the submission up as unknown: this is first-hand. */
  submitted(id: string, providerId: string): boolean {
    return this.#write(() => {
      const { changes } = this.#database
        .prepare(
          `UPDATE media_operations SET status = 'running', provider_id = ?, updated_ms = ?
           WHERE id = ? AND provider_id IS NULL AND status IN ('submitting', 'submission_unknown')`,
        )
        .run(providerId, this.#now(), id)
      return changes > 0
    })
  }

  /** Whether the provider has the request, or what became of it, is unknown: nothing submits it again, and it keeps its reservation. */
  submissionUnknown(id: string): boolean {
    return this.#write(() => {
      const isChanged = this.#change(id, 'submission_unknown', ['submitting', 'running'])
      if (isChanged) this.#ledger.markRecovery(id)
      return isChanged
    })
  }

  /** Asks for cancellation. One that nobody works on ends at once; any other stays open until its end is known. */
  requestCancel(id: string): CancelOutcome {
    return this.#write(() => {
      const { status } = this.get(id)!
      if (status === 'cancellation_requested') return 'already_requested'
      if (this.end(id, { status: 'cancelled', settlement: { state: 'released' }, error: 'cancelled' }, ['queued']))
        return 'cancelled'
      if (this.#change(id, 'cancellation_requested', ['running'])) return 'requested'
      return status === 'submitting' || status === 'submission_unknown' ? 'not_submitted' : 'ended'
    })
  }

  /** The deadline has passed: as a request for cancellation that ends as `timeout`. */
  expire(id: string): void {
    this.#database
      .prepare(
        `UPDATE media_operations SET is_late = 1, updated_ms = @now,
         status = CASE status WHEN 'running' THEN 'cancellation_requested' ELSE status END WHERE id = @id AND status = 'running'`,
      )
      .run({ id, now: this.#now() })
  }

  /** Ends an operation and settles its reservation. False when it has ended, or is in none of `from`: nothing changes then. */
  end(id: string, ending: Ending, from: readonly MediaStatus[] = OPEN): boolean {
    return this.#write(() => {
      const { status, settlement, error = null, artifacts = [], provenance = {}, raw = null } = ending
      const operation = this.get(id)
      if (operation === null) return false
      const cost = settlement.state === 'committed' ? settlement.cost : 0
      const { changes } = this.#database
        .prepare(
          `UPDATE media_operations SET status = @status, cost_micro = @cost, artifacts = @artifacts, provenance = @provenance, raw = @raw,
           error = @error, updated_ms = @now WHERE id = @id AND ${IS_OPEN} AND status IN (SELECT value FROM json_each(@from))`,
        )
        .run({
          id,
          status,
          cost,
          artifacts: JSON.stringify(artifacts),
          provenance: JSON.stringify({ ...operation.provenance, ...provenance }),
          raw: raw === null ? null : JSON.stringify(raw),
          error,
          now: this.#now(),
          from: JSON.stringify(from),
        })
      if (changes > 0) this.#ledger.settle(spendingOf(operation), settlement)
      return changes > 0
    })
  }

  /** Gives an ended operation of unknown cost its amount; false when there is none. */
  correctCost(id: string, cost: Micro): boolean {
    return this.#write(() => {
      const { changes } = this.#database
        .prepare(
          `UPDATE media_operations SET cost_micro = ?, updated_ms = ? WHERE id = ? AND cost_micro IS NULL AND NOT ${IS_OPEN}`,
        )
        .run(cost, this.#now(), id)
      if (changes > 0) this.#ledger.correct(id, cost)
      return changes > 0
    })
  }

  /**
   * Settles the reservations of operations that have ended elsewhere or are gone: a ledger in memory does not see what another process ends.
   * Returns the open operations whose background job has ended, which nobody would ever end.
   */
  sweep(): MediaOperation[] {
    for (const id of this.#ledger.reserved()) {
      const operation = this.get(id)
      if (operation === null || !isEnded(operation)) continue
      const settlement: Settlement =
        operation.cost === 0 && operation.status !== 'succeeded'
          ? { state: 'released' }
          : { state: 'committed', cost: operation.cost }
      this.#ledger.settle(spendingOf(operation), settlement)
    }
    return this.#database
      .prepare<[], OperationRow>(
        `SELECT media_operations.* FROM media_operations LEFT JOIN tasks USING (id)
         WHERE media_operations.${IS_OPEN} AND media_operations.status <> 'submission_unknown'
         AND (tasks.id IS NULL OR tasks.status NOT IN ('pending', 'running'))`,
      )
      .all()
      .map(toOperation)
  }

  /** Removes operations that ended before a moment and returns them: their artifacts are still stored. */
  removeEnded(beforeMs: number): MediaOperation[] {
    return this.#database
      .prepare<[number], OperationRow>(
        `DELETE FROM media_operations WHERE NOT ${IS_OPEN} AND updated_ms < ? RETURNING *`,
      )
      .all(beforeMs)
      .map(toOperation)
  }

  #change(id: string, to: MediaStatus, from: readonly MediaStatus[]): boolean {
    const { changes } = this.#database
      .prepare(
        `UPDATE media_operations SET status = @to, updated_ms = @now WHERE id = @id AND status IN (SELECT value FROM json_each(@from))`,
      )
      .run({ id, to, from: JSON.stringify(from), now: this.#now() })
    return changes > 0
  }

  #write<Result>(step: () => Result): Result {
    return this.#database.transaction(step).immediate()
  }
}

const spendingOf = ({ id, subject, consumer, project }: MediaOperation) => ({
  operationId: id,
  subject,
  consumer,
  project,
  amount: null,
})

const toOperation = (row: OperationRow): MediaOperation => ({
  id: row.id,
  subject: row.subject,
  consumer: row.consumer,
  project: row.project,
  provider: row.provider,
  model: row.model,
  modality: row.modality,
  status: row.status,
  providerId: row.provider_id,
  isLate: row.is_late === 1,
  price: row.price_micro,
  cost: row.cost_micro,
  license: row.license,
  artifacts: JSON.parse(row.artifacts) as Artifact[],
  provenance: JSON.parse(row.provenance) as Record<string, unknown>,
  raw: row.raw === null ? null : (JSON.parse(row.raw) as unknown),
  error: row.error,
  deadlineMs: row.deadline_ms,
  createdMs: row.created_ms,
  updatedMs: row.updated_ms,
})
