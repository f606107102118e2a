import type Database from 'better-sqlite3'
import type { IndexChange } from '../../contract/index.ts'
import { ArtifactStore } from './artifact-store.ts'
import { CellWriter } from './cell-writer.ts'
import { Dictionary } from './dictionary.ts'
import { fitting, PAGE_BUDGET_BYTES } from './queries/page-budget.ts'
import { ScopeStore, type StoredScope } from './scope-store.ts'

/** Collects what one sync changed. */
export class ChangeLog {
  readonly #runs = new Map<string, IndexChange['runs'][number]>()
  readonly #removed = new Map<string, IndexChange['removed'][number]>()
  readonly damaged: IndexChange['damaged'] = []

  added(names: { run_id: string; dataset_id: string }, rows: number, replaced: boolean): void {
    const key = JSON.stringify(names)
    const known = this.#runs.get(key)
    if (known === undefined) this.#runs.set(key, { ...names, rows_added: rows, replaced })
    else {
      known.rows_added += rows
      known.replaced ||= replaced
    }
    this.#removed.delete(key)
  }

  removed(names: { run_id: string; dataset_id: string }): void {
    const key = JSON.stringify({ run_id: names.run_id, dataset_id: names.dataset_id })
    this.#runs.delete(key)
    this.#removed.set(key, names)
  }

  /** What to tell; `revision` is the one after the sync. */
  finish(revision: number): IndexChange {
    const [runs, removed] = [[...this.#runs.values()], [...this.#removed.values()]]
    const change = {
      revision,
      runs: fitting(runs, PAGE_BUDGET_BYTES * 0.6),
      removed: fitting(removed, PAGE_BUDGET_BYTES * 0.2),
      damaged: fitting(this.damaged, PAGE_BUDGET_BYTES * 0.2),
    }
    const isWhole = change.runs.length === runs.length && change.removed.length === removed.length
    return { ...change, truncated: !isWhole || change.damaged.length < this.damaged.length }
  }
}

/** A database opened for writing with everything that puts things into it, and the one way to do so: in a transaction. */
export class IndexSession {
  readonly db: Database.Database
  readonly artifacts: ArtifactStore
  readonly scopes: ScopeStore
  readonly cells: CellWriter
  readonly dictionary: Dictionary
  readonly #bump: Database.Statement
  readonly #revision: Database.Statement<[], number>
  #dataVersion: unknown

  constructor(db: Database.Database) {
    this.db = db
    this.dictionary = new Dictionary(db)
    this.artifacts = new ArtifactStore(db)
    this.scopes = new ScopeStore(db, this.dictionary, this.artifacts)
    this.cells = new CellWriter(db, this.dictionary)
    this.#bump = db.prepare('UPDATE state SET revision = revision + 1')
    this.#revision = db.prepare<[], number>('SELECT revision FROM state').pluck()
    this.#dataVersion = this.#readDataVersion()
  }

  get revision(): number {
    return this.#revision.get()!
  }

  /** Runs `work` in one write transaction: all of it or, when it throws, nothing. */
  write<Result>(work: () => Result): Result {
    this.db.exec('BEGIN IMMEDIATE')
    try {
      const version = this.#readDataVersion()
      // Another process wrote in between: what is remembered may not hold any more.
      if (version !== this.#dataVersion) this.#forget()
      this.#dataVersion = version
      const result = work()
      this.#bump.run()
      this.db.exec('COMMIT')
      return result
    } catch (error) {
      if (this.db.inTransaction) this.db.exec('ROLLBACK')
      this.#forget()
      throw error
    }
  }

  /** Takes a dataset run out of the index; inside `write`. */
  wipe(scope: StoredScope, changes: ChangeLog): void {
    changes.removed(this.scopes.names(scope.id))
    this.scopes.wipe(scope)
    this.#forget()
  }

  #forget(): void {
    this.dictionary.forget()
    this.cells.forget()
  }

  #readDataVersion(): unknown {
    return this.db.pragma('data_version', { simple: true })
  }
}
