import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { plural } from '../../components/format.ts'
import { api } from '../../data/client.ts'
import { useRunControl } from './run-control.ts'
import styles from './ladder.module.css'

/** Runs that wait for the one under way. */
export function QueuedRuns() {
  const queued = useQuery(api.system.status.queryOptions()).data?.queued ?? []
  const control = useRunControl()
  return queued.map(({ run_id: run, request }) => (
    <div key={run} className={styles.done}>
      <span>
        ○ Run <strong>{run}</strong> waits: {plural(request.dataset_ids.length, 'dataset')},{' '}
        {plural(request.models.length, 'alias', 'aliases')}.
      </span>
      <Button variant="default" onClick={() => control.cancel(run)}>
        Cancel run
      </Button>
    </div>
  ))
}
