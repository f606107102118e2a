import Database from 'better-sqlite3'
import { join } from 'node:path'
import type { FileOps } from '../files/file-ops.ts'
import { isBusy } from '../../lib/files/os-lock.ts'
import { pause } from '../pause.ts'

/** Describes how far the files are complete and synced, as agreed among the living processes. Bytes. */
export interface DurableMarks {
  rowsBytes: number
  answersBytes: number
  /** Raised when the answer journal is rewritten, so that offsets into it are invalid. */
  answersEpoch: number
}

type TableClaim = { won: true; marks: DurableMarks } | { won: false; owner: string }

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS claims (row_id TEXT PRIMARY KEY, owner TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS marks (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    rowsBytes INTEGER NOT NULL, answersBytes INTEGER NOT NULL, answersEpoch INTEGER NOT NULL
  );
  INSERT OR IGNORE INTO marks VALUES (1, 0, 0, 0);
`

/**
 * Who makes which cell, and how far the files are durable. It matters among living processes only: nothing in it is evidence, so it
 * is never synced, and a process that opens the log while no other one has it open recreates it. Another process holds it for microseconds.
 */
export class ClaimTable {
  readonly #database: Database.Database
  readonly #ownerOf: Database.Statement<[string], { owner: string }>
  readonly #insert: Database.Statement<[string, string]>
  readonly #delete: Database.Statement<[string, string]>
  readonly #deleteAll: Database.Statement<[string]>
  readonly #marks: Database.Statement<[], DurableMarks>
  readonly #setMarks: Database.Statement<[DurableMarks]>

  constructor(folder: string) {
    // The busy timeout blocks the event loop, so it is short; `#whenFree` waits beyond it without blocking.
    this.#database = new Database(join(folder, 'claims'), { timeout: 5 })
    this.#database.pragma('synchronous = OFF')
    this.#database.pragma('journal_mode = WAL')
    this.#database.exec(SCHEMA)
    this.#ownerOf = this.#database.prepare('SELECT owner FROM claims WHERE row_id = ?')
    this.#insert = this.#database.prepare('INSERT INTO claims VALUES (?, ?)')
    this.#delete = this.#database.prepare('DELETE FROM claims WHERE row_id = ? AND owner = ?')
    this.#deleteAll = this.#database.prepare('DELETE FROM claims WHERE owner = ?')
    this.#marks = this.#database.prepare('SELECT rowsBytes, answersBytes, answersEpoch FROM marks')
    this.#setMarks = this.#database.prepare(
      'UPDATE marks SET rowsBytes = @rowsBytes, answersBytes = @answersBytes, answersEpoch = @answersEpoch',
    )
  }

  /** Removes the table of processes that are all gone. */
  static async reset(folder: string, ops: FileOps): Promise<void> {
    for (const name of ['claims', 'claims-wal', 'claims-shm']) await ops.remove(join(folder, name))
  }

  /** Claims a free cell. Together with the claim it reads the marks: a row that an earlier owner stored lies before them. */
  tryClaim(rowId: string, owner: string): Promise<TableClaim> {
    return this.#write(() => {
      const held = this.#ownerOf.get(rowId)
      if (held !== undefined) return { won: false, owner: held.owner }
      this.#insert.run(rowId, owner)
      return { won: true, marks: this.#marks.get()! }
    })
  }

  /** Those of the cells that `owner` holds a claim on. */
  heldBy(owner: string, rowIds: readonly string[]): Promise<Set<string>> {
    return this.#whenFree(() => new Set(rowIds.filter((rowId) => this.#ownerOf.get(rowId)?.owner === owner)))
  }

  marks(): Promise<DurableMarks> {
    return this.#whenFree(() => this.#marks.get()!)
  }

  /** After a sync: moves the marks and releases the claims of the rows that are stored now, in one step. */
  settle(marks: DurableMarks, storedRowIds: readonly string[], owner: string): Promise<void> {
    return this.#write(() => {
      this.#setMarks.run(marks)
      for (const rowId of storedRowIds) this.#delete.run(rowId, owner)
    })
  }

  release(rowId: string, owner: string): Promise<void> {
    return this.#write(() => void this.#delete.run(rowId, owner))
  }

  releaseAll(owner: string): Promise<void> {
    return this.#write(() => void this.#deleteAll.run(owner))
  }

  async #write<Result>(work: () => Result): Promise<Result> {
    const transaction = this.#database.transaction(work)
    return this.#whenFree(() => transaction.immediate())
  }

  async #whenFree<Result>(work: () => Result): Promise<Result> {
    for (;;) {
      try {
        return work()
      } catch (error) {
        if (!isBusy(error)) throw error
        await pause(1 + Math.random() * 4)
      }
    }
  }

  close(): void {
    this.#database.close()
  }
}
