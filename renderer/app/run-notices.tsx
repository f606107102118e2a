import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useParams } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { RunState } from '../../contract/control/run-job.ts'
import { pageAt } from '../../core/pages.ts'
import { isUnderWay } from '../../core/evidence/run-fold.ts'
import { runStateWords, signOf } from '../components/run-state.ts'
import { api } from '../data/client.ts'
import { useActiveRun, useProgress } from '../data/progress.ts'
import { useBlind } from '../stores/sight.ts'
import { pageTitle } from './page-title.ts'
import { SHELL_WORDS } from './shell-words.ts'

const WORDS = SHELL_WORDS.notices

/** The notice of a completed run stays so long. */
const DONE_MS = 10_000
const noticeOf = (run: string): string => `run-${run}`

/** The tab's title: the page, and before it how far the run is. */
export function usePageTitle(): void {
  const { pathname } = useLocation()
  const job = useActiveRun()
  const progress = useProgress(job)
  const title = pageTitle(pageAt(pathname)?.label, job, progress)
  useEffect(() => {
    document.title = title
  }, [title])
}

/** Reports the end of a run on every page but its own, which shows it anyway. */
export function useRunNotices(): void {
  const blind = useBlind()
  const jobs = useQuery({ ...api.runs.jobs.queryOptions(), enabled: !blind }).data
  const seen = useRef<Map<string, RunState> | null>(null)
  const { run: open } = useParams({ strict: false })
  useEffect(() => {
    // Its page shows what the notice reported.
    if (open !== undefined) notifications.hide(noticeOf(open))
  }, [open])
  useEffect(() => {
    if (jobs === undefined) return
    const before = seen.current
    seen.current = new Map(jobs.map(({ run_id: id, state }) => [id, state]))
    if (before === null) return
    for (const job of jobs) {
      if (job.run_id === open) continue
      const was = before.get(job.run_id)
      if (was === undefined || !isUnderWay(was) || (job.state !== 'completed' && job.state !== 'failed')) continue
      const isComplete = job.state === 'completed'
      const words = runStateWords(job)
      notifications.show({
        color: isComplete ? 'blue' : 'red',
        id: noticeOf(job.run_id),
        // A failed run waits for a decision; what is done closes by itself.
        autoClose: isComplete ? DONE_MS : false,
        message: (
          <span>
            {signOf(job)} {WORDS.run(job.run_id)} {words}
            {/[.!?]$/.test(words) ? '' : '.'}{' '}
            {isComplete ? (
              <Link to="/runs/$run/verdict" params={{ run: job.run_id }}>
                {WORDS.openResult}
              </Link>
            ) : (
              <Link to="/runs/$run/progress" params={{ run: job.run_id }}>
                {WORDS.showSteps}
              </Link>
            )}
          </span>
        ),
      })
    }
  }, [jobs, open])
}
