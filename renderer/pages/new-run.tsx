import { useQuery } from '@tanstack/react-query'
import { Loaded, Page } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { NEW_RUN_WORDS } from '../features/new-run/new-run-words.ts'
import { NewRunSheet } from '../features/new-run/new-run-sheet.tsx'

const WORDS = NEW_RUN_WORDS.page

/** Choose, see the plan, start. */
export function NewRunPage() {
  const experiment = useQuery(api.experiment.get.queryOptions())
  if (experiment.data !== undefined) return <NewRunSheet experiment={experiment.data} />
  return (
    <Page title={WORDS.newRun}>
      <Loaded query={experiment} what={WORDS.theExperiment} rows={14} height={36} />
    </Page>
  )
}
