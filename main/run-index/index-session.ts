import { basename } from 'node:path'
import type Database from 'better-sqlite3'
import type { IndexChange } from '../../contract/control/run-index/upkeep.ts'
import { artifactName } from '../evidence/files/artifact-files.ts'
import { ArtifactStore, type Artifact } from './apply/artifact-store.ts'
import { CellWriter } from './apply/cell-writer.ts'
import { Dictionary } from './apply/dictionary.ts'
import { fitting, PAGE_BUDGET_BYTES } from './queries/fit-answer.ts'
import { ScopeStore, type NewScope, type StoredScope } from './apply/scope-store.ts'

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

  /** The change to report, cut to the size of an answer; `revision` is the one after the sync. */
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

/** A database opened for writing and everything that writes into it. All writing happens inside `write`, in one transaction. */
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
      // Another process wrote in between: what is remembered may be outdated.
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

  /**
   * Makes `artifact` the file that its dataset run is indexed from; inside `write`. Where several files hold the same dataset run, such as a
   * working file and its published copy, evidence precedes snapshots, earlier folders precede later ones, and the name that the runner
   * gives precedes any other. Null when another file precedes `artifact`, which is then marked as its copy.
   */
  claim(scope: NewScope, artifact: Artifact, changes: ChangeLog): StoredScope | null {
    const { scopes, artifacts } = this
    const stored = scopes.find(scope.runId, scope.datasetId)
    if (stored !== null) {
      const owner = artifacts.get(stored.owner)
      if (owner !== null && owner.id !== artifact.id && precedes(scope, owner, artifact)) {
        artifacts.change(artifact, { scope: stored.id })
        return null
      }
      this.wipe(stored, changes)
    }
    const created = scopes.create(scope, artifact)
    artifacts.change(artifacts.get(artifact.id)!, { scope: created.id })
    return created
  }

  /** Removes a dataset run from the index; inside `write`. */
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

type Names = Pick<NewScope, 'runId' | 'datasetId'>

const rankOf = ({ runId, datasetId }: Names, { kind, folder, path }: Artifact): (number | string)[] => [
  kind === 'evidence' ? 0 : 1,
  folder,
  basename(path) === artifactName(kind, runId, datasetId) ? 0 : 1,
  path,
]

function precedes(names: Names, a: Artifact, b: Artifact): boolean {
  const [first, second] = [rankOf(names, a), rankOf(names, b)]
  for (const [index, value] of first.entries()) if (value !== second[index]) return value < second[index]!
  return true
}
