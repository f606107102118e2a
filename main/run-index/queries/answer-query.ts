import type Database from 'better-sqlite3'
import { z } from 'zod'
import { AnswerSliceInput, AnswerStartsInput, CellInput } from '../../../contract/control/run-index/cell.ts'
import { CompareRunsInput } from '../../../contract/control/run-index/compare-runs.ts'
import { ColumnHeadsInput, MatrixPageInput } from '../../../contract/control/run-index/matrix-page.ts'
import { ListRunsInput } from '../../../contract/control/run-index/runs.ts'
import { SearchInput } from '../../../contract/control/run-index/search.ts'
import { describeIssues } from '../../../core/issues.ts'
import { TrendInput } from '../../../contract/control/run-index/trend.ts'
import { RunFactsInput } from '../../../contract/control/stored-runs.ts'
import { RunIndexError } from '../run-index-error.ts'
import { answerSlice, answerStarts, cell, RowCache } from './cell.ts'
import { columnHeads } from './column-heads.ts'
import { compareRuns } from './compare-runs.ts'
import { withinAnswerLimit } from './fit-answer.ts'
import { matrixPage, OrderCache } from './matrix-page.ts'
import { knownRuns, runFacts } from './run-facts.ts'
import { indexStatus, listRuns, runSummary } from './runs.ts'
import { ColumnCache } from './score-columns.ts'
import { search } from './search.ts'
import { runTrend } from './trend.ts'

/** Caches of one connection. */
interface QueryContext {
  folders: readonly string[]
  orders: OrderCache
  columns: ColumnCache
  rows: RowCache
}

/** For a new connection. */
export const newContext = (folders: readonly string[]): QueryContext => ({
  folders,
  orders: new OrderCache(),
  columns: new ColumnCache(),
  rows: new RowCache(),
})

interface Query<Input extends z.ZodType, Result> {
  input: Input
  answer: (db: Database.Database, input: z.output<Input>, context: QueryContext) => Result
}

const query = <Input extends z.ZodType, Result>(
  input: Input,
  answer: Query<Input, Result>['answer'],
): Query<Input, Result> => ({ input, answer })

/** The queries of the index. Callers use `query(name, input)` and its types: a new query is one line here and its function. */
const QUERIES = {
  listRuns: query(ListRunsInput, listRuns),
  runFacts: query(RunFactsInput, runFacts),
  knownRuns: query(RunFactsInput, knownRuns),
  runSummary: query(z.strictObject({ run_id: z.string().min(1).max(512) }), runSummary),
  matrixPage: query(MatrixPageInput, (db, input, { orders }) => matrixPage(db, input, orders)),
  columnHeads: query(ColumnHeadsInput, (db, input, { columns }) => columnHeads(db, input, columns)),
  cell: query(CellInput, (db, input, { rows }) => cell(db, input, rows)),
  answerSlice: query(AnswerSliceInput, (db, input, { rows }) => answerSlice(db, input, rows)),
  answerStarts: query(AnswerStartsInput, answerStarts),
  search: query(SearchInput, search),
  compareRuns: query(CompareRunsInput, compareRuns),
  runTrend: query(TrendInput, runTrend),
  status: query(z.strictObject({}), (db, _input, { folders }) => indexStatus(db, folders)),
}

export type QueryName = keyof typeof QUERIES
export type QueryInput<Name extends QueryName> = z.input<(typeof QUERIES)[Name]['input']>
export type QueryResult<Name extends QueryName> = ReturnType<(typeof QUERIES)[Name]['answer']>

/**
 * Checks the input and answers from one unchanging view of the index. Throws `bad_input`, `too_large`, and what SQLite and the disk
 * throw.
 */
export function answerQuery(db: Database.Database, name: QueryName, input: unknown, context: QueryContext): unknown {
  const { input: schema, answer } = QUERIES[name] as Query<z.ZodType, unknown>
  const parsed = schema.safeParse(input)
  if (!parsed.success) throw new RunIndexError('bad_input', describeIssues(parsed.error).slice(0, 5).join('; '))
  return withinAnswerLimit(db.transaction(() => answer(db, parsed.data, context)).deferred())
}
