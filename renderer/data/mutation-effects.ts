import { MutationCache, type QueryClient, type QueryKey } from '@tanstack/react-query'
import { notifyFailure } from '../components/notify.ts'

/** What follows a change, written beside it as its `meta`. */
interface MutationEffects extends Record<string, unknown> {
  /** What is reported as failed, where the page itself shows no failure. */
  failed?: string
  /** Queries to read again, however it ended; before what the page does with a success. */
  refreshes?: readonly QueryKey[]
}

declare module '@tanstack/react-query' {
  interface Register {
    mutationMeta: MutationEffects
  }
}

const refresh = (client: QueryClient, { refreshes = [] }: MutationEffects = {}): Promise<unknown> =>
  Promise.all(refreshes.map((queryKey) => client.invalidateQueries({ queryKey })))

/** Does for every mutation what its `meta` says. */
export const mutationCache = new MutationCache({
  onSuccess: (_data, _variables, _result, { meta }, { client }) => refresh(client, meta),
  onError: (error, _variables, _result, { meta }, { client }) => {
    if (meta?.failed !== undefined) notifyFailure(meta.failed, error)
    return refresh(client, meta)
  },
})
