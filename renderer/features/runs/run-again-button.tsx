import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { ListedRun } from '../../../contract/control/stored-runs.ts'
import { api } from '../../data/client.ts'
import { launchAgain } from './run-again.ts'
import { RUNS_WORDS } from './runs-words.ts'

const WORDS = RUNS_WORDS.detail

/** Opens a new run with the settings of a run, at its approaches: one of them, or one parameter, is what is mostly changed. */
export function RunAgain({ run, className = '' }: { run: ListedRun; className?: string | undefined }) {
  const navigate = useNavigate()
  const runs = useQuery(api.runs.list.queryOptions({ input: { limit: 100 } })).data?.runs ?? []
  const jobs = useQuery(api.runs.jobs.queryOptions()).data ?? []
  const job = jobs.find(({ run_id: id }) => id === run.run_id)
  const taken = new Set([...runs, ...jobs].map(({ run_id: id }) => id))
  return (
    <Button
      className={className}
      title={WORDS.againAbout}
      onClick={() => void navigate({ to: '/launch', search: launchAgain(run, job, taken) })}
    >
      {WORDS.again}
    </Button>
  )
}
