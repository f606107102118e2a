import { Button, Progress } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { count, duration } from '../components/format.ts'
import { STEP_NAMES } from '../components/step-names.ts'
import { useEventLink } from '../data/events.ts'
import { useActiveRun, useProgress } from '../data/progress.ts'
import { CancelButton } from '../features/ladder/cancel-button.tsx'
import { useRunControl } from '../features/ladder/run-control.ts'
import styles from './shell.module.css'

/** The run under way, at the foot of every page; in its place a lost engine. */
export function RunStrip() {
  const link = useEventLink()
  const job = useActiveRun()
  const progress = useProgress(job)
  const control = useRunControl()
  if (link === 'lost')
    return (
      <footer className={styles.lost} role="status">
        <span aria-hidden="true">▲</span> The engine does not answer. Finished cells are kept; trying again.
      </footer>
    )
  if (job === null || progress === null) return null
  const moving = job.state === 'running' || job.state === 'queued'
  return (
    <footer className={styles.strip} aria-label="Run under way">
      <div className={styles.stripText}>
        <Link to="/ladder">{job.run_id}</Link>
        {progress.datasetId !== null && (
          <span>
            {progress.datasetId}
            {progress.datasetCount > 1 && ` (${progress.datasetNumber} of ${progress.datasetCount})`}
          </span>
        )}
        {moving && progress.step !== null && <span>{STEP_NAMES[progress.step]}</span>}
        <span>
          {count(progress.done)}/{count(progress.total)} cells
        </span>
        <span>{count(progress.failed)} failed</span>
        {moving && progress.cellsPerSecond !== null && <span>{progress.cellsPerSecond.toFixed(1)} cells/s</span>}
        {moving && progress.leftMs !== null && <span>{duration(progress.leftMs)} left</span>}
        {!moving && <strong>{job.state}</strong>}
      </div>
      <Progress
        className={styles.stripBar}
        value={progress.total === 0 ? 0 : (progress.done / progress.total) * 100}
        aria-label="Cells done"
        transitionDuration={100}
      />
      {job.state === 'paused' ? (
        <Button onClick={() => control.resume(job.run_id)}>Resume</Button>
      ) : (
        <Button variant="default" disabled={job.state !== 'running'} onClick={() => control.pause(job.run_id)}>
          Pause
        </Button>
      )}
      <CancelButton job={job} />
    </footer>
  )
}
