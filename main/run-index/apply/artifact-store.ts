import type Database from 'better-sqlite3'
import type { ArtifactState } from '../../../contract/control/run-index/runs.ts'
import type { ArtifactKind } from '../../evidence/files/artifact-files.ts'

/** The index's entry of a file. */
export interface Artifact {
  id: number
  path: string
  /** The path up to the ending that marks its kind: artifacts of one dataset run share it. */
  prefix: string
  kind: ArtifactKind
  /** Position of its folder in the list of folders. */
  folder: number
  state: ArtifactState
  /** Device and inode when it was last looked at; empty when it must be read again. */
  identity: string
  sizeBytes: number
  modifiedMs: number
  appliedBytes: number
  appliedLines: number
  sha256: string | null
  /** The dataset run that it belongs to. */
  scope: number | null
  damageOffset: number | null
  damageLine: number | null
  damageMessage: string | null
}

export type ArtifactChange = Partial<Omit<Artifact, 'id' | 'path' | 'prefix' | 'kind'>>

const COLUMNS: Record<keyof Omit<Artifact, 'id'>, string> = {
  path: 'path',
  prefix: 'prefix',
  kind: 'kind',
  folder: 'folder',
  state: 'state',
  identity: 'identity',
  sizeBytes: 'size_bytes',
  modifiedMs: 'modified_ms',
  appliedBytes: 'applied_bytes',
  appliedLines: 'applied_lines',
  sha256: 'sha256',
  scope: 'scope',
  damageOffset: 'damage_offset',
  damageLine: 'damage_line',
  damageMessage: 'damage_message',
}
const FIELDS = Object.keys(COLUMNS) as (keyof Omit<Artifact, 'id'>)[]
const SELECT = `SELECT id, ${FIELDS.map((field) => `${COLUMNS[field]} AS ${field}`).join(', ')} FROM artifacts`

export const readArtifacts = (db: Database.Database): Artifact[] =>
  db.prepare<[], Artifact>(`${SELECT} ORDER BY folder, path`).all()

/** The artifacts of a dataset run, owners and copies alike. */
export const artifactsOfScope = (db: Database.Database, scope: number): Artifact[] =>
  db.prepare<[number], Artifact>(`${SELECT} WHERE scope = ? ORDER BY folder, path`).all(scope)

/** Reads and writes the rows of `artifacts`; call the writing methods inside a transaction. */
export class ArtifactStore {
  readonly #db: Database.Database
  readonly #insert: Database.Statement
  readonly #update: Database.Statement
  readonly #get: Database.Statement<[number], Artifact>
  readonly #remove: Database.Statement
  readonly #forgetScope: Database.Statement

  constructor(db: Database.Database) {
    this.#db = db
    const columns = FIELDS.map((field) => COLUMNS[field]).join(', ')
    this.#insert = db.prepare(
      `INSERT INTO artifacts (${columns}) VALUES (${FIELDS.map((field) => `@${field}`).join(', ')})`,
    )
    this.#update = db.prepare(
      `UPDATE artifacts SET ${FIELDS.map((field) => `${COLUMNS[field]} = @${field}`).join(', ')} WHERE id = @id`,
    )
    this.#get = db.prepare<[number], Artifact>(`${SELECT} WHERE id = ?`)
    this.#remove = db.prepare('DELETE FROM artifacts WHERE id = ?')
    this.#forgetScope = db.prepare(
      `UPDATE artifacts SET identity = '', scope = NULL, state = 'listed', applied_bytes = 0, applied_lines = 0,
       sha256 = NULL, damage_offset = NULL, damage_line = NULL, damage_message = NULL WHERE scope = ?`,
    )
  }

  all(): Artifact[] {
    return readArtifacts(this.#db)
  }

  get(id: number): Artifact | null {
    return this.#get.get(id) ?? null
  }

  /** Adds a new file, unread. */
  add(file: Pick<Artifact, 'path' | 'prefix' | 'kind' | 'folder'>): Artifact {
    const artifact: Omit<Artifact, 'id'> = {
      ...file,
      state: 'listed',
      identity: '',
      sizeBytes: 0,
      modifiedMs: 0,
      appliedBytes: 0,
      appliedLines: 0,
      sha256: null,
      scope: null,
      damageOffset: null,
      damageLine: null,
      damageMessage: null,
    }
    return { ...artifact, id: Number(this.#insert.run(artifact).lastInsertRowid) }
  }

  /** Writes and returns the changed artifact. */
  change(artifact: Artifact, change: ArtifactChange): Artifact {
    const changed = { ...artifact, ...change }
    this.#update.run(changed)
    return changed
  }

  remove(id: number): void {
    this.#remove.run(id)
  }

  /** Marks all files of a dataset run as unread: its content was removed from the index. */
  forgetScope(scope: number): void {
    this.#forgetScope.run(scope)
  }
}
