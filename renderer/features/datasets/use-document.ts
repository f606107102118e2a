import { useInfiniteQuery } from '@tanstack/react-query'
import { api } from '../../data/client.ts'

/** The text of a document, slice by slice, as far as it is read; `unread` is what stands in place of a text. */
export function useDocument(dataset: string, path: string, limit: number) {
  const query = useInfiniteQuery(
    api.datasets.document.infiniteOptions({
      input: (offset: number) => ({ dataset_id: dataset, path, offset, limit }),
      initialPageParam: 0,
      getNextPageParam: (last) => (last.is_text ? last.next_offset : null),
    }),
  )
  const slices = query.data?.pages.filter((slice) => slice.is_text) ?? []
  return { query, slices, unread: query.data?.pages.find((slice) => !slice.is_text) }
}
