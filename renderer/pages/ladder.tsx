import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { EmptyPanel, Page } from '../components/states.tsx'
import { duration, plural } from '../components/format.ts'
import { api } from '../data/client.ts'
import { useLadder } from '../data/events.ts'
import type { LadderState } from '../data/ladder-state.ts'
import { InterruptedRuns } from '../features/home/interrupted-runs.tsx'
import { ClimbView } from '../features/ladder/climb-view.tsx'
import { FinishedNote } from '../features/ladder/finished-note.tsx'
import { LogTail } from '../features/ladder/log-tail.tsx'
import { QueuedRuns } from '../features/ladder/queued-runs.tsx'
import styles from '../features/ladder/ladder.module.css'

/** Goes on to the matrix of a run that was started with `land`, as soon as it is complete and in the index. */
function useLanding({ runId, outcome, datasetIds }: LadderState): void {
  const { land } = useSearch({ from: '/ladder' })
  const navigate = useNavigate()
  const isOver = land !== undefined && runId === land && outcome?.outcome === 'completed'
  const runs = useQuery({ ...api.runs.list.queryOptions({ input: { limit: 12 } }), enabled: isOver })
  const isIndexed = runs.data?.runs.some(({ run_id: run }) => run === land) === true
  const dataset = datasetIds.at(-1)
  useEffect(() => {
    if (!isOver || !isIndexed) return
    void navigate({
      to: '/matrix',
      search: { run: land, hints: true, ...(dataset === undefined ? {} : { dataset }) },
      replace: true,
    })
  }, [isOver, isIndexed, land, dataset, navigate])
}

/** The newest run as it happens: a ladder per dataset, and the last lines of its log. */
export function LadderPage() {
  const ladder = useLadder()
  useLanding(ladder)
  if (ladder.runId === null)
    return (
      <Page title="Ladder">
        <InterruptedRuns />
        <QueuedRuns />
        <EmptyPanel title="No run since the engine started">
          <p>
            <Link to="/launch">Launch a run</Link> and watch its twelve steps here.
          </p>
        </EmptyPanel>
      </Page>
    )
  const { runId, datasetIds, models, climbs, outcome, log } = ladder
  return (
    <Page
      title={`Ladder · ${runId}`}
      aside={
        <span>
          {plural(datasetIds.length, 'dataset')} · {plural(models.length, 'alias', 'aliases')}
          {outcome !== null && ` · ${outcome.outcome}`}
          {typeof outcome?.durationMs === 'number' && ` in ${duration(outcome.durationMs)}`}
        </span>
      }
    >
      <InterruptedRuns />
      <QueuedRuns />
      {outcome !== null && <FinishedNote ladder={ladder} runId={runId} />}
      <div className={styles.layout}>
        <div className={styles.climbs}>
          {datasetIds.map((id) => (
            <ClimbView
              key={id}
              datasetId={id}
              climb={climbs[id]}
              runId={runId}
              ended={outcome !== null}
              alone={datasetIds.length === 1}
            />
          ))}
        </div>
        <LogTail lines={log} />
      </div>
    </Page>
  )
}
