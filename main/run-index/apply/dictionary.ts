import { hash } from 'node:crypto'
import type Database from 'better-sqlite3'
import { canonicalJson } from '../../../core/canonical-json.ts'
import type { CanonicalRow } from '../../../contract/evidence/canonical-row.ts'
import { fingerprint } from '../../evidence/rows/row-identity.ts'
import type { AliasRecord, CellRecord } from './cell-record.ts'

/** A map of known texts is cleared at this size: memory must not grow with the files. */
const MAX_KNOWN = 50_000

/** One table of distinct texts and their numbers, remembered. */
class Numbers<Key> {
  readonly #known = new Map<Key, number>()

  of(key: Key, find: () => number): number {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const id = find()
    if (this.#known.size >= MAX_KNOWN) this.#known.clear()
    this.#known.set(key, id)
    return id
  }

  forget(): void {
    this.#known.clear()
  }
}

/**
 * The numbers of texts that many cells share; a new text is inserted. What it remembers is valid only while its transactions succeed and no
 * other process writes: call `forget` after a rollback or after another process wrote.
 */
export class Dictionary {
  readonly #runs = new Numbers<string>()
  readonly #datasets = new Numbers<string>()
  readonly #aliases = new Numbers<string>()
  readonly #questions = new Numbers<string>()
  readonly #texts = new Numbers<string>()
  readonly #reasons = new Numbers<string>()
  readonly #provenance = new Numbers<object>()
  #lastQuestion: { dataset: number; question: object; repeat: number; id: number } | null = null
  readonly #find: Record<'run' | 'dataset' | 'alias' | 'text' | 'reasons', (text: string) => number>
  readonly #findProvenance: (sha256: string, json: string) => number
  readonly #findQuestion: ReturnType<typeof questionFinder>

  constructor(db: Database.Database) {
    const finder = (table: string, column: string): ((text: string) => number) => {
      const select = db.prepare<[string], number>(`SELECT id FROM ${table} WHERE ${column} = ?`).pluck()
      const insert = db.prepare(`INSERT INTO ${table} (${column}) VALUES (?)`)
      return (text) => select.get(text) ?? Number(insert.run(text).lastInsertRowid)
    }
    this.#find = {
      run: finder('runs', 'run_id'),
      dataset: finder('datasets', 'dataset_id'),
      alias: finder('aliases', 'model'),
      text: finder('texts', 'text'),
      reasons: finder('reason_sets', 'json'),
    }
    const selectProvenance = db.prepare<[string], number>('SELECT id FROM provenance WHERE sha256 = ?').pluck()
    const insertProvenance = db.prepare('INSERT INTO provenance (sha256, json) VALUES (?, ?)')
    this.#findProvenance = (sha256, json) =>
      selectProvenance.get(sha256) ?? Number(insertProvenance.run(sha256, json).lastInsertRowid)
    this.#findQuestion = questionFinder(db)
  }

  run(runId: string): number {
    return this.#runs.of(runId, () => this.#find.run(runId))
  }
  dataset(datasetId: string): number {
    return this.#datasets.of(datasetId, () => this.#find.dataset(datasetId))
  }
  alias({ model }: Pick<AliasRecord, 'model'>): number {
    return this.#aliases.of(model, () => this.#find.alias(model))
  }
  text(text: string): number {
    return this.#texts.of(text, () => this.#find.text(text))
  }
  reasons(json: string): number {
    return this.#reasons.of(json, () => this.#find.reasons(json))
  }

  /** By object identity: the parser returns one object for all rows that share it. */
  provenance(value: CanonicalRow['reproducibility']): number {
    return this.#provenance.of(value, () => {
      const json = canonicalJson(value)
      return this.#findProvenance(hash('sha256', json), json)
    })
  }

  /** Two questions are the same when all their fields and the repetition are equal: only then do their scores compare. */
  question(dataset: number, question: CellRecord['question'] | PlaceholderQuestion, repeat: number): number {
    // Most rows share the object with the previous row, and comparing identities is faster than building the key.
    const last = this.#lastQuestion
    if (last?.question === question && last.dataset === dataset && last.repeat === repeat) return last.id
    const id = this.#questions.of(`${dataset} ${repeat} ${JSON.stringify(question)}`, () =>
      this.#findQuestion(dataset, question, repeat),
    )
    this.#lastQuestion = { dataset, question, repeat, id }
    return id
  }

  forget(): void {
    for (const numbers of [this.#runs, this.#datasets, this.#aliases, this.#questions, this.#texts, this.#reasons])
      numbers.forget()
    this.#provenance.forget()
    this.#lastQuestion = null
  }
}

/** A question of which only the aggregate is known: it has no row yet. */
interface PlaceholderQuestion {
  id: string
  hops: number | null
  answerable: boolean | null
}

function questionFinder(db: Database.Database) {
  const select = db
    .prepare<[number, string, Buffer, number], number>(
      'SELECT id FROM questions WHERE dataset = ? AND question_id = ? AND digest = ? AND repeat = ?',
    )
    .pluck()
  const insert = db.prepare(
    `INSERT INTO questions (dataset, question_id, digest, repeat, query, ground_truth, hops, answerable, expect_winner)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const insertText = db.prepare('INSERT INTO question_text (rowid, query, ground_truth) VALUES (?, ?, ?)')
  return (dataset: number, question: CellRecord['question'] | PlaceholderQuestion, repeat: number): number => {
    const known = 'query' in question
    const digest = known ? fingerprint(question) : Buffer.alloc(0)
    const found = select.get(dataset, question.id, digest, repeat)
    if (found !== undefined) return found
    const { query, ground_truth, expect_winner } = known
      ? question
      : { query: null, ground_truth: null, expect_winner: null }
    const answerable = question.answerable === null ? null : Number(question.answerable)
    const { lastInsertRowid } = insert.run(
      dataset,
      question.id,
      digest,
      repeat,
      query,
      ground_truth,
      question.hops,
      answerable,
      expect_winner,
    )
    if (query !== null) insertText.run(lastInsertRowid, query, ground_truth)
    return Number(lastInsertRowid)
  }
}
