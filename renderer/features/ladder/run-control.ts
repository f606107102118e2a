import { useMutation } from '@tanstack/react-query'
import { api } from '../../data/client.ts'

/** Pause, resume and cancel by a run's name; the run's own events report the result. */
export function useRunControl(): Record<'pause' | 'resume' | 'cancel', (runId: string) => void> {
  const pause = useMutation(api.runs.pause.mutationOptions({ meta: { failed: 'Pausing' } }))
  const resume = useMutation(api.runs.resume.mutationOptions({ meta: { failed: 'Resuming' } }))
  const cancel = useMutation(api.runs.cancel.mutationOptions({ meta: { failed: 'Cancelling' } }))
  return {
    pause: (run_id) => pause.mutate({ run_id }),
    resume: (run_id) => resume.mutate({ run_id }),
    cancel: (run_id) => cancel.mutate({ run_id }),
  }
}
