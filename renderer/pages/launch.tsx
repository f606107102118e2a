import { useQuery } from '@tanstack/react-query'
import { ErrorPanel, LoadingRows, Page } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { LaunchForm } from '../features/launch/launch-form.tsx'
import { LAUNCH_WORDS } from '../features/launch/launch-words.ts'

const WORDS = LAUNCH_WORDS.page

/** Choose, see the plan, start. */
export function LaunchPage() {
  const { data, isPending, isError, error, refetch } = useQuery(api.experiment.get.queryOptions())
  return (
    <Page title={WORDS.launch}>
      {isPending && <LoadingRows rows={14} height={36} />}
      {isError && <ErrorPanel error={error} what={WORDS.theExperiment} retry={() => void refetch()} />}
      {data !== undefined && <LaunchForm experiment={data} />}
    </Page>
  )
}
