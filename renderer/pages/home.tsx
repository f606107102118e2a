import { useQuery } from '@tanstack/react-query'
import { firstShown } from '../components/sample-runs.ts'
import { EmptyPanel, ErrorPanel, LoadingRows, Page, Panel } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { useActiveRun } from '../data/progress.ts'
import { RunResultPanel } from '../features/result/run-result.tsx'
import { UnreadableFiles } from '../components/unreadable-files.tsx'
import { FirstRun, FirstRunHint } from '../features/home/first-run.tsx'
import { FoundOffer } from '../features/home/found-offer.tsx'
import { LastRuns } from '../features/home/last-runs.tsx'
import { NewestResult } from '../features/home/newest-result.tsx'
import { RunningNow } from '../features/home/running-now.tsx'
import { StoppedRuns } from '../features/home/stopped-runs.tsx'
import { ServiceTable } from '../features/home/service-table.tsx'
import styles from '../features/home/home.module.css'
import { HOME_WORDS } from '../features/home/home-words.ts'

const WORDS = HOME_WORDS.page

/** Rows of a list of runs; the rest is on the page Runs. */
const MOST_LISTED = 12

/** What is running, what came out last, and whether the services are well; before the first run, how to make one. */
export function HomePage() {
  // The input of the run picker, so that both share one answer.
  const runs = useQuery(api.runs.list.queryOptions({ input: { limit: 100 } }))
  const active = useActiveRun()
  const jobs = useQuery(api.runs.jobs.queryOptions()).data ?? []
  if (runs.isPending)
    return (
      <Page title={WORDS.home}>
        <LoadingRows rows={10} height={36} />
      </Page>
    )
  if (runs.isError)
    return (
      <Page title={WORDS.home}>
        <ErrorPanel error={runs.error} what={WORDS.runList} retry={() => void runs.refetch()} />
      </Page>
    )
  const names = new Set(runs.data.samples)
  const own = runs.data.runs.filter(({ run_id: id }) => !names.has(id)).slice(0, MOST_LISTED)
  const newest = firstShown(
    runs.data.runs.filter(({ run_id: id }) => !names.has(id)),
    new Set(),
  )
  const samples = runs.data.runs.filter(({ run_id: id }) => names.has(id)).slice(0, MOST_LISTED)
  const sampleList = samples.length > 0 && (
    <Panel title={WORDS.samples}>
      <p className="dim">{WORDS.samplesAbout}</p>
      <LastRuns runs={samples} jobs={[]} label={WORDS.samples} />
    </Panel>
  )
  if (own.length === 0 && active === null && jobs.length === 0)
    return (
      <Page title={WORDS.home}>
        <UnreadableFiles />
        <FoundOffer />
        <FirstRun />
        {sampleList}
      </Page>
    )
  return (
    <Page title={WORDS.home} aside={<span>{WORDS.ownRuns(runs.data.total - names.size, names.size)}</span>}>
      <StoppedRuns />
      <UnreadableFiles />
      <FoundOffer />
      {jobs.length === 0 && active === null && <FirstRunHint />}
      <div className={styles.columns}>
        <div className={styles.stack}>
          {active !== null && active.state !== 'paused' && <RunningNow job={active} />}
          {newest !== undefined && <RunResultPanel run={newest.run_id} />}
          {newest !== undefined && <NewestResult run={newest} />}
          <Panel title={WORDS.lastResults}>
            {own.length === 0 && jobs.length === 0 ? (
              <EmptyPanel title={WORDS.noResultYet}>
                <p>{WORDS.noResultText}</p>
              </EmptyPanel>
            ) : (
              <LastRuns runs={own} jobs={jobs} label={WORDS.lastResults} />
            )}
          </Panel>
          {sampleList}
        </div>
        <Panel title={WORDS.services}>
          <ServiceTable />
        </Panel>
      </div>
    </Page>
  )
}
