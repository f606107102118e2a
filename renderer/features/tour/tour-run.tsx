import { Button, Progress } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { DatasetView } from '../../../contract/control/experiment.ts'
import type { RunJob } from '../../../contract/control/run-job.ts'
import { isUnderWayOrQueued } from '../../../core/evidence/run-fold.ts'
import { count } from '../../components/format.ts'
import { runStateWords } from '../../components/run-state.ts'
import { api } from '../../data/client.ts'
import { useActiveRun, useProgress } from '../../data/progress.ts'
import { isIngested } from './tour-steps.ts'
import { TOUR_WORDS } from './tour-words.ts'
import styles from './tour.module.css'

const WORDS = TOUR_WORDS.run

interface TourRunProps {
  /** The run of the tour; undefined before it is started. */
  job: RunJob | undefined
  dataset: DatasetView
  approaches: number
  start: () => void
  isStarting: boolean
}

/** Starts the smallest run and shows it until it is complete. */
export function TourRun({ job, dataset, approaches, start, isStarting }: TourRunProps) {
  const active = useActiveRun()
  const isOwn = job !== undefined && active?.run_id === job.run_id
  const progress = useProgress(isOwn ? active : null)
  const documents = useQuery(api.datasets.documents.queryOptions({ input: { dataset_id: dataset.id } })).data?.total
  const isOver = job !== undefined && !isUnderWayOrQueued(job.state) && job.state !== 'paused'
  return (
    <div className={styles.text}>
      <p>{WORDS.what(documents ?? 0, dataset.questions, approaches)}</p>
      {(job === undefined || (isOver && !isIngested(job))) && (
        <div>
          <Button variant="filled" loading={isStarting} onClick={start}>
            {WORDS.start(dataset.questions, approaches)}
          </Button>
        </div>
      )}
      <div role="status" className={styles.text}>
        {active !== null && !isOwn && !isIngested(job) && <p>{WORDS.busy(active.run_id)}</p>}
        {job !== undefined && !isOver && (
          <p>
            {progress === null || progress.total === 0
              ? WORDS.preparing
              : WORDS.cells(count(progress.done), count(progress.total))}
          </p>
        )}
        {isIngested(job) && job !== undefined && <p>{WORDS.complete(job.run_id, count(job.cells?.done ?? 0))}</p>}
        {isOver && !isIngested(job) && (
          <p>
            ▲ {job.run_id} {runStateWords(job)}
          </p>
        )}
      </div>
      {job !== undefined && !isOver && (
        <Progress
          value={progress === null || progress.total === 0 ? 0 : (progress.done / progress.total) * 100}
          aria-label={WORDS.cellsDone}
        />
      )}
    </div>
  )
}
