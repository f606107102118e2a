import type { MatrixFilters, MatrixPageInput, MatrixSort } from '../../../contract/control/run-index/matrix-page.ts'
import type { MatrixSearch } from '../../app/search-params.ts'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'

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

/** The order that an address holds; the query file's own unless it says otherwise. */
export function sortOf({ sort = 'position', sortAlias, descending = false }: MatrixSearch): MatrixSort {
  if (sort === 'value')
    return sortAlias === undefined ? { by: 'position' } : { by: 'value', alias: sortAlias, descending }
  return { by: sort, descending }
}

/** What the view asks the index for, without the place in the list. */
export const pageInput = (
  run: string,
  dataset: string,
  metric: IndexMetric,
  search: MatrixSearch,
): Omit<MatrixPageInput, 'offset' | 'limit'> => ({
  ...{ run_id: run, dataset_id: dataset, metric },
  sort: sortOf(search),
  filters: filtersOf(search),
})
