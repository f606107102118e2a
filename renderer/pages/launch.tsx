import { useQuery } from '@tanstack/react-query'
import { ErrorPanel, LoadingRows, Page } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { LAUNCH_WORDS } from '../features/launch/launch-words.ts'
import { NewRunSheet } from '../features/launch/new-run-sheet.tsx'

const WORDS = LAUNCH_WORDS.page

/** Choose, see the plan, start. */
export function LaunchPage() {
  const { data, isPending, isError, error, refetch } = useQuery(api.experiment.get.queryOptions())
  if (data !== undefined) return <NewRunSheet experiment={data} />
  return (
    <Page title={WORDS.newRun}>
      {isPending && <LoadingRows rows={14} height={36} />}
      {isError && <ErrorPanel error={error} what={WORDS.theExperiment} retry={() => void refetch()} />}
    </Page>
  )
}
