import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorPanel, LoadingRows } from './states.tsx'

interface LoadedProps<Data> {
  query: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>
  /** What could not be read, at the beginning of a sentence. */
  what: string
  /** Lines that are shown until it is there, and their height. */
  rows: number
  height?: number
  children?: (data: Data) => ReactNode
}

/** What a query brings: lines of its height until it is there, and the reason with a new attempt where it failed. */
export function Loaded<Data>({ query: { data, error, refetch }, what, rows, height, children }: LoadedProps<Data>) {
  return (
    <>
      {error !== null && <ErrorPanel error={error} what={what} retry={() => void refetch()} />}
      {error === null && data === undefined && <LoadingRows rows={rows} height={height} />}
      {data !== undefined && children?.(data)}
    </>
  )
}
