import { Button } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { notifyFailure } from '../../components/notify.ts'
import { api } from '../../data/client.ts'
import { useRunControl } from '../ladder/run-control.ts'
import styles from './home.module.css'

/** Runs that were paused, or whose engine died under them: go on, or leave them as they are. */
export function InterruptedRuns() {
  const client = useQueryClient()
  const interrupted = useQuery(api.runs.interrupted.queryOptions()).data ?? []
  const paused = (useQuery(api.runs.jobs.queryOptions()).data ?? []).filter(({ state }) => state === 'paused')
  const control = useRunControl()
  const dismiss = useMutation(
    api.runs.dismiss.mutationOptions({
      onSuccess: () => client.invalidateQueries({ queryKey: api.runs.interrupted.key() }),
      onError: (error) => notifyFailure('Dismissing', error),
    }),
  )
  return [...interrupted, ...paused].map(({ run_id: run, state }) => (
    <div key={run} className={styles.interrupted} role="status">
      <p>
        Run <strong>{run}</strong> {state === 'paused' ? 'is paused' : 'was interrupted'}. Every finished cell is kept.
      </p>
      <Button onClick={() => control.resume(run)}>Resume run</Button>
      {state !== 'paused' && (
        <Button variant="default" onClick={() => dismiss.mutate({ run_id: run })}>
          Leave it
        </Button>
      )}
    </div>
  ))
}
