import type Database from 'better-sqlite3'
import type { BudgetSettings, Micro } from './media-settings.ts'

/** What an operation reserves, and for whom. */
export interface Spending {
  operationId: string
  subject: string | null
  consumer: string
  project: string | null
  /** Null: unknown. */
  amount: Micro | null
}

/** How an operation's spending ended: `cost` null when it was charged and nobody knows how much. */
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
 * reservation counts against the caps like spent money, so that concurrent operations cannot exceed them together.
 */
export class BudgetLedger {
  readonly #database: Database.Database
  readonly #settings: BudgetSettings
  readonly #now: () => number

  constructor(database: Database.Database, settings: BudgetSettings, now: () => number = Date.now) {
    this.#database = database
    this.#settings = settings
    this.#now = now
  }

  /** Throws `BudgetRefusedError` for what would exceed a cap, or has an unknown cost that is not allowed. Without a budget it does nothing. */
  reserve(spending: Spending): void {
    const { enabled, allowUnknownCost, currency } = this.#settings
    if (!enabled) return
    const { amount, operationId, subject, consumer, project } = spending
    if (amount === null && !allowUnknownCost)
      throw new BudgetRefusedError(
        'unknown_cost',
        'The cost of this model is unknown: give it one in MEDIA_FAL_MODELS, or set MEDIA_BUDGET_ALLOW_UNKNOWN_COST',
      )
    this.#database
      .transaction(() => {
        for (const scope of scopesOf(consumer, project)) {
          const cap = this.#capOf(scope)
          if (cap === null) continue
          const spent = this.#spent(consumer, scope === consumer ? null : project)
          if (spent + (amount ?? 0) > cap)
            throw new BudgetRefusedError(
              'over_cap',
              `The media budget of ${scope} does not cover this operation: ${cap / 1e6} ${currency} are allowed, ${spent / 1e6} are spent or reserved, ${(amount ?? 0) / 1e6} are asked for`,
            )
        }
        const now = this.#now()
        this.#database
          .prepare(
            `INSERT INTO media_ledger (operation_id, subject, consumer, project, currency, state, reserved_micro, created_ms, updated_ms)
             VALUES (?, ?, ?, ?, ?, 'reserved', ?, ?, ?)`,
          )
          .run(operationId, subject, consumer, project, currency, amount, now, now)
      })
      .immediate()
  }

  /**
   * Commits or releases what an operation reserved; a row that is settled stays as it is. A charge without a reservation, which a ledger in
   * memory lost with its process, is recorded while the budget is enabled.
   */
  settle(spending: Spending, settlement: Settlement): void {
    const { operationId, subject, consumer, project } = spending
    const isCommitted = settlement.state === 'committed'
    const cost = settlement.state === 'committed' ? settlement.cost : null
    const now = this.#now()
    const { changes } = this.#database
      .prepare(
        `UPDATE media_ledger SET state = @state, cost_micro = @cost, is_recovery = @recovery, updated_ms = @now
         WHERE operation_id = @operationId AND state = 'reserved'`,
      )
      .run({ state: settlement.state, cost, recovery: isCommitted && cost === null ? 1 : 0, now, operationId })
    if (changes > 0 || !isCommitted || !this.#settings.enabled) return
    this.#database
      .prepare(
        `INSERT OR IGNORE INTO media_ledger (operation_id, subject, consumer, project, currency, state, is_recovery, cost_micro, created_ms, updated_ms)
         VALUES (?, ?, ?, ?, ?, 'committed', ?, ?, ?, ?)`,
      )
      .run(operationId, subject, consumer, project, this.#settings.currency, cost === null ? 1 : 0, cost, now, now)
  }

  /** Marks a reservation whose submission has no known outcome: it stays reserved until somebody reconciles it. */
  markRecovery(operationId: string): void {
    this.#database
      .prepare(`UPDATE media_ledger SET is_recovery = 1, updated_ms = ? WHERE operation_id = ? AND state = 'reserved'`)
      .run(this.#now(), operationId)
  }

  /** Gives a charge of unknown cost its amount; false when there is none. */
  correct(operationId: string, cost: Micro): boolean {
    const { changes } = this.#database
      .prepare(
        `UPDATE media_ledger SET cost_micro = ?, is_recovery = 0, updated_ms = ?
         WHERE operation_id = ? AND state = 'committed' AND cost_micro IS NULL`,
      )
      .run(cost, this.#now(), operationId)
    return changes > 0
  }

  /** Operations whose spending is reserved. */
  reserved(): string[] {
    return this.#database
      .prepare<[], string>(`SELECT operation_id FROM media_ledger WHERE state = 'reserved'`)
      .pluck()
      .all()
  }

  find(operationId: string): Pick<LedgerRow, 'state' | 'reserved_micro' | 'cost_micro'> | null {
    const row = this.#database
      .prepare<[string], LedgerRow>('SELECT * FROM media_ledger WHERE operation_id = ?')
      .get(operationId)
    return row ?? null
  }

  /** Totals by scope, in the current currency, of one user or of all where `subject` is null. */
  totals(subject: string | null): ScopeTotal[] {
    const rows = this.#database
      .prepare<
        Record<string, unknown>,
        { consumer: string; project: string | null; reserved: number; committed: number; recoveries: number }
      >(
        `SELECT consumer, project,
           sum(CASE state WHEN 'reserved' THEN coalesce(reserved_micro, 0) ELSE 0 END) AS reserved,
           sum(CASE state WHEN 'committed' THEN coalesce(cost_micro, 0) ELSE 0 END) AS committed,
           sum(is_recovery) AS recoveries
         FROM media_ledger WHERE currency = @currency AND (@subject IS NULL OR subject = @subject) GROUP BY consumer, project`,
      )
      .all({ currency: this.#settings.currency, subject })
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
  prune(): void {
    const { retentionMs } = this.#settings
    if (retentionMs === null) return
    this.#database
      .prepare(`DELETE FROM media_ledger WHERE state <> 'reserved' AND is_recovery = 0 AND updated_ms < ?`)
      .run(this.#now() - retentionMs)
  }

  #capOf(scope: string): Micro | null {
    const named = this.#settings.caps.get(scope)
    if (named !== undefined) return named
    return scope.includes(':') ? null : this.#settings.defaultCap
  }

  #spent(consumer: string, project: string | null): Micro {
    return this.#database
      .prepare<Record<string, unknown>, number>(
        `SELECT coalesce(sum(${SPENT}), 0) FROM media_ledger
         WHERE currency = @currency AND consumer = @consumer AND (@project IS NULL OR project = @project)`,
      )
      .pluck()
      .get({ currency: this.#settings.currency, consumer, project })!
  }
}

const scopesOf = (consumer: string, project: string | null): string[] =>
  project === null ? [consumer] : [consumer, `${consumer}:${project}`]
