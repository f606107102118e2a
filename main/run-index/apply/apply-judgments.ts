import type Database from 'better-sqlite3'
import type { JudgeSection } from '../../../contract/evidence/aggregate.ts'
import type { JudgedQuery, Judgments } from '../../../contract/evidence/judgments.ts'
import type { IngestionProvenance, Reproducibility } from '../../../contract/evidence/provenance.ts'
import { judgeMean } from '../../../contract/metrics/judge-mean.ts'
import { mean } from '../../lib/text/numbers.ts'
import type { JudgeInput } from '../../report/aggregate/judge-input.ts'
import { judgeSection } from '../../report/aggregate/judge-section.ts'
import type { IndexSession } from '../index-session.ts'
import { aliasesOf } from '../queries/dataset-run.ts'
import { stateCode, stateColumn, valueColumn } from '../schema.ts'
import type { StoredScope } from './scope-store.ts'

const JUDGED = stateColumn(judgeMean.id)
const MEAN = valueColumn(judgeMean.id)

/** Joins a panel's verdicts to the cells that they grade. Verdicts of another dataset run are refused with the reason. */
export class JudgmentsWriter {
  readonly #session: IndexSession
  readonly #clear: Database.Statement[]
  readonly #insert: Database.Statement
  readonly #setMean: Database.Statement
  readonly #setWinner: Database.Statement
  readonly #questions: Database.Statement<[number], { id: number; question_id: string }>
  readonly #provenance: Database.Statement<[number], string>

  constructor(session: IndexSession) {
    const { db } = session
    this.#session = session
    this.#clear = [
      'DELETE FROM verdicts WHERE scope = ?',
      `UPDATE cells SET ${MEAN} = NULL, ${JUDGED} = ${stateCode('not_run')} WHERE scope = ? AND ${MEAN} IS NOT NULL`,
      'UPDATE dataset_run_questions SET winner = NULL, inconclusive = NULL WHERE scope = ?',
    ].map((sql) => db.prepare(sql))
    this.#insert = db.prepare(
      'INSERT INTO verdicts (scope, question, judge, alias, score, best, reason) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    this.#setMean = db.prepare(
      `UPDATE cells SET ${MEAN} = ?, ${JUDGED} = ${stateCode('ok')} WHERE scope = ? AND question = ? AND alias = ?`,
    )
    this.#setWinner = db.prepare(
      'UPDATE dataset_run_questions SET winner = ?, inconclusive = ? WHERE scope = ? AND question = ?',
    )
    this.#questions = db.prepare(
      'SELECT q.id, q.question_id FROM dataset_run_questions d JOIN questions q ON q.id = d.question WHERE d.scope = ? AND q.repeat = 1 ORDER BY d.position',
    )
    this.#provenance = db
      .prepare<[number], string>(
        'SELECT p.json FROM cells c JOIN provenance p ON p.id = c.provenance WHERE c.scope = ? LIMIT 1',
      )
      .pluck()
  }

  /** Removes the verdicts; inside `write`. */
  clear(scope: StoredScope): void {
    this.#remove(scope)
    this.#session.cells.recountJudged(scope)
  }

  #remove(scope: StoredScope): void {
    for (const statement of this.#clear) statement.run(scope.id)
  }

  /** Inside `write`. Returns the join's section: an error in it means that no verdict was joined. */
  apply(scope: StoredScope, input: JudgeInput): JudgeSection {
    this.#remove(scope)
    const questions = new Map(this.#questions.all(scope.id).map(({ id, question_id }) => [question_id, id]))
    const judgments = input.state === 'read' ? input.judgments : null
    const section = judgeSection(input, {
      datasetId: this.#session.scopes.names(scope.id).dataset_id,
      ingestion: this.#ingestion(scope, judgments),
      models: aliasesOf(this.#session.db, scope.id).flatMap(({ model, unavailable }) =>
        unavailable === null ? model : [],
      ),
      questionIds: [...questions.keys()],
    })
    if (judgments !== null && section.status !== 'error')
      for (const query of judgments.queries) this.#join(scope, questions.get(query.query_id)!, query)
    this.#session.cells.recountJudged(scope)
    return section
  }

  /** A snapshot has none of its own, so it uses that of its judgments: neither can be checked against the other. */
  #ingestion(scope: StoredScope, judgments: Judgments | null): IngestionProvenance | null {
    if (scope.kind === 'historical') return judgments?.ingestion ?? null
    const json = this.#provenance.get(scope.id)
    return json === undefined ? null : (JSON.parse(json) as Reproducibility).ingestion
  }

  #join(scope: StoredScope, question: number, { per_judge, observed_winner, inconclusive }: JudgedQuery): void {
    const scores = new Map<string, number[]>()
    for (const [judge, verdict] of Object.entries(per_judge).sort(([a], [b]) => (a < b ? -1 : 1))) {
      for (const model of new Set([...Object.keys(verdict.scores), ...(verdict.best === null ? [] : [verdict.best])])) {
        const score = verdict.scores[model]
        if (score !== undefined) scores.set(model, [...(scores.get(model) ?? []), score])
        this.#insert.run(
          scope.id,
          question,
          judge,
          this.#session.dictionary.alias({ model }),
          score ?? null,
          Number(verdict.best === model),
          verdict.reasons?.[model] ?? null,
        )
      }
    }
    for (const [model, given] of scores) {
      this.#setMean.run(mean(given), scope.id, question, this.#session.dictionary.alias({ model }))
    }
    const winner = observed_winner === null ? null : this.#session.dictionary.alias({ model: observed_winner })
    this.#setWinner.run(winner, inconclusive ?? null, scope.id, question)
  }
}
