import { keepPreviousData, useQueries, useQuery, type UseQueryResult } from '@tanstack/react-query'
import type {
  MatrixFilters,
  MatrixPage,
  MatrixPageInput,
  MatrixPageRow,
  MatrixSort,
} from '../../../contract/control/run-index/matrix-page.ts'
import type { MatrixSearch } from '../../app/search-params.ts'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { api } from '../../data/client.ts'

/** Describes what the index is asked for, without the part of the list. */
export type MatrixList = Omit<MatrixPageInput, 'offset' | 'limit'>

/** The filters that an address holds. */
export function filtersOf({ states, hops, winner, spread, text }: MatrixSearch): MatrixFilters {
  return {
    ...(states === undefined ? {} : { states }),
    ...(hops === undefined ? {} : { hops }),
    ...(winner === undefined ? {} : { winner }),
    ...(spread === undefined ? {} : { min_spread: spread }),
    ...(text === undefined ? {} : { text }),
  }
}

/** The order that an address holds; that of the questions file where it holds none. */
function sortOf({ sort = 'position', sortAlias, descending: isDescending }: MatrixSearch): MatrixSort {
  const descending = isDescending === true
  if (sort === 'value')
    return sortAlias === undefined ? { by: 'position' } : { by: 'value', alias: sortAlias, descending }
  return { by: sort, descending }
}

/** Returns what the view asks the index for. */
export const pageInput = (run: string, dataset: string, metric: IndexMetric, search: MatrixSearch): MatrixList => ({
  run_id: run,
  dataset_id: dataset,
  metric,
  sort: sortOf(search),
  filters: filtersOf(search),
})

const options = (list: MatrixList, page: number, limit: number) =>
  api.matrix.page.queryOptions({ input: { ...list, offset: page * limit, limit } })

/** The first page, which also counts the list; while it loads, that of the previous filters. */
export const useFirstPage = (list: MatrixList, limit: number): UseQueryResult<MatrixPage> =>
  useQuery({ ...options(list, 0, limit), placeholderData: keepPreviousData })

/** Rows by their index in the list; undefined while they load. */
export function useMatrixRows(
  list: MatrixList,
  limit: number,
  first: UseQueryResult<MatrixPage>,
  shown: readonly number[],
): {
  row: (index: number) => MatrixPageRow | undefined
  /** Those that are read, by the index of their first row. */
  pages: ReadonlyMap<number, readonly MatrixPageRow[]>
  error: Error | null
} {
  const pages = [...new Set(shown.map((index) => Math.floor(index / limit)))].filter((page) => page > 0)
  const others = useQueries({ queries: pages.map((page) => options(list, page, limit)) })
  const read = new Map([[0, first.data?.rows ?? []]])
  pages.forEach((page, index) => read.set(page * limit, others[index]?.data?.rows ?? []))
  return {
    row: (index) => read.get(index - (index % limit))?.[index % limit],
    pages: read,
    error: first.error ?? others.find(({ error }) => error !== null)?.error ?? null,
  }
}
