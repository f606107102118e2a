import type Database from 'better-sqlite3'
import type { RowDataset } from '../../../contract/evidence/canonical-row.ts'
import type { Artifact, ArtifactStore } from './artifact-store.ts'
import type { Scope } from './tallies.ts'
import type { Dictionary } from './dictionary.ts'

export interface StoredScope extends Scope {
  /** The file that its cells come from. */
  owner: number
  kind: 'canonical' | 'historical'
}

export interface NewScope {
  runId: string
  datasetId: string
  kind: StoredScope['kind']
  label: string
  complexityLevel: RowDataset['complexity_level'] | null
}

const SELECT = 'SELECT id, run, dataset, owner, kind FROM dataset_runs'

/** Creates, finds and removes dataset runs. Call the writing methods inside a transaction. */
export class ScopeStore {
  readonly #dictionary: Dictionary
  readonly #artifacts: ArtifactStore
  readonly #byNames: Database.Statement<[string, string], StoredScope>
  readonly #byOwner: Database.Statement<[number], StoredScope>
  readonly #byId: Database.Statement<[number], StoredScope>
  readonly #insert: Database.Statement
  readonly #names: Database.Statement<[number], { run_id: string; dataset_id: string }>
  readonly #wipe: Database.Statement[]
  readonly #setNewest: Database.Statement
  readonly #wipeRun: Database.Statement

  constructor(db: Database.Database, dictionary: Dictionary, artifacts: ArtifactStore) {
    this.#dictionary = dictionary
    this.#artifacts = artifacts
    this.#byNames = db.prepare(
      `${SELECT} WHERE run = (SELECT id FROM runs WHERE run_id = ?) AND dataset =
       (SELECT id FROM datasets WHERE dataset_id = ?)`,
    )
    this.#byOwner = db.prepare(`${SELECT} WHERE owner = ?`)
    this.#byId = db.prepare(`${SELECT} WHERE id = ?`)
    this.#insert = db.prepare(
      `INSERT INTO dataset_runs (run, dataset, owner, kind, label, complexity_level)
       VALUES (@run, @dataset, @owner, @kind, @label, @complexityLevel)`,
    )
    this.#names = db.prepare(
      `SELECT run_id, dataset_id FROM dataset_runs d JOIN runs r ON r.id = d.run JOIN datasets s ON s.id = d.dataset
       WHERE d.id = ?`,
    )
    this.#wipe = [
      'DELETE FROM answer_text WHERE rowid IN (SELECT id FROM cells WHERE scope = ?)',
      'DELETE FROM source_lists WHERE cell IN (SELECT id FROM cells WHERE scope = ?)',
      'DELETE FROM cell_tallies WHERE scope = ?',
      'DELETE FROM column_tallies WHERE scope = ?',
      'DELETE FROM cells WHERE scope = ?',
      'DELETE FROM verdicts WHERE scope = ?',
      'DELETE FROM dataset_run_questions WHERE scope = ?',
      'DELETE FROM dataset_run_aliases WHERE scope = ?',
      'DELETE FROM dataset_runs WHERE id = ?',
    ].map((sql) => db.prepare(sql))
    this.#setNewest = db.prepare(
      `UPDATE runs SET newest_ms = coalesce((SELECT max(last_ms) FROM dataset_runs WHERE run = runs.id), 0) WHERE id = ?`,
    )
    this.#wipeRun = db.prepare(
      'DELETE FROM runs WHERE id = ? AND NOT EXISTS (SELECT 1 FROM dataset_runs WHERE run = runs.id)',
    )
  }

  find(runId: string, datasetId: string): StoredScope | null {
    return this.#byNames.get(runId, datasetId) ?? null
  }

  ofOwner(artifact: number): StoredScope | null {
    return this.#byOwner.get(artifact) ?? null
  }

  get(id: number): StoredScope | null {
    return this.#byId.get(id) ?? null
  }

  names(id: number): { run_id: string; dataset_id: string } {
    return this.#names.get(id)!
  }

  create({ runId, datasetId, kind, label, complexityLevel }: NewScope, owner: Artifact): StoredScope {
    const run = this.#dictionary.run(runId)
    const dataset = this.#dictionary.dataset(datasetId)
    const { lastInsertRowid } = this.#insert.run({ run, dataset, owner: owner.id, kind, label, complexityLevel })
    return { id: Number(lastInsertRowid), run, dataset, owner: owner.id, kind }
  }

  /** Removes a dataset run from the index and marks its files as unread. Its number may be reused afterwards. */
  wipe(scope: StoredScope): void {
    this.#artifacts.forgetScope(scope.id)
    for (const statement of this.#wipe) statement.run(scope.id)
    this.#setNewest.run(scope.run)
    this.#wipeRun.run(scope.run)
  }
}
