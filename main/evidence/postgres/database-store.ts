import { hostname } from 'node:os'
import type { ClientBase } from 'pg'
import { EvidenceError, messageOf, RefusalError, systemCode } from '../errors.ts'
import type { EvidenceRefusal, OpenOutcome } from '../evidence-log.ts'
import type { EvidenceStore, Following, RunToOpen, StoredRunPlace, StoreOutcome } from '../evidence-store.ts'
import type { CopyRecord } from '../copied-evidence.ts'
import { pause } from '../pause.ts'
import { databaseAddress, type DatabaseAddress } from './database-address.ts'
import { RunCopy } from './database-copy.ts'
import { LOCK_CLASS, ensureTables, NewerFormatError } from './database-schema.ts'
import { DatabaseLog } from './database-log.ts'
import { isRunShared, lockRun } from './database-locks.ts'
import { DatabaseSession, PooledConnectionError, type Restore } from './database-session.ts'
import { workersOf, type RunWorker } from './database-workers.ts'

/** Sets how often a copy follows its run. */
const FOLLOW_MS = 1000

type RunNames = Pick<StoredRunPlace, 'runId' | 'datasetId'>

/** Why a database cannot be used as it is. */
function databaseRefusal(
  label: string,
  code: EvidenceRefusal['code'],
  problem: string,
  remedy: string,
): EvidenceRefusal {
  return { code, file: label, offset: null, line: null, message: `${label}: ${problem}`, remedy }
}

const REACH = 'check address, user and password (MATRIX_EVIDENCE_URL, PGPASSWORD), and that the server runs'
const GRANTS = 'the user needs the right to create a schema in this database, or the tables in the schema rag_ladder'

/** The error of the server or the system for a database that cannot be opened, as a refusal; null for any other error. */
function refusalOf(error: unknown, label: string): EvidenceRefusal | null {
  if (error instanceof RefusalError) return error.refusal
  const message = messageOf(error)
  if (error instanceof NewerFormatError) return databaseRefusal(label, 'unreadable', message, 'update this program')
  if (error instanceof PooledConnectionError)
    return databaseRefusal(label, 'unreachable', message, 'name the port of the server itself')
  if (error instanceof EvidenceError) return null
  const code = systemCode(error) ?? ''
  // 42501: no right; 25006: a read-only server.
  if (['42501', '25006'].includes(code)) return databaseRefusal(label, 'unwritable', message, GRANTS)
  const isReach = /^(?:E[A-Z]+|08\w{3}|28\w{3}|3D000|53300|57P0\d)$/.test(code) || /timeout|terminated/.test(message)
  if (isReach || code === '') return databaseRefusal(label, 'unreachable', message === '' ? code : message, REACH)
  return null
}

/** Evidence in a PostgreSQL database, shared by processes of any number of machines. */
export class DatabaseStore implements EvidenceStore {
  readonly database: string
  readonly #address: DatabaseAddress
  readonly #workerName: string | null

  /** `workerName` is how this process is listed among those that work on a run; host and process number unless given. */
  constructor(address: DatabaseAddress, workerName: string | null = null) {
    this.database = address.label
    this.#address = address
    this.#workerName = workerName
  }

  async open(place: RunToOpen): Promise<OpenOutcome> {
    const { runId, datasetId, create } = place
    let log: DatabaseLog | null = null
    let run: number | null = null
    const restore: Restore = async (client) => {
      if (log === null) await ensureTables(client)
      run ??= await this.#numberOf(client, place, create)
      if (run === null) throw new RefusalError(this.#missing(place))
      if (log === null) await lockRun(client, run)
      else await log.restore(client)
    }
    let session: DatabaseSession | null = null
    try {
      place.signal?.throwIfAborted()
      session = await DatabaseSession.open(this.#address, restore)
      const worker = { name: this.#workerName ?? `${hostname()}-${process.pid}`, host: hostname(), pid: process.pid }
      log = new DatabaseLog({ label: this.#labelOf(place), runId, datasetId, run: run!, worker, session })
      return { ok: true, log }
    } catch (error) {
      await session?.close()
      const refusal = refusalOf(error, this.database)
      if (refusal === null) throw error
      return { ok: false, refusal }
    }
  }

  #labelOf({ runId, datasetId }: RunNames): string {
    return `${this.database}, run ${runId}, ${datasetId}`
  }

  #missing(place: RunNames): EvidenceRefusal {
    const problem = `there is no run ${place.runId} of ${place.datasetId}`
    return databaseRefusal(this.database, 'missing', problem, 'check the run id and the address of the database')
  }

  async #numberOf(client: ClientBase, { runId, datasetId }: RunNames, create: boolean): Promise<number | null> {
    const find = async (): Promise<number | null> => {
      const { rows } = await client.query<{ key: number }>(
        'SELECT key FROM rag_ladder.runs WHERE run_id = $1 AND dataset_id = $2',
        [runId, datasetId],
      )
      return rows[0]?.key ?? null
    }
    const known = await find()
    if (known !== null || !create) return known
    await client.query('INSERT INTO rag_ladder.runs (run_id, dataset_id) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
      runId,
      datasetId,
    ])
    return find()
  }

  /** A connection for one piece of work. Rejects with `RefusalError` when the database cannot be used. */
  async #once<Result>(work: (session: DatabaseSession) => Promise<Result>): Promise<Result> {
    let session: DatabaseSession | null = null
    try {
      session = await DatabaseSession.open(this.#address, async (client) => ensureTables(client))
      return await work(session)
    } catch (error) {
      const refusal = session === null ? refusalOf(error, this.database) : null
      throw refusal === null ? error : new RefusalError(refusal, error)
    } finally {
      await session?.close()
    }
  }

  /** Returns true when the server lets this program in; nothing is made there. */
  async connects(): Promise<StoreOutcome> {
    try {
      await (await DatabaseSession.open(this.#address, async () => undefined)).close()
      return { ok: true }
    } catch (error) {
      const refusal = refusalOf(error, this.database)
      if (refusal === null) throw error
      return { ok: false, refusal }
    }
  }

  #runOf(session: DatabaseSession, place: RunNames): Promise<number | null> {
    return session.use((client) => this.#numberOf(client, place, false))
  }

  has(place: StoredRunPlace): Promise<boolean> {
    return this.#once(async (session) => (await this.#runOf(session, place)) !== null)
  }

  outside(place: StoredRunPlace): Promise<{ name: string; rows: number; sizeBytes: number } | null> {
    return this.#once(async (session) => {
      const run = await this.#runOf(session, place)
      if (run === null) return null
      const { rows } = await session.use((client) =>
        client.query<{ rows: string; bytes: string }>(
          'SELECT count(*) AS rows, coalesce(sum(octet_length(line)), 0) AS bytes FROM rag_ladder.rows WHERE run = $1',
          [run],
        ),
      )
      const [found] = rows
      return { name: this.#labelOf(place), rows: Number(found!.rows), sizeBytes: Number(found!.bytes) }
    })
  }

  remove(place: StoredRunPlace): Promise<StoreOutcome> {
    return this.#once(async (session) => {
      const run = await this.#runOf(session, place)
      if (run === null) return { ok: true }
      return session.use(async (client): Promise<StoreOutcome> => {
        const { rows } = await client.query<{ won: boolean }>('SELECT pg_try_advisory_lock($1, $2) AS won', [
          LOCK_CLASS,
          run,
        ])
        if (!rows[0]!.won || (await isRunShared(client, run))) {
          const problem = `a running process has the run ${place.runId} of ${place.datasetId} open`
          return { ok: false, refusal: databaseRefusal(this.database, 'in_use', problem, 'stop that run first') }
        }
        await client.query('DELETE FROM rag_ladder.runs WHERE key = $1', [run])
        return { ok: true }
      })
    })
  }

  async bringToFile(place: StoredRunPlace): Promise<StoreOutcome> {
    try {
      return await this.#once(async (session) => {
        const run = await this.#runOf(session, place)
        if (run === null) return { ok: false, refusal: this.#missing(place) }
        return new RunCopy({ session, run, record: this.#recordOf(place), file: place.file }).update()
      })
    } catch (error) {
      if (error instanceof RefusalError) return { ok: false, refusal: error.refusal }
      throw error
    }
  }

  follow(place: StoredRunPlace, onProblem: (message: string) => void): Following {
    const stop = new AbortController()
    const done = this.#follow(place, stop.signal).catch((error: unknown) => {
      if (!stop.signal.aborted)
        onProblem(`${place.file} does not follow ${this.database} any more: ${messageOf(error)}`)
    })
    return {
      async stop() {
        stop.abort()
        await done
      },
    }
  }

  async #follow(place: StoredRunPlace, signal: AbortSignal): Promise<void> {
    await this.#once(async (session) => {
      let copy: RunCopy | null = null
      let copied = -1
      for (let isFirst = true; !signal.aborted; isFirst = false) {
        if (!isFirst) await pause(FOLLOW_MS, signal)
        const run = await this.#runOf(session, place)
        if (run === null) continue
        const count = await session.use((client) => rowCountOf(client, run))
        if (count === copied) continue
        copy ??= new RunCopy({ session, run, record: this.#recordOf(place), file: place.file })
        const outcome = await copy.update()
        if (!outcome.ok) throw new RefusalError(outcome.refusal)
        copied = count
      }
    })
  }

  #recordOf({ runId, datasetId }: RunNames): CopyRecord {
    return { schema_version: 1, database: this.database, run_id: runId, dataset_id: datasetId }
  }

  /** Who works or worked on a run; empty for one that does not exist. */
  workers(place: RunNames): Promise<RunWorker[]> {
    return this.#once(async (session) => {
      const run = await this.#runOf(session, place)
      return run === null ? [] : session.use((client) => workersOf(client, run))
    })
  }

  /** The same for all datasets of a run, with the dataset of each. Rejects with `RefusalError` when the database cannot be used. */
  workersOfRun(runId: string): Promise<(RunWorker & { datasetId: string })[]> {
    return this.#once(async (session) => {
      const all: (RunWorker & { datasetId: string })[] = []
      for (const { key, dataset_id: datasetId } of await session.use((client) => datasetsOf(client, runId)))
        for (const worker of await session.use((client) => workersOf(client, key))) all.push({ ...worker, datasetId })
      return all
    })
  }
}

async function datasetsOf(client: ClientBase, runId: string): Promise<{ key: number; dataset_id: string }[]> {
  const { rows } = await client.query<{ key: number; dataset_id: string }>(
    'SELECT key, dataset_id FROM rag_ladder.runs WHERE run_id = $1 ORDER BY key',
    [runId],
  )
  return rows
}

async function rowCountOf(client: ClientBase, run: number): Promise<number> {
  const { rows } = await client.query<{ row_count: string }>({
    name: 'count',
    text: 'SELECT row_count FROM rag_ladder.runs WHERE key = $1',
    values: [run],
  })
  return Number(rows[0]?.row_count ?? 0)
}

/** The store at an address that has no problem. */
export const databaseStoreAt = (address: string, workerName: string | null = null): DatabaseStore =>
  new DatabaseStore(databaseAddress(address), workerName)
