import { useQueries } from '@tanstack/react-query'
import type { MatrixPageRow } from '../../../contract/control/run-index/matrix-page.ts'
import { api } from '../../data/client.ts'

/** Beginnings of answers by row id. */
export type AnswerStarts = Readonly<Record<string, string>>

const NOTHING: AnswerStarts = {}
/** The engine reads as many answers at once. */
const MOST_ANSWERS = 200

/** Rows whose answers are asked for together: the grid asks again only when the next ones come into view. */
export const rowsPerRequest = (columns: number): number =>
  Math.max(1, Math.min(8, Math.floor(MOST_ANSWERS / Math.max(columns, 1))))

interface ShownAnswers {
  run: string
  /** Approaches of the dataset run. */
  columns: number
  row: (index: number) => MatrixPageRow | undefined
  /** Indexes of the rows in view; none where answers are not shown. */
  shown: readonly number[]
}

/** Returns the beginnings of the answers in a row, by row id; empty while they load. */
export function useAnswerStarts({ run, columns, row, shown }: ShownAnswers): (index: number) => AnswerStarts {
  const size = rowsPerRequest(columns)
  const blocks = [...new Set(shown.map((index) => Math.floor(index / size)))]
  const requests = blocks.map((block) =>
    Array.from({ length: size }, (_, at) => row(block * size + at)?.cells ?? [])
      .flat()
      .flatMap((cell) => (cell === null || cell.answer_chars === null ? [] : [cell.row_id]))
      .slice(0, MOST_ANSWERS),
  )
  const answers = useQueries({
    queries: requests.map((ids) => ({
      ...api.cells.answerStarts.queryOptions({ input: { run_id: run, row_ids: ids } }),
      enabled: ids.length > 0,
    })),
  })
  return (index) => answers[blocks.indexOf(Math.floor(index / size))]?.data?.starts ?? NOTHING
}
