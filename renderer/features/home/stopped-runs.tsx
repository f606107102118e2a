import { useQuery } from '@tanstack/react-query'
import { api } from '../../data/client.ts'
import { RunNote } from '../ladder/run-note.tsx'

/** Paused and interrupted runs, each with what can be done; `except` is shown elsewhere on the page. */
export function StoppedRuns({ except }: { except?: string | undefined }) {
  const jobs = useQuery(api.runs.jobs.queryOptions()).data ?? []
  return jobs
    .filter(({ run_id: run, state }) => (state === 'paused' || state === 'interrupted') && run !== except)
    .map((job) => <RunNote key={job.run_id} job={job} />)
}
