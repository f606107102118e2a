import { z } from 'zod'
import {
  AnswerSliceInput,
  CellInput,
  ColumnHeadsInput,
  CompareRunsInput,
  ListRunsInput,
  MatrixPageInput,
  SearchInput,
} from '../../../contract/index.ts'

/** What each query takes. */
export const REQUESTS = {
  listRuns: ListRunsInput,
  runSummary: z.strictObject({ run_id: z.string().min(1).max(512) }),
  matrixPage: MatrixPageInput,
  columnHeads: ColumnHeadsInput,
  cell: CellInput,
  answerSlice: AnswerSliceInput,
  search: SearchInput,
  compareRuns: CompareRunsInput,
} as const

export type MatrixPageRequest = z.output<typeof MatrixPageInput>
export type ListRunsRequest = z.output<typeof ListRunsInput>
export type AnswerSliceRequest = z.output<typeof AnswerSliceInput>
export type SearchRequest = z.output<typeof SearchInput>
export type CompareRunsRequest = z.output<typeof CompareRunsInput>
