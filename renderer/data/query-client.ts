import { QueryClient } from '@tanstack/react-query'
import { controlErrorOf } from '../../contract/control/control-error.ts'

/** Events keep the cache fresh, so that nothing is fetched again on a timer; only a silent engine is asked twice more. */
export const queryClient = new QueryClient({
  defaultOptions: {
    // The engine is on this machine: a browser without a network must neither wait for one nor put off what a person does.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      staleTime: Infinity,
      refetchOnWindowFocus: false,
      retry: (failures, error) => failures < 2 && controlErrorOf(error).code === 'unreachable',
    },
  },
})
