import type Database from 'better-sqlite3'
import { MatrixFilters, type MatrixSort } from '../../../contract/control/run-index/matrix-page.ts'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { metricOfId } from '../../../contract/metrics/metrics.ts'
import { stateCode, stateColumn, valueColumn } from '../schema.ts'
import type { DatasetRun } from './dataset-run.ts'
import { textQuery } from './text-query.ts'

interface MatrixQuestion {
  scope: DatasetRun
  /** Numbers of the shown aliases. */
  aliases: readonly number[]
  metric: IndexMetric
  sort: MatrixSort
  filters: MatrixFilters
  /** Number of an alias that a sort or filter names; null when the dataset run does not have it. */
  aliasNumber: (model: string) => number | null
}

type Value = string | number | null

/** Collects the parts of one statement. Values are always bound, never part of the text. */
class Statement {
  readonly folds = ['count(*) AS cells']
  readonly conditions = ['d.scope = @scope']
  readonly order: string[] = []
  readonly values: Record<string, Value> = {}
  usesFold = false
  #count = 0

  bind(value: Value): string {
    const name = `v${this.#count++}`
    this.values[name] = value
    return `@${name}`
  }

  /** A list of any length, as one value. */
  list(values: readonly (string | number)[]): string {
    return `(SELECT value FROM json_each(${this.bind(JSON.stringify(values))}))`
  }

  /** A figure over the shown cells of a question; returns its name. */
  fold(sql: string): string {
    const name = `f${this.folds.length}`
    this.folds.push(`${sql} AS ${name}`)
    this.usesFold = true
    return `f.${name}`
  }
}

/** Numbers of the questions that pass the filters, in the order of the sort; ties in the order of the dataset run. */
export function matchingQuestions(db: Database.Database, question: MatrixQuestion): number[] {
  const statement = new Statement()
  addFilters(statement, question)
  addSort(statement, question)
  const { scope, aliases } = question
  const shown = `c.scope = @scope AND c.alias IN (SELECT value FROM json_each(@aliases))`
  const fold = `folded AS MATERIALIZED (
    SELECT c.question, ${statement.folds.join(', ')} FROM cells c INDEXED BY cells_by_question WHERE ${shown} GROUP BY c.question)`
  const sql = `${statement.usesFold ? `WITH ${fold}` : ''}
    SELECT d.question FROM dataset_run_questions d JOIN questions q ON q.id = d.question
    ${statement.usesFold ? 'LEFT JOIN folded f ON f.question = d.question' : ''}
    WHERE ${statement.conditions.map((condition) => `(${condition})`).join(' AND ')}
    ORDER BY ${[...statement.order, 'd.position', 'd.question'].join(', ')}`
  const named = { ...statement.values, scope: scope.id, aliases: JSON.stringify(aliases) }
  return db.prepare<[typeof named], number>(sql).pluck().all(named)
}

function addFilters(statement: Statement, question: MatrixQuestion): void {
  const { scope, aliases, metric, filters, aliasNumber } = question
  const value = `c.${valueColumn(metric)}`
  const { conditions } = statement
  if (filters.states !== undefined) {
    const hit = statement.fold(`max(c.${stateColumn(metric)} IN ${statement.list(filters.states.map(stateCode))})`)
    const missing = filters.states.includes('missing') ? ` OR coalesce(f.cells, 0) < ${aliases.length}` : ''
    conditions.push(`${hit}${missing}`)
  }
  if (filters.hops !== undefined) {
    const known = filters.hops.filter((hops) => hops !== null)
    conditions.push(`q.hops IN ${statement.list(known)}${filters.hops.includes(null) ? ' OR q.hops IS NULL' : ''}`)
  }
  if (filters.answerable !== undefined) conditions.push(`q.answerable = ${statement.bind(Number(filters.answerable))}`)
  if (filters.inconclusive !== undefined) conditions.push(`d.inconclusive IN ${statement.list(filters.inconclusive)}`)
  if (filters.min_spread !== undefined)
    conditions.push(`${statement.fold(`max(${value}) - min(${value})`)} >= ${statement.bind(filters.min_spread)}`)
  if (filters.winner !== undefined) addWinner(statement, question, filters.winner)
  if (filters.score !== undefined) {
    const { alias, min, max } = filters.score
    const bounds = [
      ...(alias === undefined ? [] : [`c.alias = ${statement.bind(aliasNumber(alias))}`]),
      ...(min === undefined ? [] : [`${value} >= ${statement.bind(min)}`]),
      ...(max === undefined ? [] : [`${value} <= ${statement.bind(max)}`]),
    ]
    conditions.push(statement.fold(`max(${bounds.join(' AND ')})`))
  }
  if (filters.text !== undefined && filters.text.trim() !== '') addText(statement, scope, filters.text)
}

/** The one shown alias with the best value wins a question; null asks for those where none has a value or several share it. */
function addWinner(statement: Statement, { metric, aliasNumber }: MatrixQuestion, winner: string | null): void {
  // The panel's winner is more than the best mean: votes decide where means are equal.
  if (metricOfId(metric).class === 'judge_panel') {
    const condition = winner === null ? 'IS NULL' : `= ${statement.bind(aliasNumber(winner))}`
    statement.conditions.push(`d.winner ${condition}`)
    return
  }
  const value = `c.${valueColumn(metric)}`
  const [best, isBetter] = metricOfId(metric).better === 'higher' ? ['max', '>'] : ['min', '<']
  if (winner !== null) {
    const alias = statement.bind(aliasNumber(winner))
    const own = statement.fold(`${best}(CASE WHEN c.alias = ${alias} THEN ${value} END)`)
    const others = statement.fold(`${best}(CASE WHEN c.alias <> ${alias} THEN ${value} END)`)
    statement.conditions.push(`${own} ${isBetter} ${others} OR (${own} IS NOT NULL AND ${others} IS NULL)`)
    return
  }
  const leading = statement.fold(`${best}(${value})`)
  statement.conditions.push(
    `${leading} IS NULL OR (SELECT count(*) FROM cells c WHERE c.scope = @scope AND c.question = d.question
       AND c.alias IN (SELECT value FROM json_each(@aliases)) AND ${value} = ${leading}) > 1`,
  )
}

function addText(statement: Statement, { id }: DatasetRun, text: string): void {
  const query = textQuery(text)
  if (query === null) {
    statement.conditions.push('0')
    return
  }
  const [words, scope] = [statement.bind(query), statement.bind(id)]
  // The range of IDs excludes the answers of other runs from the search.
  statement.conditions.push(
    `d.question IN (SELECT rowid FROM question_text WHERE question_text MATCH ${words})
     OR d.question IN (
       SELECT c.question FROM answer_text t CROSS JOIN cells c ON c.id = t.rowid
       WHERE t.answer_text MATCH ${words} AND c.scope = ${scope}
         AND c.alias IN (SELECT value FROM json_each(@aliases))
         AND t.rowid >= (SELECT min(id) FROM cells WHERE scope = ${scope})
         AND t.rowid <= (SELECT max(id) FROM cells WHERE scope = ${scope}))`,
  )
}

function addSort(statement: Statement, { metric, sort, aliasNumber }: MatrixQuestion): void {
  const value = `c.${valueColumn(metric)}`
  const by = (): string | null => {
    switch (sort.by) {
      case 'position':
        return 'd.position'
      case 'question_id':
        return 'q.question_id'
      case 'hops':
        return 'q.hops'
      case 'value':
        return statement.fold(`max(CASE WHEN c.alias = ${statement.bind(aliasNumber(sort.alias))} THEN ${value} END)`)
      case 'mean':
        return statement.fold(`avg(${value})`)
      case 'spread':
        return statement.fold(`max(${value}) - min(${value})`)
    }
  }
  // A missing value is neither high nor low: it is last in both directions.
  statement.order.push(`${by() ?? 'd.position'} ${sort.descending === true ? 'DESC' : 'ASC'} NULLS LAST`)
}
