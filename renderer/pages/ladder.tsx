import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import type { RunJob } from '../../contract/control/run-job.ts'
import { EmptyPanel, LoadingRows, Page, Panel } from '../components/states.tsx'
import { count, duration, plural } from '../components/format.ts'
import { isMoving, RUN_SIGNS } from '../components/run-state.ts'
import { api } from '../data/client.ts'
import { useLadder } from '../data/events.ts'
import { type LadderState, storedLadder, type LogLine } from '../data/ladder-state.ts'
import { useActiveRun, useProgress } from '../data/progress.ts'
import { StoppedRuns } from '../features/home/stopped-runs.tsx'
import { ClimbView } from '../features/ladder/climb-view.tsx'
import { RetryFailuresButton } from '../features/ladder/retry-failures.tsx'
import { RunNote } from '../features/ladder/run-note.tsx'
import { WorkersPanel } from '../features/ladder/workers-panel.tsx'
import styles from '../features/ladder/ladder.module.css'
import { LADDER_WORDS } from '../features/ladder/ladder-words.ts'

const WORDS = LADDER_WORDS.page

/** Goes on to the matrix of a run that was started with `land`, as soon as it is complete and in the index. */
function useLanding({ runId, outcome, datasetIds }: LadderState): void {
  const { land } = useSearch({ from: '/ladder' })
  const navigate = useNavigate()
  const router = useRouter()
  const isOver = land !== undefined && runId === land && outcome?.outcome === 'completed'
  const runs = useQuery({ ...api.runs.list.queryOptions({ input: { limit: 12 } }), enabled: isOver })
  const isIndexed = runs.data?.runs.some(({ run_id: run }) => run === land) === true
  const dataset = datasetIds.at(-1)
  useEffect(() => {
    // Another page may have been chosen meanwhile, and still be loading.
    if (!isOver || !isIndexed || router.latestLocation.pathname !== '/ladder') return
    void navigate({
      to: '/matrix',
      search: { run: land, hints: true, ...(dataset === undefined ? {} : { dataset }) },
      replace: true,
    })
  }, [isOver, isIndexed, land, dataset, navigate, router])
}

/** The run that the page shows and its state: live for the run that events arrive of, else as the engine's journal has it. */
function useShownRun(): { job: RunJob | undefined; ladder: LadderState | null; isPending: boolean } {
  const { run: wanted } = useSearch({ from: '/ladder' })
  const live = useLadder()
  const jobs = useQuery(api.runs.jobs.queryOptions())
  const shown = wanted ?? live.runId ?? jobs.data?.find(({ state }) => state !== 'queued')?.run_id
  const job = jobs.data?.find(({ run_id: run }) => run === shown)
  const isLive = shown !== undefined && shown === live.runId
  const steps = useQuery({
    ...api.runs.steps.queryOptions({ input: { run_id: shown ?? '-' } }),
    enabled: job !== undefined && !isLive,
  })
  if (isLive) return { job, ladder: live, isPending: false }
  if (job === undefined || steps.data === undefined)
    return { job, ladder: null, isPending: jobs.isPending || (job !== undefined && steps.isPending) }
  return { job, ladder: storedLadder(job, steps.data), isPending: false }
}

/** The newest run as it happens, or the one in the address: its steps by dataset, and the last lines of its log. */
export function LadderPage() {
  const { job, ladder, isPending } = useShownRun()
  const { run: wanted } = useSearch({ from: '/ladder' })
  const active = useActiveRun()
  const progress = useProgress(job ?? null)
  useLanding(useLadder())
  const queued = useQuery(api.system.status.queryOptions()).data?.queued ?? []
  const others = (
    <>
      <StoppedRuns except={job?.run_id} />
      {queued
        .filter(({ run_id: run }) => run !== job?.run_id)
        .map((each) => (
          <RunNote key={each.run_id} job={each} />
        ))}
    </>
  )
  if (isPending)
    return (
      <Page title={WORDS.ladder}>
        <LoadingRows rows={12} />
      </Page>
    )
  if (ladder === null)
    return (
      <Page title={WORDS.ladder}>
        {others}
        <EmptyPanel title={wanted === undefined ? WORDS.noRunYet : WORDS.noStepsOf(wanted)}>
          <p>{wanted === undefined ? WORDS.emptyText : WORDS.noRecord}</p>
          <Button component={Link} to="/launch">
            {WORDS.launchARun}
          </Button>
        </EmptyPanel>
        {wanted !== undefined && <WorkersPanel runId={wanted} />}
      </Page>
    )
  const { runId, datasetIds, models, climbs, outcome, log } = ladder
  const ended = job === undefined ? outcome !== null : !isMoving(job.state)
  return (
    <Page
      title={WORDS.ladderOf(runId)}
      aside={
        <span>
          {plural(datasetIds.length, 'dataset')} · {plural(models.length, 'alias', 'aliases')}
          {progress !== null && progress.total > 0 && WORDS.cells(count(progress.done), count(progress.total))}
          {job !== undefined && ` · ${RUN_SIGNS[job.state]} ${job.state}`}
          {ended && typeof outcome?.durationMs === 'number' && WORDS.in(duration(outcome.durationMs))}
        </span>
      }
    >
      {wanted !== undefined && active !== null && active.run_id !== runId && (
        <p>
          <Link to="/ladder">{WORDS.showActive}</Link>
        </p>
      )}
      {others}
      {job !== undefined && ended && (
        <div className={styles.ended}>
          <RunNote job={job} withSteps />
          <RetryFailuresButton run={job.run_id} />
        </div>
      )}
      <div className={styles.layout}>
        <div className={styles.climbs}>
          {datasetIds.map((id) => (
            <ClimbView
              key={id}
              datasetId={id}
              climb={climbs[id]}
              runId={runId!}
              ended={ended}
              alone={datasetIds.length === 1}
            />
          ))}
        </div>
        {log.length > 0 && <LogTail lines={log} />}
      </div>
      {runId !== null && <WorkersPanel runId={runId} />}
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
