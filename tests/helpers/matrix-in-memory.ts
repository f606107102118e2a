import type { CanonicalRow } from '../../contract/evidence/canonical-row.ts'
import type { Matrix, MatrixCell } from '../../contract/evidence/matrix.ts'
import {
  createMatrixOrder,
  matrixCell,
  matrixEnd,
  matrixLine,
  matrixOpening,
  type MatrixFrame,
} from '../../main/report/matrix/matrix-form.ts'
import { fixtureDataset, REPORT_RUN } from './report-rows.ts'

export const matrixDataset = fixtureDataset('subset', 'Subset', 1)
export const matrixFrame: MatrixFrame = {
  runId: REPORT_RUN,
  datasetId: matrixDataset.id,
  models: ['graph-rag', 'vanilla-rag'],
  questionIds: ['q-2', 'q-1'],
}

/** All rows of one dataset run as a plain table of answers, held in memory. Throws `ReportError`. */
export async function toMatrix(rows: AsyncIterable<CanonicalRow>, frame: MatrixFrame): Promise<Matrix> {
  const order = createMatrixOrder<MatrixCell>(frame)
  for await (const row of rows) order.add(row, () => matrixCell(row))
  return order.finish()
}

/** The bytes of `-matrix.json`, one question and one cell per line: long answers never become one huge text. */
export function* matrixText({ cells, ...matrix }: Matrix): Generator<string> {
  yield* matrixOpening(matrix)
  for (const [index, cell] of cells.entries()) yield matrixLine(index, JSON.stringify(cell))
  yield matrixEnd(cells.length)
}
