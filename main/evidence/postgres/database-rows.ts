import type { ClientBase } from 'pg'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { EvidenceError, malformedLine, RefusalError } from '../errors.ts'
import { answerReplaced } from '../rows/retried-rows.ts'
import type { RowHead } from '../rows/row-head.ts'
import { IDENTITY_PARTS, PART_HASH_BYTES } from '../rows/row-identity.ts'
import { RowIndex } from '../rows/row-index.ts'
import { decodeLine } from '../rows/row-line.ts'
import type { StoredRows } from '../rows/stored-rows.ts'
import type { DatabaseSession } from './database-session.ts'

/** Rows per question to the server: heads are about 200 bytes, lines 4 to 100 KB. */
const HEADS_AT_ONCE = 10_000
const LINES_AT_ONCE = 64

interface HeadRecord {
  position: string
  row_id: string
  question_id: string
  model: string
  repeat: number
  retry: number
  /** False for an answer whose grading was refused, too: another row may replace it. */
  is_answered: boolean
  parts: Buffer
}

/** Describes what the table keeps of a row beside its line; `parts` are the fingerprints one after the other. */
interface StoredHead {
  questionId: string
  model: string
  repeat: number
  retry: number
  isFinal: boolean
  parts: Buffer
}

export const storedHeadOf = ({ key, isFinal, parts }: RowHead): StoredHead => ({
  questionId: key.question_id,
  model: key.model,
  repeat: key.repeat ?? 1,
  retry: key.retry ?? 0,
  isFinal,
  parts: Buffer.concat(parts),
})

/** The durable rows of one run in a database, indexed as far as this process has looked. Calls of `catchUp` must not overlap. */
export class DatabaseRows implements StoredRows {
  readonly path: string
  readonly index = new RowIndex()
  readonly #session: DatabaseSession
  readonly #run: number
  readonly #names: { runId: string; datasetId: string }
  /** One buffer per different fingerprint, however many rows share it. */
  readonly #parts = new Map<string, Buffer>()

  constructor(path: string, session: DatabaseSession, run: number, names: { runId: string; datasetId: string }) {
    this.path = path
    this.#session = session
    this.#run = run
    this.#names = names
  }

  has(rowId: string): boolean {
    return this.index.find(rowId) !== -1
  }

  /** Indexes what was stored since the last call. Throws `RefusalError` for rows that cannot be this run's. */
  async catchUp(): Promise<void> {
    for (;;) {
      const { rows } = await this.#session.use((client) =>
        client.query<HeadRecord>({
          name: 'heads',
          text: `SELECT position, row_id, question_id, model, repeat, retry, is_answered, parts FROM rag_ladder.rows
                 WHERE run = $1 AND position > $2 ORDER BY position LIMIT ${HEADS_AT_ONCE}`,
          values: [this.#run, this.index.count],
        }),
      )
      for (const record of rows) this.#add(record)
      if (rows.length < HEADS_AT_ONCE) return
    }
  }

  #add({ position, row_id: rowId, question_id, model, repeat, retry, is_answered, parts }: HeadRecord): void {
    const { runId, datasetId } = this.#names
    const number = Number(position)
    const key = { run_id: runId, dataset_id: datasetId, question_id, model, repeat, retry }
    const head = { runId, rowId, key, isFinal: is_answered, parts: this.#partsOf(parts) }
    const refuse = (problem: string): never => {
      throw new RefusalError(malformedLine(this.path, number, number, problem))
    }
    if (number !== this.index.count + 1) refuse(`row ${this.index.count + 1} is missing: rows were deleted`)
    const replaced = this.index.answerReplacedBy(head)
    if (replaced !== null) refuse(answerReplaced(replaced))
    this.index.add(head, { offset: number, length: 0 })
  }

  #partsOf(bytes: Buffer): Buffer[] {
    return IDENTITY_PARTS.map((_, part) => {
      const piece = bytes.subarray(part * PART_HASH_BYTES, (part + 1) * PART_HASH_BYTES)
      const name = piece.toString('latin1')
      const known = this.#parts.get(name) ?? Buffer.alloc(PART_HASH_BYTES, piece)
      this.#parts.set(name, known)
      return known
    })
  }

  async readAt(ordinal: number): Promise<CanonicalRow> {
    const [line] = await this.lines([ordinal])
    return this.#decode(line!, ordinal)
  }

  /** Those of these rows that count, in this order. */
  async *rows(ordinals: Iterable<number>): AsyncGenerator<CanonicalRow> {
    let piece: number[] = []
    for (const ordinal of ordinals) {
      if (!this.index.isSuperseded(ordinal)) piece.push(ordinal)
      if (piece.length < LINES_AT_ONCE) continue
      yield* this.#decoded(piece)
      piece = []
    }
    yield* this.#decoded(piece)
  }

  async *#decoded(ordinals: readonly number[]): AsyncGenerator<CanonicalRow> {
    const lines = await this.lines(ordinals)
    for (const [index, ordinal] of ordinals.entries()) yield this.#decode(lines[index]!, ordinal)
  }

  /** The stored lines of these rows, in this order. Throws `damaged` when one is gone. */
  async lines(ordinals: readonly number[]): Promise<Buffer[]> {
    if (ordinals.length === 0) return []
    const { rows } = await this.#session.use((client) => queryLines(client, this.#run, ordinals))
    const byPosition = new Map(rows.map(({ position, line }) => [Number(position), line]))
    return ordinals.map((ordinal) => byPosition.get(ordinal + 1) ?? this.#damaged(ordinal, 'it was deleted'))
  }

  #decode(line: Buffer, ordinal: number): CanonicalRow {
    const decoded = decodeLine(line.subarray(0, -1), 'quick')
    if (decoded.ok && decoded.row.row_id === this.index.rowIdOf(ordinal)) return decoded.row
    return this.#damaged(ordinal, decoded.ok ? 'the database has another row there than its index' : decoded.problem)
  }

  #damaged(ordinal: number, problem: string): never {
    const data = { file: this.path, line: ordinal + 1 }
    throw new EvidenceError('damaged', `${this.path}: row ${ordinal + 1}: ${problem}`, data)
  }
}

const queryLines = (client: ClientBase, run: number, ordinals: readonly number[]) =>
  client.query<{ position: string; line: Buffer }>({
    name: 'lines',
    text: 'SELECT position, line FROM rag_ladder.rows WHERE run = $1 AND position = ANY ($2::bigint[])',
    values: [run, ordinals.map((ordinal) => ordinal + 1)],
  })
