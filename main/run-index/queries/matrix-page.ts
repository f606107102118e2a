import type Database from 'better-sqlite3'
import type { z } from 'zod'
import type {
  MatrixPageCell,
  MatrixPageInput,
  MatrixPageOutcome,
  MatrixPageRow,
} from '../../../contract/control/run-index/matrix-page.ts'
import { CellStatus } from '../../../contract/evidence/canonical-row.ts'
import { evaluationOfCode } from '../apply/cell-record.ts'
import { stateColumn, stateOfCode, valueColumn } from '../schema.ts'
import { findDatasetRun, notFound, shownAliases, type ShownAlias } from './dataset-run.ts'
import { jsonBytes, PAGE_BUDGET_BYTES } from './fit-answer.ts'
import { matchingQuestions } from './matrix-filter.ts'

/** The sorted question numbers of recent pages: the next page needs no second sort. */
export class OrderCache {
  readonly #lists = new Map<string, number[]>()

  of(key: string, find: () => number[]): number[] {
    const known = this.#lists.get(key)
    if (known !== undefined) return known
    const list = find()
    if (this.#lists.size >= 8) this.#lists.delete(this.#lists.keys().next().value!)
    this.#lists.set(key, list)
    return list
  }
}

interface QuestionRow {
  id: number
  question_id: string
  repeat: number
  query: string | null
  hops: number | null
  answerable: number | null
  expect_winner: string | null
  observed_winner: string | null
}

interface CellRow {
  question: number
  alias: number
  row_id: string
  status: number
  error_type: string | null
  evaluation: number | null
  state: number
  value: number | null
  reason: string | null
  latency_ms: number | null
  total_tokens: number | null
  judge_mean: number | null
  answer_chars: number | null
}

/** One page of the table question × alias, with the small fields of its cells only. */
export function matrixPage(
  db: Database.Database,
  input: z.output<typeof MatrixPageInput>,
  orders: OrderCache = new OrderCache(),
): MatrixPageOutcome {
  const scope = findDatasetRun(db, input.run_id, input.dataset_id)
  if (scope === null) return notFound(`dataset ${input.dataset_id} in a run ${input.run_id}`)
  const revision = db.prepare<[], number>('SELECT revision FROM state').pluck().get()!
  const aliases = shownAliases(db, scope.id, input.aliases)
  const { metric, sort, filters } = input
  const numbers = aliases.map(({ id }) => id)
  const key = JSON.stringify([revision, scope.id, numbers, metric, sort, filters])
  const matching = orders.of(key, () =>
    matchingQuestions(db, {
      scope,
      aliases: numbers,
      metric,
      sort,
      filters,
      aliasNumber: (model) => aliasNumber(db, model),
    }),
  )
  return {
    ok: true,
    page: {
      revision,
      aliases: aliases.map(({ model }) => model),
      matching: matching.length,
      questions: scope.questions,
      offset: input.offset,
      rows: pageRows(db, scope.id, matching.slice(input.offset, input.offset + input.limit), aliases, metric),
    },
  }
}

const aliasNumber = (db: Database.Database, model: string): number | null =>
  db.prepare<[string], number>('SELECT id FROM aliases WHERE model = ?').pluck().get(model) ?? null

function pageRows(
  db: Database.Database,
  scope: number,
  questions: readonly number[],
  aliases: readonly ShownAlias[],
  metric: MatrixPageInput['metric'],
): MatrixPageRow[] {
  const selected = JSON.stringify(questions)
  const heads = new Map(
    db
      .prepare<[number, string], QuestionRow>(
        `SELECT q.id, q.question_id, q.repeat, substr(q.query, 1, 400) AS query, q.hops, q.answerable, q.expect_winner,
           (SELECT model FROM aliases WHERE id = d.winner) AS observed_winner
         FROM dataset_run_questions d JOIN questions q ON q.id = d.question
         WHERE d.scope = ? AND d.question IN (SELECT value FROM json_each(?))`,
      )
      .all(scope, selected)
      .map((question) => [question.id, question]),
  )
  const cells = new Map(
    db
      .prepare<[number, string], CellRow>(
        `SELECT c.question, c.alias, lower(hex(c.row_id)) AS row_id, c.status, c.error_type, c.evaluation,
           c.${stateColumn(metric)} AS state, c.${valueColumn(metric)} AS value, c.latency_ms, c.total_tokens,
           c.judge_mean, c.answer_chars,
           (SELECT json ->> '$.${metric}' FROM reason_sets WHERE id = c.reasons) AS reason
         FROM cells c WHERE c.scope = ? AND c.question IN (SELECT value FROM json_each(?))`,
      )
      .all(scope, selected)
      .map((cell) => [`${cell.question} ${cell.alias}`, cell]),
  )
  const rows: MatrixPageRow[] = []
  let bytes = 0
  for (const id of questions) {
    const { id: _, answerable, ...head } = heads.get(id)!
    const row: MatrixPageRow = {
      ...head,
      answerable: answerable === null ? null : answerable === 1,
      cells: aliases.map((alias) => pageCell(cells.get(`${id} ${alias.id}`))),
    }
    bytes += jsonBytes(row)
    if (bytes > PAGE_BUDGET_BYTES) break
    rows.push(row)
  }
  return rows
}

function pageCell(cell: CellRow | undefined): MatrixPageCell | null {
  if (cell === undefined) return null
  const { question: _question, alias: _alias, status, evaluation, state, reason, ...rest } = cell
  return {
    ...rest,
    status: CellStatus.options[status]!,
    evaluation: evaluationOfCode(evaluation),
    state: stateOfCode(state),
    reason: reason === null ? null : reason.slice(0, 200),
  }
}
