import { useQuery } from '@tanstack/react-query'
import { controlErrorOf } from '../../../contract/control/control-error.ts'
import { MAX_TOLD_CHUNKS, type PlacedChunk } from '../../../contract/control/document-chunks.ts'
import { api } from '../../data/client.ts'

export type ChunksOfDocument =
  | { state: 'loading' }
  | { state: 'refused'; message: string }
  | {
      state: 'known'
      chunks: readonly PlacedChunk[]
      total: number
      strategy: string
      size: number
      overlap: number
      profile: string
      /** More chunks lie in the text than one answer tells. */
      isCut: boolean
    }

/** The chunks in the first `length` characters of a document; nothing is asked while that is 0. */
export function useChunks(dataset: string, path: string, length: number): ChunksOfDocument {
  const { data, isError, error } = useQuery({
    ...api.datasets.chunks.queryOptions({ input: { dataset_id: dataset, path, limit: Math.max(1, length) } }),
    enabled: length > 0,
    placeholderData: (before) => before,
  })
  if (isError) return { state: 'refused', message: controlErrorOf(error).message }
  if (data === undefined) return { state: 'loading' }
  if (!data.ok) return { state: 'refused', message: data.message }
  const { chunks, total, strategy, chunk_size: size, overlap, profile } = data
  return { state: 'known', chunks, total, strategy, size, overlap, profile, isCut: chunks.length === MAX_TOLD_CHUNKS }
}
