import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { Loaded, Page } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { useLeadingMetric } from '../data/leading-metric.ts'
import { MATRIX_WORDS as WORDS } from '../features/matrix/matrix-words.ts'
import { MatrixView } from '../features/matrix/matrix-view.tsx'
import { useShownRun } from '../features/run/run-context.ts'
import { RunPage } from '../features/run/run-page.tsx'

export function MatrixPage() {
  return (
    <RunPage tab="matrix">
      <Matrix />
    </RunPage>
  )
}

/** Questions by approaches. */
function Matrix() {
  const search = useSearch({ from: '/runs/$run/matrix' })
  const shown = useShownRun(search.dataset)
  const run = shown.run.run_id
  const summary = useQuery(api.runs.summary.queryOptions({ input: { run_id: run } }))
  const leading = useLeadingMetric(run)
  const metric = search.metric ?? leading
  const dataset = summary.data?.datasets.find(({ dataset_id: id }) => id === shown.dataset.dataset_id)
  if (summary.isError || dataset === undefined || metric === null)
    return (
      <Page>
        <Loaded query={{ ...summary, data: undefined }} what={WORDS.matrix} rows={16} height={36} />
      </Page>
    )
  return (
    <MatrixView key={dataset.dataset_id} {...{ run, dataset, search, metric }} levels={shown.run.datasets.length} />
  )
}
