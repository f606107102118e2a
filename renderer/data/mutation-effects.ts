import { MutationCache, type QueryClient, type QueryKey } from '@tanstack/react-query'
import { notifyDone, notifyFailure } from '../components/notify.ts'

/** Describes a change's effects, beside it as `meta`. */
interface MutationEffects extends Record<string, unknown> {
  /** Reports what failed, where the page itself shows no failure. */
  failed?: string
  /** Reports what was done. */
  done?: string
  /** The query whose new data the change returns. */
  returns?: QueryKey
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
  onSuccess: async (data, _variables, _result, { meta }, { client }) => {
    if (meta?.returns !== undefined) client.setQueryData(meta.returns, data)
    await refresh(client, meta)
    if (meta?.done !== undefined) notifyDone(meta.done)
  },
  onError: (error, _variables, _result, { meta }, { client }) => {
    if (meta?.failed !== undefined) notifyFailure(meta.failed, error)
    return refresh(client, meta)
  },
})
