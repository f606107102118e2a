import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useRouter, useSearch } from '@tanstack/react-router'
import { useContext, useEffect, useRef } from 'react'
import type { RunJob } from '../../contract/control/run-job.ts'
import { EmptyPanel, LoadingRows, Page, Panel } from '../components/states.tsx'
import { count, plural } from '../components/format.ts'
import { runPath } from '../../core/pages.ts'
import { hasFailed, isUnderWay } from '../../core/evidence/run-fold.ts'
import { signOf, stateWord } from '../components/run-state.ts'
import { api } from '../data/client.ts'
import { useLadder } from '../data/events.ts'
import { type LadderState, storedLadder, type LogLine } from '../data/ladder-state.ts'
import { useProgress } from '../data/progress.ts'
import { ClimbView } from '../features/ladder/climb-view.tsx'
import { failuresWithoutStep, hasResult } from '../features/ladder/repair.ts'
import { RetryFailuresButton } from '../features/ladder/retry-failures.tsx'
import { RunNote } from '../features/ladder/run-note.tsx'
import { WorkersPanel } from '../features/ladder/workers-panel.tsx'
import styles from '../features/ladder/ladder.module.css'
import { ShownRun } from '../features/run/run-context.ts'
import { LADDER_WORDS } from '../features/ladder/ladder-words.ts'
import { RunPage } from '../features/run/run-page.tsx'

const WORDS = LADDER_WORDS.page

/** Goes on to the verdict of a run that was started with `land`, as soon as it is complete and in the index. */
function useLanding({ runId, outcome, datasets }: LadderState): void {
  const { land } = useSearch({ from: '/runs/$run/progress' })
  const { run } = useParams({ from: '/runs/$run/progress' })
  const navigate = useNavigate()
  const router = useRouter()
  const isIndexed = useContext(ShownRun) !== null
  const isOver = land === true && runId === run && outcome?.outcome === 'completed'
  const dataset = datasets.at(-1)?.dataset_id
  useEffect(() => {
    // Another page may have been chosen meanwhile, and still be loading.
    if (!isOver || !isIndexed || router.latestLocation.pathname !== runPath(run, 'progress')) return
    void navigate({
      to: '/runs/$run/verdict',
      params: { run },
      search: dataset === undefined ? {} : { dataset },
      replace: true,
    })
  }, [isOver, isIndexed, run, dataset, navigate, router])
}

/** The state of a run: live for the one that events arrive of, else as the engine's journal has it. */
function useSteps(run: string): { job: RunJob | undefined; ladder: LadderState | null; isPending: boolean } {
  const live = useLadder()
  // The list that is kept may be older than a run that was started a moment ago.
  const jobs = useQuery({ ...api.runs.jobs.queryOptions(), refetchOnMount: 'always' })
  const job = jobs.data?.find(({ run_id: id }) => id === run)
  const isLive = run === live.runId
  const view = useQuery({
    ...api.runs.view.queryOptions({ input: { run_id: run } }),
    enabled: job !== undefined && !isLive,
  })
  if (isLive) return { job, ladder: live, isPending: false }
  if (job === undefined || view.data === undefined)
    return { job, ladder: null, isPending: job === undefined ? jobs.isFetching : view.isPending }
  return { job, ladder: storedLadder(job, view.data), isPending: false }
}

export function ProgressPage() {
  return (
    <RunPage tab="progress">
      <Progress />
    </RunPage>
  )
}

/** The run as it happens, or happened: its steps by dataset, and the last lines of its log. */
function Progress() {
  const { run } = useParams({ from: '/runs/$run/progress' })
  const { job, ladder, isPending } = useSteps(run)
  const progress = useProgress(job ?? null)
  useLanding(useLadder())
  if (isPending)
    return (
      <Page>
        <LoadingRows rows={12} />
      </Page>
    )
  if (ladder === null)
    return (
      <Page>
        <EmptyPanel title={WORDS.noStepsOf(run)}>
          <p>{WORDS.noRecord}</p>
        </EmptyPanel>
        <WorkersPanel runId={run} />
      </Page>
    )
  const { datasets, models, outcome, log } = ladder
  const ended = job === undefined ? outcome !== null : !isUnderWay(job.state)
  const isRetried = job?.state === 'failed' && hasResult(job)
  const failing =
    isRetried || (job !== undefined && failuresWithoutStep(job).length > 0) ? null : datasets.find(hasFailed)
  return (
    <Page
      aside={
        <span>
          {plural(datasets.length, 'dataset')} · {plural(models.length, 'approach', 'approaches')}
          {progress !== null && progress.total > 0 && WORDS.cells(count(progress.done), count(progress.total))}
          {job !== undefined && ` · ${signOf(job)} ${stateWord(job)}`}
        </span>
      }
    >
      {job !== undefined && ended && (
        <div className={styles.ended}>
          <RunNote job={job} withSteps />
          <RetryFailuresButton run={run} isPrimary={isRetried} />
        </div>
      )}
      <div className={styles.layout}>
        <div className={styles.climbs}>
          {datasets.map((dataset) => (
            <ClimbView
              key={dataset.dataset_id}
              dataset={dataset}
              runId={run}
              ended={ended}
              alone={datasets.length === 1}
              isPrimary={dataset === failing}
            />
          ))}
        </div>
        {log.length > 0 && <LogTail lines={log} />}
      </div>
      <WorkersPanel runId={run} />
    </Page>
  )
}

const LOG = LADDER_WORDS.logTail

const NEAR_END_PX = 40

/** The last lines; stays at the end unless the user scrolled up. */
function LogTail({ lines }: { lines: LogLine[] }) {
  const list = useRef<HTMLOListElement>(null)
  const follow = useRef(true)
  useEffect(() => {
    const element = list.current
    if (element !== null && follow.current) element.scrollTop = element.scrollHeight
  }, [lines])
  return (
    <Panel title={LOG.log}>
      <ol
        ref={list}
        className={styles.log}
        tabIndex={0}
        aria-label={LOG.log}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          follow.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX
        }}
      >
        {lines.map(({ seq, at, level, text }) => (
          <li key={seq} data-level={level}>
            <span className="dim">{new Date(at).toLocaleTimeString()}</span> {text}
          </li>
        ))}
      </ol>
    </Panel>
  )
}
