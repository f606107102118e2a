import { Button, Progress } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { STEP_NAMES } from '../../core/evidence/step-names.ts'
import { count, duration, rateWords } from '../components/format.ts'
import { useEventLink } from '../data/events.ts'
import { useActiveRun, useProgress } from '../data/progress.ts'
import { CancelButton } from '../features/ladder/cancel-button.tsx'
import { useRunControl } from '../features/ladder/run-control.ts'
import styles from './shell.module.css'
import { SHELL_WORDS } from './shell-words.ts'

const WORDS = SHELL_WORDS.runStrip

/** The run under way, at the foot of every page; in its place a lost engine. */
export function RunStrip() {
  const link = useEventLink()
  const job = useActiveRun()
  const progress = useProgress(job)
  const control = useRunControl()
  if (link === 'lost')
    return (
      <footer className={styles.lost} role="status">
        <span aria-hidden="true">▲</span>
        {WORDS.noEngine}
      </footer>
    )
  if (job === null || progress === null) return null
  const moving = job.state === 'running' || job.state === 'queued'
  return (
    <footer className={styles.strip} aria-label={WORDS.runUnderWay}>
      <div className={styles.stripText}>
        <Link to="/runs/$run/progress" params={{ run: job.run_id }}>
          {job.run_id}
        </Link>
        {progress.dataset_id !== null && (
          <span className={styles.stripDetail}>
            {progress.dataset_id}
            {job.request.dataset_ids.length > 1 && WORDS.of(progress.dataset_number, job.request.dataset_ids.length)}
          </span>
        )}
        {moving && progress.step !== null && <span className={styles.stripDetail}>{STEP_NAMES[progress.step]}</span>}
        <span>{WORDS.cells(count(progress.done), count(progress.total))}</span>
        <span className={styles.stripDetail}>{WORDS.failed(count(progress.failed))}</span>
        {moving && progress.cells_per_second !== null && (
          <span className={styles.stripDetail}>{WORDS.cellsPerSecond(rateWords(progress.cells_per_second))}</span>
        )}
        {moving && progress.left_ms !== null && (
          <span className={styles.stripLeft}>{WORDS.left(duration(progress.left_ms))}</span>
        )}
        {!moving && <strong>{job.state}</strong>}
      </div>
      <Progress
        className={styles.stripBar}
        value={progress.total === 0 ? 0 : (progress.done / progress.total) * 100}
        aria-label={WORDS.cellsDone}
      />
      {job.state === 'paused' ? (
        <Button variant="filled" onClick={() => control.resume(job.run_id)}>
          {WORDS.resume}
        </Button>
      ) : (
        <Button disabled={job.state !== 'running'} onClick={() => control.pause(job.run_id)}>
          {WORDS.pause}
        </Button>
      )}
      <CancelButton job={job} />
    </footer>
  )
}
