import { Progress } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { RunJob } from '../../../contract/control/run-job.ts'
import { count, duration, rateWords } from '../../components/format.ts'
import { STEP_NAMES } from '../../../contract/evidence/step-names.ts'
import { Panel } from '../../components/states.tsx'
import { useProgress } from '../../data/progress.ts'
import styles from './home.module.css'
import { HOME_WORDS } from './home-words.ts'

const WORDS = HOME_WORDS.runningNow

/** The run under way in large figures. */
export function RunningNow({ job }: { job: RunJob }) {
  const progress = useProgress(job)
  if (progress === null) return null
  const figures: [string, string][] = [
    [WORDS.cells, `${count(progress.done)}/${count(progress.total)}`],
    [WORDS.failed, count(progress.failed)],
    [WORDS.cellsPerSecond, progress.cellsPerSecond === null ? '–' : rateWords(progress.cellsPerSecond)],
    [WORDS.left, duration(progress.leftMs)],
  ]
  return (
    <Panel title={WORDS.run(job.run_id)} aside={<Link to="/ladder">{WORDS.showSteps}</Link>}>
      <div className={styles.running}>
        <p className="dim">
          {job.state}
          {progress.datasetId !== null && ` · ${progress.datasetId}`}
          {progress.datasetCount > 1 &&
            progress.datasetNumber !== null &&
            WORDS.of(progress.datasetNumber, progress.datasetCount)}
          {progress.step !== null && ` · ${STEP_NAMES[progress.step]}`}
        </p>
        <Progress
          value={progress.total === 0 ? 0 : (progress.done / progress.total) * 100}
          aria-label={WORDS.cellsDone}
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
