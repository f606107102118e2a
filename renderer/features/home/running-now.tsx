import { Progress } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { RunJob } from '../../../contract/control/run-job.ts'
import { count, duration } from '../../components/format.ts'
import { STEP_NAMES } from '../../components/step-names.ts'
import { Panel } from '../../components/states.tsx'
import { useProgress } from '../../data/progress.ts'
import styles from './home.module.css'

/** The run under way in large figures. */
export function RunningNow({ job }: { job: RunJob }) {
  const progress = useProgress(job)
  if (progress === null) return null
  const figures: [string, string][] = [
    ['Cells', `${count(progress.done)}/${count(progress.total)}`],
    ['Failed', count(progress.failed)],
    ['Cells per second', progress.cellsPerSecond === null ? '–' : progress.cellsPerSecond.toFixed(1)],
    ['Left', duration(progress.leftMs)],
  ]
  return (
    <Panel title={`Run ${job.run_id}`} aside={<Link to="/ladder">Show steps</Link>}>
      <div className={styles.running}>
        <p className="dim">
          {job.state}
          {progress.datasetId !== null && ` · ${progress.datasetId}`}
          {progress.datasetCount > 1 &&
            progress.datasetNumber !== null &&
            ` (${progress.datasetNumber} of ${progress.datasetCount})`}
          {progress.step !== null && ` · ${STEP_NAMES[progress.step]}`}
        </p>
        <Progress
          value={progress.total === 0 ? 0 : (progress.done / progress.total) * 100}
          aria-label="Cells done"
          transitionDuration={100}
        />
        <dl className={styles.figures}>
          {figures.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Panel>
  )
}
