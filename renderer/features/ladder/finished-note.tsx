import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { plural } from '../../components/format.ts'
import { notifyFailure } from '../../components/notify.ts'
import { api } from '../../data/client.ts'
import type { LadderState } from '../../data/ladder-state.ts'
import styles from './ladder.module.css'

/** After the end: how it ended, and the way to its matrix. */
export function FinishedNote({ ladder, runId }: { ladder: LadderState; runId: string }) {
  const navigate = useNavigate()
  const retry = useMutation(
    api.runs.retryFailures.mutationOptions({ onError: (error) => notifyFailure('Starting the retry', error) }),
  )
  const failed = Object.values(ladder.climbs).reduce((sum, climb) => sum + climb.failed, 0)
  const dataset = ladder.datasetIds.at(-1)
  return (
    <div className={styles.done} role="status">
      <span>
        {ladder.outcome?.outcome === 'completed'
          ? '● The run is complete'
          : `▲ The run ended: ${ladder.outcome?.outcome ?? ''}`}
        {failed > 0 && `, ${plural(failed, 'cell')} failed`}.
      </span>
      <Button
        onClick={() =>
          void navigate({ to: '/matrix', search: { run: runId, ...(dataset === undefined ? {} : { dataset }) } })
        }
      >
        Open the matrix
      </Button>
      {failed > 0 && (
        <Button variant="default" loading={retry.isPending} onClick={() => retry.mutate({ run_id: runId })}>
          Make {plural(failed, 'failed cell')} again in a new run
        </Button>
      )}
    </div>
  )
}
