import { isOneOf } from '../../stores/database/database.ts'
import type { Database, Queries } from '../../stores/database/database.ts'
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
  /** The provider's id of the request; null before its submission. */
  providerId: string | null
  /** Its deadline has passed: it ends as `timeout` where it would end as `cancelled`. */
  isLate: boolean
  /** Of one artifact; null: unknown. */
  price: Micro | null
  /** Null before the end, and where it is unknown. */
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

/** Describes how an operation ends. `settlement`: what becomes of its reservation. */
export interface Ending {
  status: EndedStatus
  settlement: Settlement
  error?: string
  artifacts?: Artifact[]
  provenance?: Record<string, unknown>
  raw?: unknown
}

export type CancelOutcome = 'cancelled' | 'requested' | 'ended' | 'already_requested' | 'not_submitted'

interface OperationRow extends Pick<
  MediaOperation,
  'id' | 'subject' | 'consumer' | 'project' | 'provider' | 'model' | 'modality' | 'status' | 'license' | 'error'
> {
  provider_id: string | null
  is_late: number
  price_micro: number | null
  cost_micro: number | null
  artifacts: string
  provenance: string
  raw: string | null
  deadline_ms: number
  created_ms: number
  updated_ms: number
}

const IS_OPEN = `status IN (${OPEN.map((status) => `'${status}'`).join(', ')})`

export const isEnded = ({ status }: Pick<MediaOperation, 'status'>): boolean =>
  (ENDED as readonly MediaStatus[]).includes(status)

/**
 * Media operations in the platform's database, which several processes share. A status changes only from those that a step expects, in one
 * transaction with the ledger: `queued → submitting → running`, and the first writer of an end wins. `cancellation_requested` and `submission_unknown` keep the reservation.
 */
export class OperationStore {
  readonly #database: Database
  readonly #ledger: BudgetLedger

  constructor(database: Database, ledger: BudgetLedger) {
    this.#database = database
    this.#ledger = ledger
  }

  /** Reserves the cost and stores the operation; `queue` runs in the same transaction. Throws `BudgetRefusedError`; nothing is stored then. */
  async add(operation: NewOperation, queue: (tx: Queries) => Promise<unknown>): Promise<void> {
    const { id, subject, consumer, project, reserved, provider, model, modality, price, license, deadlineMs } =
      operation
    const spending = { operationId: id, subject, consumer, project, amount: reserved }
    const provenance = JSON.stringify(operation.provenance)
    try {
      await this.#database.transaction(async (tx) => {
        await this.#ledger.reserve(tx, spending)
        const now = Date.now()
        await tx.run(
          `INSERT INTO media_operations (id, subject, consumer, project, provider, model, modality, status, price_micro, license, provenance,
           deadline_ms, created_ms, updated_ms) VALUES (?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?, ?, ?, ?)`,
          [id, subject, consumer, project, provider, model, modality, price, license, provenance, deadlineMs, now, now],
        )
        await queue(tx)
      })
    } catch (error) {
      // A ledger of its own takes no part in the transaction.
      await this.#database.transaction((tx) => this.#ledger.settle(tx, spending, { state: 'released' }))
      throw error
    }
  }

  /** As a transaction sees it, where one is given. */
  async get(id: string, queries: Queries = this.#database): Promise<MediaOperation | null> {
    const row = await queries.get<OperationRow>('SELECT * FROM media_operations WHERE id = ?', [id])
    return row === null ? null : toOperation(row)
  }

  /** Newest first, of one user or of all where `subject` is null. */
  async list(subject: string | null, limit: number, offset: number): Promise<MediaOperation[]> {
    const rows = await this.#database.all<OperationRow>(
      `SELECT * FROM media_operations WHERE CAST(@subject AS TEXT) IS NULL OR subject = @subject ORDER BY seq DESC LIMIT @limit OFFSET @offset`,
      { subject, limit, offset },
    )
    return rows.map(toOperation)
  }

  /** Takes a queued operation: of several processes one gets true. */
  async begin(id: string): Promise<boolean> {
    return change(this.#database, id, 'submitting', ['queued'])
  }

  /** The provider certainly has not taken the request: it may be submitted again. */
  async notSubmitted(id: string): Promise<void> {
    await change(this.#database, id, 'queued', ['submitting'])
  }

  /** The provider has the request. Also when another process has given the submission up as unknown: this is first-hand. */
  async submitted(id: string, providerId: string): Promise<void> {
    await this.#database.run(
      `UPDATE media_operations SET status = 'running', provider_id = ?, updated_ms = ?
       WHERE id = ? AND provider_id IS NULL AND status IN ('submitting', 'submission_unknown')`,
      [providerId, Date.now(), id],
    )
  }

  /** Stores that it is unknown whether the provider has the request, or what became of it: nothing submits it again, and it keeps its reservation. */
  async submissionUnknown(id: string): Promise<boolean> {
    return this.#database.transaction(async (tx) => {
      const isChanged = await change(tx, id, 'submission_unknown', ['submitting', 'running'])
      if (isChanged) await this.#ledger.markRecovery(tx, id)
      return isChanged
    })
  }

  /** Asks for cancellation. One without a worker ends at once; any other stays open until its end is known. */
  async requestCancel(id: string): Promise<CancelOutcome> {
    const ending: Ending = { status: 'cancelled', settlement: { state: 'released' }, error: 'cancelled' }
    return this.#database.transaction(async (tx): Promise<CancelOutcome> => {
      const { status } = (await this.get(id, tx))!
      if (status === 'cancellation_requested') return 'already_requested'
      if (await this.endIn(tx, id, ending, ['queued'])) return 'cancelled'
      if (await change(tx, id, 'cancellation_requested', ['running'])) return 'requested'
      return status === 'submitting' || status === 'submission_unknown' ? 'not_submitted' : 'ended'
    })
  }

  /** The deadline has passed: as a request for cancellation that ends as `timeout`. */
  async expire(id: string): Promise<void> {
    await this.#database.run(
      `UPDATE media_operations SET is_late = 1, updated_ms = @now, status = 'cancellation_requested'
       WHERE id = @id AND status = 'running'`,
      { id, now: Date.now() },
    )
  }

  /** Ends an operation and settles its reservation. False when it has ended, or is in none of `from`: nothing changes then. */
  async end(id: string, ending: Ending, from: readonly MediaStatus[] = OPEN): Promise<boolean> {
    return this.#database.transaction((tx) => this.endIn(tx, id, ending, from))
  }

  /** As `end`, in the transaction of a caller. */
  async endIn(tx: Queries, id: string, ending: Ending, from: readonly MediaStatus[] = OPEN): Promise<boolean> {
    const { status, settlement, error = null, artifacts = [], provenance = {}, raw = null } = ending
    const operation = await this.get(id, tx)
    if (operation === null || isEnded(operation) || !from.includes(operation.status)) return false
    await tx.run(
      `UPDATE media_operations SET status = ?, cost_micro = ?, artifacts = ?, provenance = ?, raw = ?, error = ?, updated_ms = ? WHERE id = ?`,
      [
        status,
        settlement.state === 'committed' ? settlement.cost : 0,
        JSON.stringify(artifacts),
        JSON.stringify({ ...operation.provenance, ...provenance }),
        raw === null ? null : JSON.stringify(raw),
        error,
        Date.now(),
        id,
      ],
    )
    await this.#ledger.settle(tx, spendingOf(operation), settlement)
    return true
  }

  /** Gives an ended operation of unknown cost its amount; false when there is none. */
  async correctCost(id: string, cost: Micro): Promise<boolean> {
    return this.#database.transaction(async (tx) => {
      const changes = await tx.run(
        `UPDATE media_operations SET cost_micro = ?, updated_ms = ? WHERE id = ? AND cost_micro IS NULL AND NOT (${IS_OPEN})`,
        [cost, Date.now(), id],
      )
      if (changes > 0) await this.#ledger.correct(tx, id, cost)
      return changes > 0
    })
  }

  /**
   * Settles the reservations of operations that have ended elsewhere or are gone: a ledger in memory does not see what another process ends.
   * Returns the open operations whose background job has ended, which nothing else would ever end.
   */
  async sweep(): Promise<MediaOperation[]> {
    for (const id of await this.#ledger.reserved()) {
      const operation = await this.get(id)
      if (operation === null || !isEnded(operation)) continue
      const settlement: Settlement =
        operation.cost === 0 && operation.status !== 'succeeded'
          ? { state: 'released' }
          : { state: 'committed', cost: operation.cost }
      await this.#database.transaction((tx) => this.#ledger.settle(tx, spendingOf(operation), settlement))
    }
    const rows = await this.#database.all<OperationRow>(
      `SELECT media_operations.* FROM media_operations LEFT JOIN tasks USING (id)
       WHERE media_operations.${IS_OPEN} AND media_operations.status <> 'submission_unknown'
       AND (tasks.id IS NULL OR tasks.status NOT IN ('pending', 'running'))`,
    )
    return rows.map(toOperation)
  }

  /** Removes operations that ended before a moment and returns them: their artifacts are still stored. */
  async removeEnded(beforeMs: number): Promise<MediaOperation[]> {
    return this.#database.transaction(async (tx) => {
      const rows = await tx.all<OperationRow>(
        `DELETE FROM media_operations WHERE NOT (${IS_OPEN}) AND updated_ms < ? RETURNING *`,
        [beforeMs],
      )
      return rows.map(toOperation)
    })
  }
}

async function change(queries: Queries, id: string, to: MediaStatus, from: readonly MediaStatus[]): Promise<boolean> {
  const { sql, params } = isOneOf('status', from)
  const changes = await queries.run(
    `UPDATE media_operations SET status = @to, updated_ms = @now WHERE id = @id AND ${sql}`,
    { id, to, now: Date.now(), ...params },
  )
  return changes > 0
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
