import { useMutation } from '@tanstack/react-query'
import { plural } from '../../components/format.ts'
import { notifyDone } from '../../components/notify.ts'
import { api } from '../../data/client.ts'

/** Moves the torn end of a run's evidence files aside, and reports where it is; afterwards the run can be resumed. */
export function useRecover() {
  return useMutation(
    api.runs.recover.mutationOptions({
      onSuccess: ({ files }) => {
        for (const { moved_to: to, moved_bytes: bytes, rows } of files)
          notifyDone(`${bytes} torn bytes are in ${to}; ${plural(rows, 'finished row')} stay. The run can be resumed.`)
      },
      meta: { failed: 'Moving torn bytes', refreshes: [api.experiment.plan.key()] },
    }),
  )
}
