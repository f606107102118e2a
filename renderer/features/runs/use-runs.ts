import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notifyFailure } from '../../components/notify.ts'
import { api } from '../../data/client.ts'
import { RUNS_WORDS } from './runs-words.ts'

/** Reads everything again that lists runs. */
export function useRunsRefresh(): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    const keys = [api.runs.overview.key(), api.runs.trash.key(), api.runs.jobs.key(), api.runs.list.key()]
    await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))
  }
}

/** Brings a run back from the trash. */
export function useRestoreRun() {
  const refresh = useRunsRefresh()
  return useMutation(
    api.runs.restore.mutationOptions({
      onSuccess: refresh,
      onError: (error) => notifyFailure(RUNS_WORDS.remove.restoring, error),
    }),
  )
}
