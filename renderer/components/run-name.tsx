import { useQuery } from '@tanstack/react-query'
import { api } from '../data/client.ts'

/** The label that a person gave a run, with its id, which never changes; the id alone where it has none. */
export function RunName({ run, label }: { run: string; label: string | undefined }) {
  if (label === undefined || label === '') return run
  return (
    <>
      {label}
      <br />
      <span className="dim">{run}</span>
    </>
  )
}

/** The same for a run of which only the id is known. */
export const NamedRun = ({ run }: { run: string }) => (
  <RunName
    run={run}
    label={useQuery(api.runs.overview.queryOptions({ input: { run_id: run } })).data?.runs[0]?.note.label}
  />
)
