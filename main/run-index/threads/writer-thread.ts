// Entry of the writing thread, the one writer of an index file: opens it when it is needed, notices that it was removed, does one thing at a
// time, and syncs by itself while folders are watched. Requests are method names; a change is posted for every sync, whatever requested it.
import { dirname } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import type Database from 'better-sqlite3'
import type { IndexChange, IndexVerification } from '../../../contract/control/run-index/upkeep.ts'
import type { ScannedFiles } from '../folders/folder-scan.ts'
import { FolderWatch } from '../folders/folder-watch.ts'
import { IndexSession } from '../index-session.ts'
import { failureOf, type ThreadMessage, type ThreadRequest, type ThreadSettings } from './index-threads.ts'
import { IndexWriter } from '../index-writer.ts'
import { identityOf, openForWriting, removeIndex } from '../open-database.ts'
import { RunIndexError } from '../run-index-error.ts'
import { verifyIndex } from '../verify-index.ts'

interface OpenIndex {
  db: Database.Database
  writer: IndexWriter
  identity: string | null
}

class IndexHost {
  readonly #file: string
  readonly #scanned: ScannedFiles
  readonly #stop = new AbortController()
  #open: OpenIndex | null = null
  #last: Promise<unknown> = Promise.resolve()

  constructor(file: string, scanned: ScannedFiles) {
    this.#file = file
    this.#scanned = scanned
  }

  /** Creates the index when it is missing. */
  open(): Promise<unknown> {
    return this.#next(async () => void this.#opened())
  }

  /** Rejects with `replaced` or `damaged` when the file must be opened again or rebuilt first. */
  sync(): Promise<IndexChange> {
    return this.#next(() => this.#opened().writer.sync(this.#stop.signal))
  }

  verify(): Promise<IndexVerification> {
    return this.#next(() => verifyIndex(this.#opened().db, this.#scanned, this.#stop.signal))
  }

  /** Opens the file that exists now, or creates one. No other connection of this process may be open. */
  reopen(): Promise<unknown> {
    return this.#next(async () => {
      this.#release()
      this.#opened()
    })
  }

  /** Replaces the index by an empty one. No other connection of this process may be open. */
  recreate(): Promise<unknown> {
    return this.#next(async () => {
      this.#release()
      removeIndex(this.#file)
      this.#opened()
    })
  }

  /** Stops the current work at its next step and closes the file. */
  async close(): Promise<void> {
    this.#stop.abort(new RunIndexError('closed', 'the run index was closed'))
    await this.#last.catch(() => undefined)
    this.#release()
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
    const writer = new IndexWriter(new IndexSession(db), this.#scanned)
    this.#open = { db, writer, identity: identityOf(this.#file) }
    return this.#open
  }

  #release(): void {
    this.#open?.db.close()
    this.#open = null
  }
}

const { file, folders, named, pollMs } = workerData as ThreadSettings
const port = parentPort!
const host = new IndexHost(file, { folders, named })
let watch: FolderWatch | null = null
/** The same failure is posted once, not at every poll. */
let lastFailure = ''

const post = (message: ThreadMessage): void => port.postMessage(message)

async function sync(): Promise<IndexChange> {
  const change = await host.sync()
  lastFailure = ''
  if (change.runs.length + change.removed.length + change.damaged.length > 0) post({ kind: 'changed', change })
  return change
}

async function syncWatched(): Promise<void> {
  try {
    await sync()
  } catch (error) {
    const failure = failureOf(error)
    if (failure.code === 'closed' || failure.message === lastFailure) return
    lastFailure = failure.message
    post({ kind: 'failed', failure })
  }
}

async function answer(method: string): Promise<unknown> {
  switch (method) {
    case 'open':
      return host.open()
    case 'sync':
      return sync()
    case 'verify':
      return host.verify()
    case 'reopen':
      return host.reopen()
    case 'recreate':
      return host.recreate()
    case 'watch':
      watch ??= new FolderWatch([...folders, ...Object.values(named).map((path) => dirname(path))], pollMs, syncWatched)
      return null
    case 'unwatch':
      watch?.close()
      watch = null
      return null
    case 'close':
      watch?.close()
      return host.close()
    default:
      throw new Error(`the writing thread has no method ${method}`)
  }
}

port.on('message', ({ id, method }: ThreadRequest) => {
  void answer(method)
    .then(
      (value) => post({ kind: 'answer', id, value }),
      (error: unknown) => post({ kind: 'failure', id, failure: failureOf(error) }),
    )
    .finally(() => {
      if (method === 'close') port.close()
    })
})
