import type {
  AnswerSliceInput,
  AnswerSliceOutcome,
  CellInput,
  CellOutcome,
  ColumnHeads,
  ColumnHeadsInput,
  CompareRunsInput,
  IndexStatus,
  IndexVerification,
  ListRunsInput,
  MatrixPage,
  MatrixPageInput,
  RunComparison,
  RunList,
  RunSummary,
  SearchInput,
  SearchResults,
} from '../../contract/index.ts'
import type { z } from 'zod'

/** What the engine asks the run index; each call answers from a thread of its own. Rejects with `ControlFailure` and `RunIndexError`. */
export interface RunIndexApi {
  status(): Promise<IndexStatus>
  listRuns(input: z.input<typeof ListRunsInput>): Promise<RunList>
  /** Rejects with `not_found`. */
  runSummary(runId: string): Promise<RunSummary>
  /** Rejects with `not_found`. */
  matrixPage(input: MatrixPageInput): Promise<MatrixPage>
  /** Rejects with `not_found`. */
  columnHeads(input: ColumnHeadsInput): Promise<ColumnHeads>
  /** Rejects with `not_found` and `file_changed`. */
  cell(input: CellInput): Promise<Extract<CellOutcome, { ok: true }>>
  /** Rejects with `not_found`, `not_a_text` and `file_changed`. */
  answerSlice(input: AnswerSliceInput): Promise<Extract<AnswerSliceOutcome, { ok: true }>>
  search(input: SearchInput): Promise<SearchResults>
  compareRuns(input: CompareRunsInput): Promise<RunComparison>
  verify(): Promise<IndexVerification>
  /** Resolves when the new index stands. */
  rebuild(): Promise<IndexStatus>
}
