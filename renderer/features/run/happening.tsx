import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { isUnderWayOrQueued } from '../../../core/evidence/run-fold.ts'
import { api } from '../../data/client.ts'
import { useProgress } from '../../data/progress.ts'
import { happeningWords } from './happening-words.ts'
import styles from './run.module.css'

interface HappeningProps {
  run: string
  /** Shown for a run that is not under way. */
  children?: ReactNode
}

/** In the place of a verdict: what a run under way does now, how far that is, and what comes next. */
export function Happening({ run, children }: HappeningProps) {
  const job = useQuery(api.runs.jobs.queryOptions()).data?.find(({ run_id: id }) => id === run) ?? null
  const progress = useProgress(job)
  if (job === null || progress === null || !isUnderWayOrQueued(job.state)) return children
  const { now, next } = happeningWords(job, progress)
  return (
    <p>
      <span className={styles.happening}>{now}</span> <span className="dim">{next}</span>
    </p>
  )
}
