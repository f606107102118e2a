import { useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { NoRun } from '../components/no-run.tsx'
import { firstShown } from '../components/sample-runs.ts'
import { EmptyPanel, ErrorPanel, LoadingRows, Page } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { useLeadingMetric } from '../data/leading-metric.ts'
import { MATRIX_WORDS as WORDS } from '../features/matrix/matrix-words.ts'
import { MatrixView } from '../features/matrix/matrix-view.tsx'

/** Questions by approaches; the person's newest run unless the address names one. */
export function MatrixPage() {
  const search = useSearch({ from: '/matrix' })
  const runs = useQuery(api.runs.list.queryOptions({ input: { limit: 100 } }))
  const run = search.run ?? firstShown(runs.data?.runs ?? [], new Set(runs.data?.samples))?.run_id
  const summary = useQuery({
    ...api.runs.summary.queryOptions({ input: { run_id: run ?? '' } }),
    enabled: run !== undefined,
  })
  const leading = useLeadingMetric(run)
  const metric = search.metric ?? leading
  if (runs.isError || summary.isError)
    return (
      <Page title={WORDS.page}>
        <ErrorPanel
          error={runs.error ?? summary.error}
          what={summary.isError ? WORDS.oneRun(run ?? '') : WORDS.runs}
          retry={() => void (runs.isError ? runs.refetch() : summary.refetch())}
        />
      </Page>
    )
  if (runs.isSuccess && run === undefined)
    return <NoRun title={WORDS.page} query={runs} named={undefined} words={WORDS} />
  if (summary.data === undefined || runs.data === undefined || metric === null)
    return (
      <Page title={WORDS.page}>
        <LoadingRows rows={16} height={36} />
      </Page>
    )
  const dataset = summary.data.datasets.find(({ dataset_id: id }) => id === search.dataset) ?? summary.data.datasets[0]
  if (dataset === undefined)
    return (
      <Page title={WORDS.page}>
        <EmptyPanel title={WORDS.noCells(summary.data.run_id)} />
      </Page>
    )
  return (
    <MatrixView
      key={`${summary.data.run_id}/${dataset.dataset_id}`}
      runIds={runs.data.runs.map(({ run_id: id }) => id)}
      summary={summary.data}
      dataset={dataset}
      search={search}
      metric={metric}
    />
  )
}
