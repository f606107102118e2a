import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { EvidenceError } from '../errors.ts'
import type { PendingAnswers } from '../resume-planner.ts'
import { decodeLine } from '../rows/row-line.ts'
import type { DatabaseSession } from './database-session.ts'

/** Answers of a run that wait for their evaluation, as of the last `refresh`. A stored row removes its answer in the same statement. */
export class DatabaseAnswers implements PendingAnswers {
  readonly #file: string
  readonly #session: DatabaseSession
  readonly #run: number
  #pending = new Set<string>()
  /** Highest number among the answers of cells that were tried again, by the id of the cell's first row. */
  #retries = new Map<string, number>()

  constructor(file: string, session: DatabaseSession, run: number) {
    this.#file = file
    this.#session = session
    this.#run = run
  }

  async refresh(): Promise<void> {
    const { rows } = await this.#session.use((client) =>
      client.query<{ row_id: string; cell_id: string; retry: number }>(
        'SELECT row_id, cell_id, retry FROM rag_ladder.answers WHERE run = $1 ORDER BY row_id',
        [this.#run],
      ),
    )
    this.#pending = new Set(rows.map(({ row_id }) => row_id))
    this.#retries = new Map()
    for (const { cell_id: cell, retry } of rows) this.#retries.set(cell, Math.max(retry, this.retryOf(cell)))
  }

  has(rowId: string): boolean {
    return this.#pending.has(rowId)
  }

  rowIds(): string[] {
    return [...this.#pending]
  }

  retryOf(cell: string): number {
    return this.#retries.get(cell) ?? 0
  }

  /** Null when the answer's row was stored meanwhile. Throws `damaged`. */
  async read(rowId: string): Promise<CanonicalRow | null> {
    const { rows } = await this.#session.use((client) =>
      client.query<{ line: Buffer }>('SELECT line FROM rag_ladder.answers WHERE run = $1 AND row_id = $2', [
        this.#run,
        rowId,
      ]),
    )
    if (rows[0] === undefined) return null
    const decoded = decodeLine(rows[0].line.subarray(0, -1), 'quick')
    if (decoded.ok) return decoded.row
    throw new EvidenceError('damaged', `${this.#file}: kept answer ${rowId}: ${decoded.problem}`, { file: this.#file })
  }
}
