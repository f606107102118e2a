import { useMutation } from '@tanstack/react-query'
import { api } from '../../data/client.ts'
import { RUNS_WORDS } from './runs-words.ts'

/** Everything that lists runs. */
export const RUN_LISTS = [api.runs.overview.key(), api.runs.trash.key(), api.runs.jobs.key(), api.runs.list.key()]

/** Brings a run back from the trash. */
export const useRestoreRun = () =>
  useMutation(api.runs.restore.mutationOptions({ meta: { failed: RUNS_WORDS.remove.restoring, refreshes: RUN_LISTS } }))
