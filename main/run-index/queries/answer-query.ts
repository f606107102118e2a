import type Database from 'better-sqlite3'
import type { z } from 'zod'
import {
  describeIssues,
  type AnswerSliceOutcome,
  type CellOutcome,
  type ColumnHeadsOutcome,
  type IndexStatus,
  type MatrixPageOutcome,
  type RunComparison,
  type RunList,
  type RunSummaryOutcome,
  type SearchResults,
} from '../../../contract/index.ts'
import { RunIndexError } from '../run-index-error.ts'
import { answerSlice, cell } from './cell.ts'
import { columnHeads } from './column-heads.ts'
import { compareRuns } from './compare-runs.ts'
import { listRuns } from './list-runs.ts'
import { matrixPage, OrderCache } from './matrix-page.ts'
import { bounded } from './page-budget.ts'
import { REQUESTS } from './requests.ts'
import { runSummary } from './run-summary.ts'
import { search } from './search.ts'
import { indexStatus } from './status.ts'
import { RowCache } from './stored-row.ts'

/** Answers of all queries, by name. */
export interface QueryAnswers {
  listRuns: RunList
  runSummary: RunSummaryOutcome
  matrixPage: MatrixPageOutcome
  columnHeads: ColumnHeadsOutcome
  cell: CellOutcome
  answerSlice: AnswerSliceOutcome
  search: SearchResults
  compareRuns: RunComparison
  status: IndexStatus
}
export type QueryName = keyof QueryAnswers

/** What stays between the queries of one connection. */
export interface QueryContext {
  folders: readonly string[]
  orders: OrderCache
  rows: RowCache
}

/** For a connection that was just opened. */
export const newContext = (folders: readonly string[]): QueryContext => ({
  folders,
  orders: new OrderCache(),
  rows: new RowCache(),
})

/**
 * Checks what is asked and answers it from one unchanging view of the index. Throws `bad_input`, `too_large`, and what SQLite and the disk
 * throw.
 */
export function answerQuery(db: Database.Database, name: QueryName, input: unknown, context: QueryContext): unknown {
  return bounded(db.transaction(() => answer(db, name, input, context)).deferred())
}

function answer(db: Database.Database, name: QueryName, input: unknown, context: QueryContext): unknown {
  switch (name) {
    case 'listRuns':
      return listRuns(db, checked(REQUESTS.listRuns, input))
    case 'runSummary':
      return runSummary(db, checked(REQUESTS.runSummary, input))
    case 'matrixPage':
      return matrixPage(db, checked(REQUESTS.matrixPage, input), context.orders)
    case 'columnHeads':
      return columnHeads(db, checked(REQUESTS.columnHeads, input))
    case 'cell':
      return cell(db, checked(REQUESTS.cell, input), context.rows)
    case 'answerSlice':
      return answerSlice(db, checked(REQUESTS.answerSlice, input), context.rows)
    case 'search':
      return search(db, checked(REQUESTS.search, input))
    case 'compareRuns':
      return compareRuns(db, checked(REQUESTS.compareRuns, input))
    case 'status':
      return indexStatus(db, context.folders)
  }
}

function checked<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input)
  if (!parsed.success) throw new RunIndexError('bad_input', describeIssues(parsed.error).slice(0, 5).join('; '))
  return parsed.data
}
