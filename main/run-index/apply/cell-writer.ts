import Database from 'better-sqlite3'
import type { CellRecord } from './cell-record.ts'
import type { Dictionary } from './dictionary.ts'
import { INDEX_METRICS, stateColumn, STATUS_CODES, valueColumn } from '../schema.ts'
import { type CountedCell, Tallies } from './tallies.ts'
import type { Scope, CellRange } from './tallies.ts'

const COLUMNS = [
  'run_id',
  'row_id',
  'scope',
  'question',
  'alias',
  'offset',
  'length',
  'status',
  'error_type',
  'evaluation',
  'queue_ms',
  'latency_ms',
  'attempts',
  'server_seconds',
  'total_tokens',
  'answer_chars',
  'finished_ms',
  'provenance',
  'reasons',
  ...INDEX_METRICS.map(valueColumn),
  ...INDEX_METRICS.map(stateColumn),
]

/** A row of `cells`: these columns, and those of the metrics. */
interface StoredCell extends Record<string, string | number | Buffer | null> {
  id: number
  status: number
  error_type: string | null
  evaluation: number | null
  provenance: number | null
}

interface Totals {
  ok: number
  error: number
  timeout: number
  lastMs: number | null
}

/** Adds cells to a dataset run. Call everything inside one transaction, `finish` last. */
export class CellWriter {
  readonly #dictionary: Dictionary
  readonly #tallies: Tallies
  readonly #insertCell: Database.Statement
  readonly #storedCell: Database.Statement<[number, number, number], StoredCell>
  readonly #deleteCell: Database.Statement<[number]>
  readonly #insertSources: Database.Statement
  readonly #insertAnswer: Database.Statement
  readonly #insertAlias: Database.Statement
  readonly #insertQuestion: Database.Statement
  readonly #placeholder: Database.Statement<[number, string, number], number>
  readonly #replaceQuestion: Database.Statement
  readonly #countQuestion: Database.Statement
  readonly #addTotals: Database.Statement
  readonly #setNewest: Database.Statement
  /** `scope question` and `scope alias` pairs that are registered. */
  readonly #registered = new Set<string>()
  #totals: Totals = noTotals()

  constructor(db: Database.Database, dictionary: Dictionary) {
    this.#dictionary = dictionary
    this.#tallies = new Tallies(db)
    this.#insertCell = db.prepare(
      `INSERT INTO cells (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})`,
    )
    this.#storedCell = db.prepare('SELECT * FROM cells WHERE scope = ? AND question = ? AND alias = ?')
    this.#deleteCell = db.prepare('DELETE FROM cells WHERE id = ?')
    this.#insertSources = db.prepare('INSERT INTO source_lists (cell, list) VALUES (?, ?)')
    this.#insertAnswer = db.prepare('INSERT INTO answer_text (rowid, answer) VALUES (?, ?)')
    this.#insertAlias = db.prepare(
      `INSERT INTO dataset_run_aliases (scope, alias, base_model, flavor, evidence_capability) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET unavailable = NULL`,
    )
    // As VALUES: INSERT … SELECT would open a savepoint, at which FTS5 writes everything that it holds in memory.
    this.#insertQuestion = db.prepare(
      `INSERT INTO dataset_run_questions (scope, question, position)
       VALUES (@scope, @question, (SELECT questions FROM dataset_runs WHERE id = @scope)) ON CONFLICT DO NOTHING`,
    )
    this.#placeholder = db
      .prepare<[number, string, number], number>(
        `SELECT id FROM questions WHERE dataset = ? AND question_id = ? AND digest = x'' AND repeat = ?`,
      )
      .pluck()
    this.#replaceQuestion = db.prepare(
      'UPDATE OR IGNORE dataset_run_questions SET question = ? WHERE scope = ? AND question = ?',
    )
    this.#countQuestion = db.prepare('UPDATE dataset_runs SET questions = questions + 1 WHERE id = ?')
    this.#addTotals = db.prepare(
      `UPDATE dataset_runs SET ok = ok + @ok, error = error + @error, timeout = timeout + @timeout,
         last_ms = max(coalesce(last_ms, @lastMs), @lastMs)
       WHERE id = @scope`,
    )
    this.#setNewest = db.prepare('UPDATE runs SET newest_ms = max(newest_ms, ?) WHERE id = ?')
  }

  /**
   * Adds a cell; one that was tried again replaces its failed row. False, and nothing is added, when the run has this row already or the dataset
   * run has this cell. `range` is null for the cells of a snapshot.
   */
  add(scope: Scope, record: CellRecord, range: CellRange | null): boolean {
    const question = this.#question(scope, record.question, record.repeat)
    const alias = this.#alias(scope, record)
    if (record.retry > 0) this.#removeFailed(scope, question, alias)
    const id = this.#cell(scope, record, range, question, alias)
    if (id === null) return false
    if (record.sources.length > 0) this.#insertSources.run(id, this.#sourceList(record))
    if (record.searchable !== null && record.searchable !== '') this.#insertAnswer.run(id, record.searchable)
    this.#count(record)
    this.#tallies.count(alias, record, range)
    return true
  }

  /** A failed row has neither sources nor searchable text. */
  #removeFailed(scope: Scope, question: number, alias: number): void {
    const stored = this.#storedCell.get(scope.id, question, alias)
    if (stored === undefined || stored.status === STATUS_CODES.ok) return
    this.#deleteCell.run(stored.id)
    const status = stored.status === STATUS_CODES.timeout ? 'timeout' : 'error'
    const counted: CountedCell = {
      status,
      evaluation: stored.evaluation,
      errorType: stored.error_type,
      states: INDEX_METRICS.map((metric) => stored[stateColumn(metric)] as number),
    }
    this.#tallies.remove(alias, counted, stored.provenance === null ? null : { provenance: stored.provenance })
    this.#totals[status] -= 1
  }

  #sourceList({ sources }: CellRecord): string {
    const numbered = sources.map(({ title, document, score }) => [
      this.#dictionary.text(title),
      document === null ? null : this.#dictionary.text(document),
      score,
    ])
    return JSON.stringify(numbered)
  }

  #cell(
    scope: Scope,
    record: CellRecord,
    range: CellRange | null,
    question: number,
    alias: number,
  ): number | bigint | null {
    try {
      return this.#insertCell.run(
        scope.run,
        Buffer.from(record.rowId, 'hex'),
        scope.id,
        question,
        alias,
        range?.offset ?? null,
        range?.length ?? null,
        STATUS_CODES[record.status],
        record.errorType,
        record.evaluation,
        record.queueMs,
        record.latencyMs,
        record.attempts,
        record.serverSeconds,
        record.totalTokens,
        record.answerChars,
        record.finishedMs,
        range?.provenance ?? null,
        record.reasons === null ? null : this.#dictionary.reasons(record.reasons),
        ...record.values,
        ...record.states,
      ).lastInsertRowid
    } catch (error) {
      if (error instanceof Database.SqliteError && error.code === 'SQLITE_CONSTRAINT_UNIQUE') return null
      throw error
    }
  }

  /** Number of a question of the dataset run; it takes the position of a placeholder with the same id. */
  #question(scope: Scope, question: CellRecord['question'], repeat: number): number {
    const id = this.#dictionary.question(scope.dataset, question, repeat)
    if (!this.#isNew(`q ${scope.id} ${id}`)) return id
    const placeholder = this.#placeholder.get(scope.dataset, question.id, repeat)
    const replaced = placeholder === undefined ? 0 : this.#replaceQuestion.run(id, scope.id, placeholder).changes
    if (replaced === 0 && this.#insertQuestion.run({ scope: scope.id, question: id }).changes > 0)
      this.#countQuestion.run(scope.id)
    return id
  }

  #alias(scope: Scope, { alias }: CellRecord): number {
    const id = this.#dictionary.alias(alias)
    if (this.#isNew(`a ${scope.id} ${id}`))
      this.#insertAlias.run(scope.id, id, alias.base, alias.flavor, alias.capability)
    return id
  }

  #isNew(key: string): boolean {
    if (this.#registered.has(key)) return false
    if (this.#registered.size > 100_000) this.#registered.clear()
    this.#registered.add(key)
    return true
  }

  #count({ status, finishedMs }: CellRecord): void {
    const totals = this.#totals
    totals[status] += 1
    if (finishedMs === null) return
    totals.lastMs = Math.max(totals.lastMs ?? finishedMs, finishedMs)
  }

  /** Writes what was counted since the last call. */
  finish(scope: Scope): void {
    this.#addTotals.run({ scope: scope.id, ...this.#totals })
    this.#tallies.finish(scope)
    this.#setNewest.run(this.#totals.lastMs ?? 0, scope.run)
    this.#totals = noTotals()
  }

  /** After verdicts were joined to the cells or removed from them. */
  recountJudged(scope: Scope): void {
    this.#tallies.recountJudged(scope)
  }

  /** After a rollback, or after another process wrote. */
  forget(): void {
    this.#registered.clear()
    this.#tallies.forget()
    this.#totals = noTotals()
  }
}

const noTotals = (): Totals => ({ ok: 0, error: 0, timeout: 0, lastMs: null })
