import { useQuery } from '@tanstack/react-query'
import { ErrorPanel, LoadingRows, Page } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { NEW_RUN_WORDS } from '../features/new-run/new-run-words.ts'
import { NewRunSheet } from '../features/new-run/new-run-sheet.tsx'

const WORDS = NEW_RUN_WORDS.page

/** Choose, see the plan, start. */
export function NewRunPage() {
  const { data, isPending, isError, error, refetch } = useQuery(api.experiment.get.queryOptions())
  if (data !== undefined) return <NewRunSheet experiment={data} />
  return (
    <Page title={WORDS.newRun}>
      {isPending && <LoadingRows rows={14} height={36} />}
      {isError && <ErrorPanel error={error} what={WORDS.theExperiment} retry={() => void refetch()} />}
    </Page>
  )
}
