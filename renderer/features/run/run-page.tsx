import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { RunJob } from '../../../contract/control/run-job.ts'
import type { RunTab } from '../../../core/pages.ts'
import { EmptyPanel, ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { api } from '../../data/client.ts'
import { Happening } from './happening.tsx'
import { ShownRun } from './run-context.ts'
import { RunHeader } from './run-header.tsx'
import { RUN_WORDS as WORDS } from './run-words.ts'
import styles from './run.module.css'
import { useBlind } from '../../stores/sight.ts'

interface RunPageProps {
  /** The tab in sight; null for a page of one cell. */
  tab: RunTab | null
  children: ReactNode
}

/** A part of a run below the run's header and tabs. */
export function RunPage({ tab, children }: RunPageProps) {
  const { run = '' } = useParams({ strict: false })
  const { dataset: named } = useSearch({ strict: false })
  const blind = useBlind()
  const { data, error, isPending, refetch } = useQuery(api.runs.list.queryOptions({ input: { run_id: run, limit: 1 } }))
  const jobs = useQuery({ ...api.runs.jobs.queryOptions(), enabled: !blind })
  const head = data?.runs[0]
  const dataset = head?.datasets.find(({ dataset_id: id }) => id === named) ?? head?.datasets[0]
  const isShown = tab === 'progress' || dataset !== undefined
  return (
    <div className={styles.run} data-tab={tab} key={run}>
      <RunHeader {...{ run, head, tab }} dataset={dataset?.dataset_id} />
      <ShownRun.Provider value={head ?? null}>
        {isShown ? (
          children
        ) : (
          <div className={styles.none}>
            {error !== null && <ErrorPanel error={error} what={WORDS.theRun} retry={() => void refetch()} />}
            {(isPending || jobs.isLoading) && <LoadingRows rows={12} />}
            {data !== undefined && !jobs.isLoading && (
              <NoAnswers run={run} job={jobs.data?.find(({ run_id: id }) => id === run)} />
            )}
          </div>
        )}
      </ShownRun.Provider>
    </div>
  )
}

/** In place of a tab that shows answers while the run has none, or there is no such run. */
function NoAnswers({ run, job }: { run: string; job: RunJob | undefined }) {
  if (job === undefined)
    return (
      <EmptyPanel title={WORDS.unknown(run)}>
        <p>{WORDS.unknownText}</p>
        <Button variant="filled" renderRoot={(props) => <Link to="/runs" {...props} />}>
          {WORDS.showRuns}
        </Button>
      </EmptyPanel>
    )
  const hasFailed = job.state === 'failed'
  return (
    <EmptyPanel title={hasFailed ? WORDS.failedBefore : WORDS.noAnswers}>
      {hasFailed ? (
        job.failures.map(({ message }) => <p key={message}>▲ {message}</p>)
      ) : (
        <>
          <Happening run={run} />
          <p>{WORDS.noAnswersText}</p>
        </>
      )}
      <Button variant="filled" renderRoot={(props) => <Link to="/runs/$run/progress" params={{ run }} {...props} />}>
        {hasFailed ? WORDS.showRepair : WORDS.showProgress}
      </Button>
    </EmptyPanel>
  )
}
