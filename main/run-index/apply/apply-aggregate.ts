import type Database from 'better-sqlite3'
import type { Aggregate, ApproachSummary } from '../../../contract/evidence/aggregate.ts'
import { parseAggregate } from '../../report/aggregate/stored-aggregate.ts'
import type { IndexSession } from '../index-session.ts'
import type { StoredScope } from './scope-store.ts'

type ParsedAggregate = { ok: true; aggregate: Aggregate } | { ok: false; problem: string }

/** Text of an `-evaluation.json` → aggregate, or why it does not belong to this dataset run. */
export function aggregateOf(text: string, names: { run_id: string; dataset_id: string }): ParsedAggregate {
  const parsed = parseAggregate(text)
  if (!parsed.ok) return { ok: false, problem: parsed.issues.slice(0, 3).join('; ') }
  const { run_id, dataset } = parsed.aggregate
  if (run_id !== names.run_id || dataset.id !== names.dataset_id)
    return { ok: false, problem: `it is of run ${run_id}, dataset ${dataset.id}` }
  return parsed
}

/** Stores what only the aggregate has: its verdict, which cells were expected, in which order, and which aliases were unavailable. */
export class AggregateWriter {
  readonly #session: IndexSession
  readonly #clear: Database.Statement[]
  readonly #setSummary: Database.Statement
  readonly #move: Database.Statement
  readonly #setPosition: Database.Statement
  readonly #setAlias: Database.Statement
  readonly #questionIds: Database.Statement<[number], { id: number; question_id: string; repeat: number }>
  readonly #countQuestions: Database.Statement

  constructor(session: IndexSession) {
    const { db } = session
    this.#session = session
    this.#clear = [
      `DELETE FROM dataset_run_questions WHERE scope = ? AND question IN (SELECT id FROM questions WHERE digest = x'')`,
      `DELETE FROM dataset_run_aliases AS d WHERE scope = ? AND NOT EXISTS
       (SELECT 1 FROM cells c WHERE c.scope = d.scope AND c.alias = d.alias)`,
      'UPDATE dataset_run_aliases SET position = NULL, unavailable = NULL WHERE scope = ?',
      'UPDATE dataset_runs SET expected = NULL, verdict_kind = NULL, headline = NULL WHERE id = ?',
    ].map((sql) => db.prepare(sql))
    this.#setSummary = db.prepare('UPDATE dataset_runs SET expected = ?, verdict_kind = ?, headline = ? WHERE id = ?')
    // Questions that the aggregate lacks are moved after those that it has.
    this.#move = db.prepare('UPDATE dataset_run_questions SET position = position + ? WHERE scope = ?')
    this.#setPosition = db.prepare(
      `INSERT INTO dataset_run_questions (scope, question, position) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET position = excluded.position`,
    )
    this.#setAlias = db.prepare(
      `INSERT INTO dataset_run_aliases (scope, alias, base_model, flavor, evidence_capability, position, unavailable)
       VALUES (?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET position = excluded.position, unavailable = excluded.unavailable`,
    )
    this.#questionIds = db.prepare(
      `SELECT q.id, q.question_id, q.repeat FROM dataset_run_questions d JOIN questions q ON q.id = d.question
       WHERE d.scope = ?`,
    )
    this.#countQuestions = db.prepare(
      `UPDATE dataset_runs SET questions = (SELECT count(*) FROM dataset_run_questions WHERE scope = dataset_runs.id)
       WHERE id = ?`,
    )
  }

  /** Removes what an aggregate added; inside `write`. */
  clear(scope: StoredScope): void {
    for (const statement of this.#clear) statement.run(scope.id)
    this.#countQuestions.run(scope.id)
  }

  /** Inside `write`. */
  apply(scope: StoredScope, aggregate: Aggregate): void {
    this.clear(scope)
    const { repeats, verdict } = aggregate
    // A verdict of an earlier form has no headline.
    const shown = verdict !== undefined && 'headline' in verdict ? verdict : null
    this.#setSummary.run(aggregate.cells.expected, shown?.kind ?? null, shown?.headline ?? null, scope.id)
    this.#move.run(aggregate.questions.length * repeats, scope.id)
    const known = new Map(
      this.#questionIds.all(scope.id).map(({ id, question_id, repeat }) => [`${repeat} ${question_id}`, id]),
    )
    for (const [position, { id, hops, answerable }] of aggregate.questions.entries())
      for (let repeat = 1; repeat <= repeats; repeat += 1) {
        const question =
          known.get(`${repeat} ${id}`) ??
          this.#session.dictionary.question(scope.dataset, { id, hops, answerable }, repeat)
        // Repetitions of one question are adjacent.
        this.#setPosition.run(scope.id, question, position * repeats + repeat - 1)
      }
    for (const [position, approach] of aggregate.approaches.entries()) this.#alias(scope, approach, position, null)
    for (const [index, { reason, ...alias }] of aggregate.unavailable.entries())
      this.#alias(scope, alias, aggregate.approaches.length + index, reason)
    this.#countQuestions.run(scope.id)
  }

  #alias(
    scope: StoredScope,
    approach: Pick<ApproachSummary, 'model' | 'base_model' | 'flavor' | 'evidence_capability'>,
    position: number,
    unavailable: string | null,
  ): void {
    const { model, base_model, flavor, evidence_capability } = approach
    const alias = this.#session.dictionary.alias({ model })
    this.#setAlias.run(scope.id, alias, base_model, flavor, evidence_capability, position, unavailable)
  }
}
