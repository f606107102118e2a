import { keepPreviousData, useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { MatrixPage, MatrixPageInput, MatrixPageRow } from '../../../contract/control/run-index/matrix-page.ts'
import { api } from '../../data/client.ts'

/** What the index is asked for, without the place in the list. */
export type MatrixList = Omit<MatrixPageInput, 'offset' | 'limit'>

const options = (list: MatrixList, page: number, limit: number) =>
  api.matrix.page.queryOptions({ input: { ...list, offset: page * limit, limit } })

/** The first page, which also counts the list; that of the filters before, while the new one is on its way. */
export const useFirstPage = (list: MatrixList, limit: number): UseQueryResult<MatrixPage> =>
  useQuery({ ...options(list, 0, limit), placeholderData: keepPreviousData })

/** Rows by their place in the list; undefined while they are on their way. */
export function useMatrixRows(
  list: MatrixList,
  limit: number,
  first: UseQueryResult<MatrixPage>,
  shown: readonly number[],
): { row: (index: number) => MatrixPageRow | undefined; error: Error | null } {
  const pages = [...new Set(shown.map((index) => Math.floor(index / limit)))].filter((page) => page > 0)
  const others = useQueries({ queries: pages.map((page) => options(list, page, limit)) })
  const byPage = new Map(pages.map((page, index) => [page, others[index]?.data?.rows]))
  byPage.set(0, first.data?.rows)
  return {
    row: (index) => byPage.get(Math.floor(index / limit))?.[index % limit],
    error: first.error ?? others.find(({ error }) => error !== null)?.error ?? null,
  }
}
