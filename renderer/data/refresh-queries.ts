import type { Query, QueryClient, QueryKey } from '@tanstack/react-query'

// Data that an event makes stale are fetched again. TanStack Query joins an invalidation to a query's first fetch when that is under way, but the
// engine may have answered it before what the event reports. Such a query is fetched once more after its first answer.

/** State of the event stream itself is not an answer of the engine. */
const isServerData = ({ queryKey }: Query): boolean => queryKey[0] !== 'live'

/** Fetches the queries below this key again whose first fetch is under way, as soon as it has ended. */
export function repeatFirstFetches(client: QueryClient, queryKey: QueryKey): void {
  for (const query of client.getQueryCache().findAll({ queryKey, predicate: isServerData })) {
    if (query.state.data !== undefined || query.state.fetchStatus === 'idle') continue
    const again = (): void => void client.invalidateQueries({ queryKey: query.queryKey, exact: true })
    void query.promise?.then(again, again)
  }
}

/** Makes the queries below this key stale and fetches those that a page shows; `[]` means all. */
export function refreshQueries(client: QueryClient, queryKey: QueryKey): void {
  repeatFirstFetches(client, queryKey)
  void client.invalidateQueries({ queryKey, predicate: isServerData })
}
