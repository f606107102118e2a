import type { Database, Queries } from '../../stores/database/database.ts'
import type { BudgetSettings, Micro } from './media-settings.ts'

/** Describes what an operation reserves, and for whom. */
export interface Spending {
  operationId: string
  subject: string | null
  consumer: string
  project: string | null
  /** Null: unknown. */
  amount: Micro | null
}

/** Describes how an operation's spending ended: `cost` null when an unknown amount was charged. */
export type Settlement = { state: 'committed'; cost: Micro | null } | { state: 'released' }

/** The budget refuses a reservation; the message is for the caller. */
export class BudgetRefusedError extends Error {
  override readonly name = 'BudgetRefusedError'
  readonly code: 'over_cap' | 'unknown_cost'

  constructor(code: 'over_cap' | 'unknown_cost', message: string) {
    super(message)
    this.code = code
  }
}

/** Spending of one scope, `consumer` or `consumer:project`. */
export interface ScopeTotal {
  scope: string
  reserved: Micro
  committed: Micro
  /** Reservations whose submission has no known outcome, and charges of unknown cost. */
  recoveries: number
  cap: Micro | null
}

interface LedgerRow {
  operation_id: string
  state: 'reserved' | 'committed' | 'released'
  reserved_micro: number | null
  cost_micro: number | null
}

const SPENT = `CASE state WHEN 'reserved' THEN coalesce(reserved_micro, 0) WHEN 'committed' THEN coalesce(cost_micro, reserved_micro, 0) ELSE 0 END`

/**
 * Ledger of what media operations cost: one row each, reserved before the operation is accepted, then committed or released once. A
 * reservation counts against the caps like spent money, so that concurrent operations cannot exceed them together. Its writes are part of the
 * transaction that they are given, unless the ledger has a database apart, such as one in memory.
 */
export class BudgetLedger {
  readonly #database: Database
  readonly #settings: BudgetSettings
  readonly #isApart: boolean
  readonly #now: () => number

  constructor(database: Database, settings: BudgetSettings, { isApart = false, now = Date.now } = {}) {
    this.#database = database
    this.#settings = settings
    this.#isApart = isApart
    this.#now = now
  }

  /** Throws `BudgetRefusedError` for what would exceed a cap, or has an unknown cost that is not allowed. Without a budget it does nothing. */
  async reserve(outer: Queries, spending: Spending): Promise<void> {
    const { enabled, allowUnknownCost, currency } = this.#settings
    if (!enabled) return
    const { amount, operationId, subject, consumer, project } = spending
    if (amount === null && !allowUnknownCost)
      throw new BudgetRefusedError(
        'unknown_cost',
        'The cost of this model is unknown: give it one in MEDIA_FAL_MODELS, or set MEDIA_BUDGET_ALLOW_UNKNOWN_COST',
      )
    await this.#write(outer, async (tx) => {
      for (const scope of scopesOf(consumer, project)) {
        const cap = this.#capOf(scope)
        if (cap === null) continue
        const spent = await this.#spent(tx, consumer, scope === consumer ? null : project)
        if (spent + (amount ?? 0) > cap)
          throw new BudgetRefusedError(
            'over_cap',
            `The media budget of ${scope} does not cover this operation: ${cap / 1e6} ${currency} are allowed, ${spent / 1e6} are spent or reserved, ${(amount ?? 0) / 1e6} are asked for`,
          )
      }
      const now = this.#now()
      await tx.run(
        `INSERT INTO media_ledger (operation_id, subject, consumer, project, currency, state, reserved_micro, created_ms, updated_ms)
         VALUES (?, ?, ?, ?, ?, 'reserved', ?, ?, ?)`,
        [operationId, subject, consumer, project, currency, amount, now, now],
      )
    })
  }

  /**
   * Commits or releases what an operation reserved; a row that is settled stays as it is. A charge without a reservation, which a ledger in
   * memory lost with its process, is recorded while the budget is enabled.
   */
  async settle(outer: Queries, spending: Spending, settlement: Settlement): Promise<void> {
    const { operationId, subject, consumer, project } = spending
    const { currency, enabled } = this.#settings
    const isCommitted = settlement.state === 'committed'
    const cost = settlement.state === 'committed' ? settlement.cost : null
    const now = this.#now()
    await this.#write(outer, async (tx) => {
      const changes = await tx.run(
        `UPDATE media_ledger SET state = @state, cost_micro = @cost, is_recovery = @recovery, updated_ms = @now
         WHERE operation_id = @operationId AND state = 'reserved'`,
        { state: settlement.state, cost, recovery: isCommitted && cost === null ? 1 : 0, now, operationId },
      )
      if (changes > 0 || !isCommitted || !enabled) return
      await tx.run(
        `INSERT INTO media_ledger (operation_id, subject, consumer, project, currency, state, is_recovery, cost_micro, created_ms, updated_ms)
         VALUES (?, ?, ?, ?, ?, 'committed', ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        [operationId, subject, consumer, project, currency, cost === null ? 1 : 0, cost, now, now],
      )
    })
  }

  /** Marks a reservation whose submission has no known outcome: it stays reserved until it is reconciled. */
  async markRecovery(outer: Queries, operationId: string): Promise<void> {
    await this.#write(outer, async (tx) => {
      await tx.run(
        `UPDATE media_ledger SET is_recovery = 1, updated_ms = ? WHERE operation_id = ? AND state = 'reserved'`,
        [this.#now(), operationId],
      )
    })
  }

  /** Gives a charge of unknown cost its amount. */
  async correct(outer: Queries, operationId: string, cost: Micro): Promise<void> {
    await this.#write(outer, async (tx) => {
      await tx.run(
        `UPDATE media_ledger SET cost_micro = ?, is_recovery = 0, updated_ms = ?
         WHERE operation_id = ? AND state = 'committed' AND cost_micro IS NULL`,
        [cost, this.#now(), operationId],
      )
    })
  }

  /** Operations whose spending is reserved. */
  async reserved(): Promise<string[]> {
    const rows = await this.#database.all<LedgerRow>(`SELECT operation_id FROM media_ledger WHERE state = 'reserved'`)
    return rows.map(({ operation_id: id }) => id)
  }

  async find(operationId: string): Promise<LedgerRow | null> {
    return this.#database.get<LedgerRow>(
      'SELECT operation_id, state, reserved_micro, cost_micro FROM media_ledger WHERE operation_id = ?',
      [operationId],
    )
  }

  /** Totals by scope, in the current currency, of one user or of all where `subject` is null. */
  async totals(subject: string | null): Promise<ScopeTotal[]> {
    const rows = await this.#database.all<{
      consumer: string
      project: string | null
      reserved: number
      committed: number
      recoveries: number
    }>(
      `SELECT consumer, project,
         sum(CASE state WHEN 'reserved' THEN coalesce(reserved_micro, 0) ELSE 0 END) AS reserved,
         sum(CASE state WHEN 'committed' THEN coalesce(cost_micro, 0) ELSE 0 END) AS committed,
         sum(is_recovery) AS recoveries
       FROM media_ledger WHERE currency = @currency AND (CAST(@subject AS TEXT) IS NULL OR subject = @subject) GROUP BY consumer, project`,
      { currency: this.#settings.currency, subject },
    )
    const totals = new Map<string, ScopeTotal>()
    for (const { consumer, project, ...sums } of rows)
      for (const scope of scopesOf(consumer, project)) {
        const total = totals.get(scope) ?? { scope, reserved: 0, committed: 0, recoveries: 0, cap: this.#capOf(scope) }
        totals.set(scope, {
          ...total,
          reserved: total.reserved + sums.reserved,
          committed: total.committed + sums.committed,
          recoveries: total.recoveries + sums.recoveries,
        })
      }
    return [...totals.values()].sort((left, right) => (left.scope < right.scope ? -1 : 1))
  }

  /** Removes settled rows that are older than the retention; those that wait for a person stay. */
  async prune(): Promise<void> {
    const { retentionMs } = this.#settings
    if (retentionMs === null) return
    await this.#database.run(
      `DELETE FROM media_ledger WHERE state <> 'reserved' AND is_recovery = 0 AND updated_ms < ?`,
      [this.#now() - retentionMs],
    )
  }

  #capOf(scope: string): Micro | null {
    const named = this.#settings.caps.get(scope)
    if (named !== undefined) return named
    return scope.includes(':') ? null : this.#settings.defaultCap
  }

  async #spent(tx: Queries, consumer: string, project: string | null): Promise<Micro> {
    const row = await tx.get<{ spent: Micro }>(
      `SELECT coalesce(sum(${SPENT}), 0) AS spent FROM media_ledger
       WHERE currency = @currency AND consumer = @consumer AND (CAST(@project AS TEXT) IS NULL OR project = @project)`,
      { currency: this.#settings.currency, consumer, project },
    )
    return row!.spent
  }

  async #write(outer: Queries, step: (tx: Queries) => Promise<void>): Promise<void> {
    await (this.#isApart ? this.#database.transaction(step) : step(outer))
  }
}

const scopesOf = (consumer: string, project: string | null): string[] =>
  project === null ? [consumer] : [consumer, `${consumer}:${project}`]
