import type { QueryClient, QueryKey } from '@tanstack/react-query'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { controlErrorOf } from '../../contract/control/control-error.ts'
import type { SequencedEvent } from '../../contract/control/events.ts'
import type { RunJob } from '../../contract/control/run-job.ts'
import type { SystemStatus } from '../../contract/control/system.ts'
import { api, control } from './client.ts'
import { eventBatches } from './event-batches.ts'
import { EMPTY_LADDER, type LadderState, nextLadder, withView } from './ladder-state.ts'
import { pageAge } from './page-age.ts'
import { refreshQueries, repeatFirstFetches } from './refresh-queries.ts'
import { watchSight } from './sight-of-page.ts'

const LADDER_KEY = ['live', 'ladder'] as const
const LINK_KEY = ['live', 'link'] as const

/** States whether events arrive: connecting before the first answer, lost after one; expired when the engine no longer accepts this page. */
export type EventLink = 'connecting' | 'open' | 'lost' | 'expired'

const BATCH_MS = 80
const FIRST_WAIT_MS = 400
const LONGEST_WAIT_MS = 8000
const MAY_BE_GONE: RunJob['state'][] = ['completed', 'failed', 'cancelled', 'paused', 'interrupted']

/** Writes a run's new state into what is cached; a first fetch under way may not know it yet. */
function keepJob(client: QueryClient, job: RunJob): void {
  repeatFirstFetches(client, api.runs.jobs.key())
  repeatFirstFetches(client, api.system.status.key())
  client.setQueryData<RunJob[]>(api.runs.jobs.queryKey(), (jobs) =>
    jobs === undefined
      ? jobs
      : jobs.some(({ run_id }) => run_id === job.run_id)
        ? jobs.map((known) => (known.run_id === job.run_id ? job : known))
        : [job, ...jobs],
  )
  client.setQueryData<SystemStatus>(api.system.status.queryKey(), (status) => {
    if (status === undefined) return status
    const queued = status.queued.filter(({ run_id }) => run_id !== job.run_id)
    if (job.state === 'queued') return { ...status, queued: [...queued, job] }
    const ends = MAY_BE_GONE.includes(job.state)
    const active = !ends ? job : status.active?.run_id === job.run_id ? null : status.active
    return { ...status, queued, active }
  })
}

/** Returns what an event makes stale, by key; each key once per batch. */
export function staleKeys({ event }: Pick<SequencedEvent, 'event'>): QueryKey[] {
  switch (event.type) {
    case 'stream.gap':
      return [[]]
    case 'index.changed':
      return [
        api.runs.list.key(),
        api.runs.overview.key(),
        api.runs.summary.key(),
        api.matrix.key(),
        api.coverage.key(),
        api.compare.key(),
        api.statistics.key(),
        api.cells.others.key(),
        api.index.status.key(),
        // Such as another window moved to the trash.
        ...(event.change.removed.length > 0 ? [api.runs.jobs.key()] : []),
      ]
    case 'index.state':
      return [api.system.status.key(), api.index.key()]
    case 'service.changed':
      return [api.services.list.key(), api.system.status.key()]
    case 'experiment.changed':
      return [api.experiment.key(), api.datasets.key(), api.models.list.key(), api.system.status.key()]
    case 'run.changed':
      return MAY_BE_GONE.includes(event.job.state)
        ? [
            api.runs.list.key(),
            api.runs.overview.key(),
            api.runs.interrupted.key(),
            api.runs.view.key(),
            api.experiment.plan.key(),
            api.judges.results.key(),
            api.judges.state.key(),
          ]
        : [api.judges.state.key()]
    default:
      return []
  }
}

function refresh(client: QueryClient, batch: readonly SequencedEvent[]): void {
  const stale = new Map(batch.flatMap(staleKeys).map((key) => [JSON.stringify(key), key]))
  const all = stale.has('[]')
  for (const key of all ? [[]] : stale.values()) refreshQueries(client, key)
}

/** Asks the engine for what this page did not get; without an answer the counts of the run's job are shown. */
async function readView(client: QueryClient, runId: string): Promise<void> {
  const view = await control.runs.view({ run_id: runId }).catch(() => null)
  if (view !== null)
    client.setQueryData<LadderState>(LADDER_KEY, (state) => (state === undefined ? state : withView(state, view)))
}

/** `news` are those of the batch that can make data stale. */
function applyBatch(client: QueryClient, batch: SequencedEvent[], news: SequencedEvent[]): void {
  const ladder = client.setQueryData<LadderState>(LADDER_KEY, (state = EMPTY_LADDER) => batch.reduce(nextLadder, state))
  if (ladder?.isWhole === false && batch.some(({ event: { type } }) => type === 'run.changed' || type === 'stream.gap'))
    void readView(client, ladder.runId!)
  const jobs = new Map(
    news.flatMap(({ event }) => (event.type === 'run.changed' ? [[event.job.run_id, event.job] as const] : [])),
  )
  for (const job of jobs.values()) keepJob(client, job)
  refresh(client, news)
}

/**
 * The one place where engine events become cache updates. Reads on from its last number after each break, waiting longer each time; events
 * are applied in batches, so that a fast run costs a few renders per second. While `blind`, events that can name an approach are not even
 * asked for; afterwards everything since is read.
 */
export function useEngineEvents(blind: boolean): void {
  const client = useQueryClient()
  const applied = useRef<{ after: number; engine: string | undefined }>({ after: 0, engine: undefined })
  const [age] = useState(pageAge)
  const [seeing] = useState(() => eventBatches((events) => applyBatch(client, events, age.news(events)), BATCH_MS))
  useEffect(() => {
    const stop = new AbortController()
    const stopped = (): boolean => stop.signal.aborted
    const seen = blind ? { ...applied.current } : applied.current
    const batches = blind ? eventBatches((events) => refresh(client, age.news(events)), BATCH_MS) : seeing
    const sight = watchSight(stop.signal)
    const setLink = (link: EventLink): void => void client.setQueryData(LINK_KEY, link)
    const readOn = async (signal: AbortSignal, opened: () => void): Promise<void> => {
      const { after, engine } = seen
      const input = { after, blind, ...(engine === undefined ? {} : { engine_id: engine }) }
      for await (const sequenced of await control.system.events(input, { signal })) {
        // The next stream of this page repeats it.
        if (stopped()) return
        seen.after = sequenced.seq
        if (sequenced.event.type === 'stream.opened') {
          seen.engine = sequenced.event.engine_id
          age.streamOpened(sequenced.at)
          // A blind stream leaves events out, the newest perhaps among them.
          if (!blind) batches.opened(sequenced.event.newest)
          opened()
          continue
        }
        batches.add(sequenced)
      }
    }
    const follow = async (): Promise<void> => {
      let wait = FIRST_WAIT_MS
      let lost = false
      // An object, because its member changes in a callback.
      const session = { isRefused: false }
      while (!stopped()) {
        await sight.shown()
        if (stopped()) return
        const hidden = sight.hidden()
        await readOn(hidden, () => {
          wait = FIRST_WAIT_MS
          session.isRefused = false
          setLink('open')
          // Events name what changed; queries that failed while the engine was away have no event to wait for.
          if (lost) refreshQueries(client, [])
          lost = false
        }).catch((error: unknown) => {
          session.isRefused = controlErrorOf(error).code === 'unauthorized'
        })
        if (stopped()) return
        if (hidden.aborted) continue
        lost = true
        setLink(session.isRefused ? 'expired' : 'lost')
        await new Promise((done) => setTimeout(done, wait))
        wait = Math.min(wait * 2, LONGEST_WAIT_MS)
      }
    }
    void follow()
    return () => {
      stop.abort()
      batches.pause()
    }
  }, [client, blind, seeing, age])
}

/** Returns what the events reported of the newest run. */
export const useLadder = (): LadderState =>
  useQuery({ queryKey: LADDER_KEY, queryFn: () => EMPTY_LADDER, enabled: false, initialData: EMPTY_LADDER }).data

/** Returns true when events of the engine arrive. */
export const useEventLink = (): EventLink =>
  useQuery<EventLink>({ queryKey: LINK_KEY, queryFn: () => 'connecting', enabled: false, initialData: 'connecting' })
    .data
