import { AsyncLocalStorage } from 'node:async_hooks'

/** Knows whether a query is made from inside of an open transaction: one that goes past its handle would wait for itself for ever. */
export class OpenTransactions {
  readonly #current = new AsyncLocalStorage<{ isOpen: boolean }>()

  async run<Result>(step: () => Promise<Result>): Promise<Result> {
    const transaction = { isOpen: true }
    try {
      return await this.#current.run(transaction, step)
    } finally {
      transaction.isOpen = false
    }
  }

  /** Throws inside of a transaction. */
  refuse(): void {
    if (this.#current.getStore()?.isOpen === true)
      throw new Error('A query goes past the transaction that is open: give it the handle of the transaction')
  }
}
