import type { ClientBase } from 'pg'
import { alreadyStored, claimLost, EvidenceError, messageOf, systemCode } from '../errors.ts'
import type { CellClaim } from '../evidence-log.ts'
import { HeadReader } from '../rows/row-head.ts'
import { cellId, rowKeyOf } from '../rows/row-id.ts'
import type { SealedRow } from '../rows/row-file.ts'
import type { WriteKind } from '../open-log.ts'
import { storedHeadOf } from './database-rows.ts'
import type { DatabaseSession } from './database-session.ts'

/** Bounds the memory of one statement; a single larger row still goes alone. */
const BATCH_BYTES = 16 << 20
const BATCH_ROWS = 256

const UNIQUE_VIOLATION = '23505'
/** The server is out of disk, memory or connections: the write may be tried again. */
const NO_RESOURCES = /^53/

interface PendingWrite extends SealedRow {
  kind: WriteKind
  claim: CellClaim
  resolve: () => void
  reject: (error: unknown) => void
}

interface WritesHost {
  /** For messages. */
  file: string
  run: number
  session: DatabaseSession
  /** Number of this process among the run's workers. */
  worker(): number
  /** Which identity the rows are of; a run whose identity was replaced takes none of them. */
  identityRevision(): number
  isHeld(claim: CellClaim): boolean
  /** The rows are durable; `count` is how many the run has now. */
  stored(rowIds: readonly string[], count: number): void
  /** Ends the use of the log; returns the failure to report. */
  fail(error: unknown): EvidenceError
}

/** Writes rows and answers in groups: what arrives while a statement is under way shares the next one. */
export class DatabaseWrites {
  readonly #host: WritesHost
  readonly #heads = new HeadReader()
  #waiting: PendingWrite[] = []
  #pump: Promise<void> | null = null

  constructor(host: WritesHost) {
    this.#host = host
  }

  /** Resolves once the line is committed. */
  write(kind: WriteKind, claim: CellClaim, { row, line }: SealedRow): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      this.#waiting.push({ kind, claim, row, line, resolve, reject })
      this.#pump ??= this.#writeAll()
    })
  }

  /** Resolves when nothing is left to write. */
  get done(): Promise<void> {
    return this.#pump ?? Promise.resolve()
  }

  async #writeAll(): Promise<void> {
    // Rows that are given in the same turn share the first statement.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch()
      try {
        await this.#host.session.use((client) => this.#store(client, batch))
      } catch (error) {
        const failure = this.#host.fail(error)
        for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(failure)
      }
    }
    this.#pump = null
  }

  #nextBatch(): PendingWrite[] {
    let bytes = 0
    let count = 0
    for (const { line } of this.#waiting.slice(0, BATCH_ROWS)) {
      bytes += line.length
      if (count > 0 && bytes > BATCH_BYTES) break
      count += 1
    }
    return this.#waiting.splice(0, count)
  }

  /** Done again when the connection breaks: what was committed before is recognized. */
  async #store(client: ClientBase, batch: readonly PendingWrite[]): Promise<void> {
    const admitted = batch.filter(({ claim, row, reject }, position) => {
      if (!this.#host.isHeld(claim)) reject(claimLost(this.#host.file, claim.rowId))
      else if (batch.findIndex((other) => other.row.row_id === row.row_id) < position)
        reject(alreadyStored(this.#host.file, row.row_id))
      else return true
      return false
    })
    await this.#storeAnswers(
      client,
      admitted.filter(({ kind }) => kind === 'answer'),
    )
    await this.#storeRows(
      client,
      admitted.filter(({ kind }) => kind === 'row'),
    )
  }

  async #storeAnswers(client: ClientBase, answers: readonly PendingWrite[]): Promise<void> {
    if (answers.length === 0) return
    const stored = await this.#unlessFull(answers, () =>
      client.query({
        name: 'keep',
        text: `INSERT INTO rag_ladder.answers (run, row_id, cell_id, retry, line)
               SELECT $1, * FROM unnest($2::text[], $3::text[], $4::int[], $5::bytea[])
               ON CONFLICT (run, row_id) DO UPDATE SET line = excluded.line`,
        values: [
          this.#host.run,
          answers.map(({ row }) => row.row_id),
          answers.map(({ row }) => cellId(rowKeyOf(row))),
          answers.map(({ row }) => row.retry ?? 0),
          answers.map(({ line }) => line),
        ],
      }),
    )
    if (stored !== null) for (const { resolve } of answers) resolve()
  }

  async #storeRows(client: ClientBase, writes: readonly PendingWrite[]): Promise<void> {
    if (writes.length === 0) return
    const stored = await this.#unlessFull(writes, () => this.#insert(client, writes))
    if (stored === null) return
    if (stored.outcome === 'duplicate') {
      if (writes.length > 1) for (const write of writes) await this.#storeRows(client, [write])
      else await this.#settleDuplicate(client, writes[0]!)
      return
    }
    this.#host.stored(
      writes.map(({ row }) => row.row_id),
      stored.count,
    )
    for (const { resolve } of writes) resolve()
  }

  /** One statement, so that the run's row is locked no longer than the server needs for it, even when this process is killed. */
  async #insert(
    client: ClientBase,
    writes: readonly PendingWrite[],
  ): Promise<{ outcome: 'stored'; count: number } | { outcome: 'duplicate' }> {
    const heads = writes.map(({ row, line }) => {
      const outcome = this.#heads.read(line.subarray(0, -1))
      if (!outcome.ok) throw new Error(`${row.row_id} was made as a line that cannot be read: ${outcome.problem}`)
      return storedHeadOf(outcome.head)
    })
    const { run } = this.#host
    try {
      const { rows } = await client.query<{ row_count: string }>({
        name: 'append',
        text: `WITH run AS (
                 UPDATE rag_ladder.runs SET row_count = row_count + cardinality($4::text[])
                 WHERE key = $1 AND identity_revision = $2 RETURNING row_count
               ), appended AS (
                 INSERT INTO rag_ladder.rows
                   (run, position, row_id, question_id, model, repeat, retry, is_answered, parts, worker, line)
                 SELECT $1, run.row_count - cardinality($4::text[]) + n, row_id, question_id, model, repeat, retry, is_answered, parts, $3, line
                 FROM run, unnest($4::text[], $5::text[], $6::text[], $7::int[], $8::int[], $9::boolean[], $10::bytea[], $11::bytea[])
                   WITH ORDINALITY AS given (row_id, question_id, model, repeat, retry, is_answered, parts, line, n)
               ), superseded AS (
                 DELETE FROM rag_ladder.answers WHERE run = $1 AND row_id = ANY ($4::text[])
               )
               SELECT row_count FROM run`,
        values: [
          run,
          this.#host.identityRevision(),
          this.#host.worker(),
          writes.map(({ row }) => row.row_id),
          heads.map(({ questionId }) => questionId),
          heads.map(({ model }) => model),
          heads.map(({ repeat }) => repeat),
          heads.map(({ retry }) => retry),
          heads.map(({ isFinal }) => isFinal),
          heads.map(({ parts }) => parts),
          writes.map(({ line }) => line),
        ],
      })
      const count = rows[0]?.row_count
      if (count === undefined) throw this.#identityReplaced()
      return { outcome: 'stored', count: Number(count) }
    } catch (error) {
      if (systemCode(error) === UNIQUE_VIOLATION) return { outcome: 'duplicate' }
      throw error
    }
  }

  /** The row is there already: by this very write, whose answer was lost with the connection, or by another process. */
  async #settleDuplicate(client: ClientBase, { row, line, resolve, reject }: PendingWrite): Promise<void> {
    const { rows } = await client.query<{ line: Buffer; row_count: string }>(
      `SELECT line, row_count FROM rag_ladder.rows JOIN rag_ladder.runs ON key = run WHERE run = $1 AND row_id = $2`,
      [this.#host.run, row.row_id],
    )
    const [stored] = rows
    if (stored === undefined || !stored.line.equals(line)) {
      reject(alreadyStored(this.#host.file, row.row_id))
      return
    }
    this.#host.stored([row.row_id], Number(stored.row_count))
    resolve()
  }

  /** Null, with these writes rejected, when the server has no room: nothing of them is stored, and they may be tried again. */
  async #unlessFull<Result>(writes: readonly PendingWrite[], store: () => Promise<Result>): Promise<Result | null> {
    try {
      return await store()
    } catch (error) {
      if (!NO_RESOURCES.test(systemCode(error) ?? '')) throw error
      const { file } = this.#host
      const failed = new EvidenceError('write_failed', `cannot write to ${file}: ${messageOf(error)}`, { file }, error)
      for (const { reject } of writes) reject(failed)
      return null
    }
  }

  #identityReplaced(): EvidenceError {
    const { file } = this.#host
    const message = `${file}: the run was removed, or another process started it again under other conditions, while this one was not connected. Start a new run under another name`
    return new EvidenceError('other_identity', message, { file })
  }
}
