import { useMutation, useQueryClient } from '@tanstack/react-query'
import { plural } from '../../components/format.ts'
import { notifyDone, notifyFailure } from '../../components/notify.ts'
import { api } from '../../data/client.ts'

/** Moves the torn end of a run's evidence files aside, and reports where it is; afterwards the run can be resumed. */
export function useRecover() {
  const client = useQueryClient()
  return useMutation(
    api.runs.recover.mutationOptions({
      onSuccess: ({ files }) => {
        for (const { moved_to: to, moved_bytes: bytes, rows } of files)
          notifyDone(`${bytes} torn bytes are in ${to}; ${plural(rows, 'finished row')} stay. The run can be resumed.`)
        void client.invalidateQueries({ queryKey: api.experiment.plan.key() })
      },
      onError: (error) => notifyFailure('Moving torn bytes', error),
    }),
  )
}
