import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { isCloudModel, modelNameOf } from '../../../contract/manifests/model-backends.ts'
import type { ModelSet } from '../../../contract/manifests/models.ts'
import { costOf, type Prices } from '../../../contract/manifests/prices.ts'
import { amountWords } from '../../../contract/words.ts'
import { remedyFor } from '../../evidence/typed-command.ts'
import { usageOfRow } from '../../report/aggregate/usage-tally.ts'

/** The answers of a run have cost what its budget allows, or the cost of one is unknown. Every stored answer is kept. */
export class BudgetSpentError extends Error {
  override readonly name = 'BudgetSpentError'
  readonly code = 'budget_spent'
}

/** Paid models of a set without a price: with them no budget can be kept. */
export const unpricedModels = ({ roles }: ModelSet, { models }: Prices): string[] => [
  ...new Set(
    Object.values(roles)
      .filter(isCloudModel)
      .map(modelNameOf)
      .filter((name) => !Object.hasOwn(models, name)),
  ),
]

/**
 * Bounds what the cells of a run may cost, answers and their grading, over all of its datasets. Cells that a resumed run reuses count, so that a run stopped by
 * its budget goes on only with a higher one. Ingestion is not in it, and a failed cell reports no tokens.
 */
export class RunBudget {
  readonly limit: number
  readonly #prices: Prices
  #spent = 0

  /** `limit` in the currency of the prices. */
  constructor(limit: number, prices: Prices) {
    this.limit = limit
    this.#prices = prices
  }

  get spent(): number {
    return this.#spent
  }

  /** Adds a cell, or its grading alone where the answer was stored before. Throws `BudgetSpentError` when the budget is spent, and where a cost is not known. */
  add(row: Pick<CanonicalRow, 'status' | 'metrics' | 'approach'>, { isAnswerCounted = false } = {}): void {
    const { answer: used, grading } = usageOfRow(row)
    const answer = isAnswerCounted ? [] : used
    const { amount, unknown } = costOf([...(answer ?? []), ...grading], this.#prices)
    this.#spent += amount
    const silent = row.status === 'ok' && answer === null ? ['the platform does not report its usage'] : unknown
    if (silent.length > 0) {
      const remedy = remedyFor({
        panel: 'Set the missing price on the page Models, or choose no budget, then start the run of this name again',
        commandLine:
          'Set the missing price (rag-ladder models price), or leave out --budget, then start the run again with --no-cold-reset',
      })
      throw new BudgetSpentError(
        `the cost of an answer of ${row.approach.model} is not known: ${silent.join(', ')}. The run was stopped, because its budget cannot be kept; every stored answer is kept. ${remedy}.`,
      )
    }
    if (this.#spent < this.limit) return
    const { currency } = this.#prices
    const remedy = remedyFor({
      panel: 'Raise the budget in New run, then start the run of this name again',
      commandLine: 'Raise it with --budget, then start the run again with --no-cold-reset',
    })
    throw new BudgetSpentError(
      `the budget of ${amountWords(this.limit, currency)} is spent: the answers of this run have cost ${amountWords(this.#spent, currency)}. The run was stopped, and every stored answer is kept. ${remedy}.`,
    )
  }
}
