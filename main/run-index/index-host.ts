import type Database from 'better-sqlite3'
import type { IndexChange, IndexVerification } from '../../contract/index.ts'
import type { ScannedPlaces } from './folder-scan.ts'
import { IndexSession } from './index-session.ts'
import { IndexWriter } from './index-writer.ts'
import { identityOf, openForWriting, removeIndex } from './open-database.ts'
import { RunIndexError } from './run-index-error.ts'
import { verifyIndex } from './verify-index.ts'

interface OpenIndex {
  db: Database.Database
  writer: IndexWriter
  identity: string | null
}

/** The one writer of an index file: opens it when it is needed, notices when it was removed, and does one thing at a time. */
export class IndexHost {
  readonly #file: string
  readonly #places: ScannedPlaces
  readonly #stop = new AbortController()
  #open: OpenIndex | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(file: string, places: ScannedPlaces) {
    this.#file = file
    this.#places = places
  }

  /** Makes the index if it is not there. */
  open(): Promise<null> {
    return this.#next(async () => {
      this.#opened()
      return null
    })
  }

  /** Takes in what changed. Rejects with `replaced` or `damaged` when the file has to be opened again or rebuilt first. */
  sync(): Promise<IndexChange> {
    return this.#next(() => this.#opened().writer.sync(this.#stop.signal))
  }

  verify(): Promise<IndexVerification> {
    return this.#next(() => verifyIndex(this.#opened().db, this.#places, this.#stop.signal))
  }

  /** Opens the file that stands there now, or makes one. No other connection of this process may be open. */
  reopen(): Promise<null> {
    return this.#next(async () => {
      this.#release()
      this.#opened()
      return null
    })
  }

  /** Removes the index and makes an empty one. No other connection of this process may be open. */
  recreate(): Promise<null> {
    return this.#next(async () => {
      this.#release()
      removeIndex(this.#file)
      this.#opened()
      return null
    })
  }

  /** Stops what is under way at its next step and closes the file. */
  async close(): Promise<null> {
    this.#stop.abort(new RunIndexError('closed', 'the run index was closed'))
    await this.#last.catch(() => undefined)
    this.#release()
    return null
  }

  #next<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last
      .catch(() => undefined)
      .then(() => {
        this.#stop.signal.throwIfAborted()
        return work()
      })
    this.#last = result
    return result
  }

  #opened(): OpenIndex {
    if (this.#open !== null) {
      if (identityOf(this.#file) !== this.#open.identity)
        throw new RunIndexError('replaced', `${this.#file} was removed or replaced while it was in use`)
      return this.#open
    }
    const db = openForWriting(this.#file)
    const writer = new IndexWriter(new IndexSession(db), this.#places)
    this.#open = { db, writer, identity: identityOf(this.#file) }
    return this.#open
  }

  #release(): void {
    this.#open?.db.close()
    this.#open = null
  }
}
