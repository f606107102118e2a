// The run index is a SQLite mirror of the result folders, so that pages answer in milliseconds. In: evidence, summaries and judgments as files. Out: answers
// of queries, and a notice of what changed. The files stay the truth: the index may be deleted at any time, and is rebuilt.
//   1. folders/folder-watch.ts sees that something changed; folders/folder-scan.ts lists the files, and folders/followed-file.ts what is new in each.
//   2. threads/writer-thread.ts runs index-session.ts, which holds the one writing connection (index-writer.ts).
//   3. threads/parse-thread.ts parses lines; apply/apply-evidence.ts, apply/apply-aggregate.ts and apply/apply-judgments.ts store them, each in a
//      transaction with the offset that was read, so that a crash leaves nothing half-read.
//   4. threads/reader-thread.ts answers through queries/answer-query.ts, one file for each query; queries/fit-answer.ts keeps answers small.
//   5. verify-index.ts compares the index with its files, byte for byte. schema.ts has the tables.
// This file is what the engine sees: it starts the threads and passes messages.
import type { IndexChange, IndexVerification } from '../../contract/control/run-index/upkeep.ts'
import type { NamedFiles } from '../evidence/files/artifact-files.ts'
import { moduleEntry } from '../lib/module-entry.ts'
import { ThreadClient } from './threads/index-threads.ts'
import type { QueryInput, QueryName, QueryResult } from './queries/answer-query.ts'
import { RunIndexError } from './run-index-error.ts'

const WRITER = moduleEntry('./threads/writer-thread', import.meta.url)
const READER = moduleEntry('./threads/reader-thread', import.meta.url)
const READERS = 2
const DEFAULT_POLL_MS = 1000

interface RunIndexOptions {
  /** Folders with artifacts, working and published; of two files with the same dataset run, the one in the earlier folder is indexed. */
  folders: readonly string[]
  /** Artifacts in other folders, of the dataset run that their content names. */
  named?: NamedFiles
  /** States how often `watch` scans the folders even when the system reports no change. */
  pollMs?: number
}

type ChangeListener = (change: IndexChange) => void
type FailureListener = (error: RunIndexError) => void

/**
 * A mirror of result folders in one SQLite file, run by threads: the caller's event loop only handles messages, none larger than
 * `MAX_ANSWER_BYTES`. Methods reject with `RunIndexError`. The file may be removed at any time; it is then rebuilt.
 */
export interface RunIndex {
  readonly file: string
  /** Applies everything that changed since the last time, and notifies the listeners of `watch`. */
  sync(): Promise<IndexChange>
  /** Syncs now and whenever something changes, until the returned function is called. `onFailure` is called when that failed; after `thread_failed` the next `sync` watches again. */
  watch(onChange: ChangeListener, onFailure: FailureListener): () => void
  /** Compares the index with its files, byte for byte. */
  verify(): Promise<IndexVerification>
  /** Rebuilds the index from the files. Queries are answered during it, from the part that is done. */
  rebuild(): Promise<IndexChange>
  /** Answers from a reading thread. */
  query<Name extends QueryName>(name: Name, input: QueryInput<Name>): Promise<QueryResult<Name>>
  /** Stops the current work and ends the threads. A second call does nothing. */
  close(): Promise<void>
}

/** An index in `file`, which is created when it is missing. Nothing happens before the first call. */
export function openRunIndex(
  file: string,
  { folders, named = {}, pollMs = DEFAULT_POLL_MS }: RunIndexOptions,
): RunIndex {
  return new ThreadedRunIndex(file, { folders, named, pollMs })
}

class ThreadedRunIndex implements RunIndex {
  readonly file: string
  readonly #writer: ThreadClient
  readonly #readers: readonly ThreadClient[]
  readonly #listeners = new Set<{ onChange: ChangeListener; onFailure: FailureListener }>()
  /** Queries wait for it: the file is being created or replaced. */
  #ready: Promise<unknown> | null = null
  #rebuilding: Promise<IndexChange> | null = null
  #closing: Promise<void> | null = null

  constructor(file: string, options: Required<RunIndexOptions>) {
    const settings = { file, folders: [...options.folders], named: options.named, pollMs: options.pollMs }
    this.file = file
    this.#writer = new ThreadClient(WRITER, settings, (event) => {
      if (event.kind === 'changed') for (const { onChange } of this.#listeners) onChange(event.change)
      else this.#onFailure(new RunIndexError(event.failure.code, event.failure.message))
    })
    this.#readers = Array.from({ length: READERS }, () => new ThreadClient(READER, settings))
  }

  async sync(): Promise<IndexChange> {
    return this.#withRepair(async () => {
      // A thread that was started again does not watch yet.
      if (this.#listeners.size > 0) await this.#write('watch')
      return (await this.#write('sync')) as IndexChange
    })
  }

  watch(onChange: ChangeListener, onFailure: FailureListener): () => void {
    const listener = { onChange, onFailure }
    this.#listeners.add(listener)
    this.#write('watch').catch((error: unknown) => onFailure(error as RunIndexError))
    this.#warm(this.#readers[0]!)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0 || this.#closing !== null) return
      this.#write('unwatch').catch((error: unknown) => onFailure(error as RunIndexError))
    }
  }

  async verify(): Promise<IndexVerification> {
    return (await this.#write('verify')) as IndexVerification
  }

  rebuild(): Promise<IndexChange> {
    this.#rebuilding ??= this.#rebuild().finally(() => (this.#rebuilding = null))
    return this.#rebuilding
  }

  async #rebuild(): Promise<IndexChange> {
    await this.#changeFile('recreate')
    return (await this.#write('sync')) as IndexChange
  }

  /** Lets the writer change the file while no reader has it open. */
  async #changeFile(how: 'recreate' | 'reopen'): Promise<void> {
    const change = async (): Promise<void> => {
      const running = this.#readers.filter((reader) => reader.isRunning)
      await Promise.all(running.map((reader) => reader.call('release')))
      await this.#write(how)
    }
    const ready = (this.#ready = change())
    try {
      await ready
    } catch (error) {
      if (this.#ready === ready) this.#ready = null
      throw error
    }
  }

  close(): Promise<void> {
    this.#closing ??= Promise.all([this.#writer.close(), ...this.#readers.map((reader) => reader.terminate())]).then(
      () => undefined,
    )
    return this.#closing
  }

  #write(method: string): Promise<unknown> {
    if (this.#closing !== null) return Promise.reject(new RunIndexError('closed', 'the run index was closed'))
    return this.#writer.call(method)
  }

  query<Name extends QueryName>(name: Name, input: QueryInput<Name>): Promise<QueryResult<Name>> {
    return this.#withRepair(async () => {
      this.#ready ??= this.#write('open')
      const ready = this.#ready
      try {
        await ready
      } catch (error) {
        if (this.#ready === ready) this.#ready = null
        throw error
      }
      if (this.#closing !== null) throw new RunIndexError('closed', 'the run index was closed')
      return (await this.#leastBusyReader().call(name, input)) as QueryResult<Name>
    })
  }

  /** Of the readers that run. When all of them work, the next one starts for the queries to come: to wait for its start would take longer. */
  #leastBusyReader(): ThreadClient {
    const [first, ...others] = this.#readers.filter(({ isRunning }) => isRunning)
    if (first === undefined) return this.#readers[0]!
    const reader = others.reduce((best, other) => (other.load < best.load ? other : best), first)
    if (reader.load > 0) this.#readers.filter(({ isRunning }) => !isRunning).forEach((next) => this.#warm(next))
    return reader
  }

  /** A reader loads its modules when it starts: it does that before a page needs it. A failure is reported by its first query. */
  #warm(reader: ThreadClient): void {
    reader.call('warm').catch(() => undefined)
  }

  /** Repeats the work once with a valid file when it failed on one that was damaged or replaced. */
  async #withRepair<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof RunIndexError) || !(await this.#repair(error))) throw error
      return work()
    }
  }

  /** False when a new file would not help. */
  async #repair({ code }: RunIndexError): Promise<boolean> {
    if (code === 'damaged') await this.rebuild()
    else if (code === 'replaced') await this.#changeFile('reopen')
    else return false
    return true
  }

  #onFailure(error: RunIndexError): void {
    const report = (failure: unknown): void => {
      for (const { onFailure } of this.#listeners) onFailure(failure as RunIndexError)
    }
    this.#repair(error).then((isRepaired) => {
      // The next look at the folders fills the new file.
      if (!isRepaired) report(error)
    }, report)
  }
}
