import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { FIRST_METRIC } from '../../contract/metrics/metrics.ts'
import { ChartPanel } from '../components/chart-panel.tsx'
import { metricName } from '../components/format.ts'
import { NoRun } from '../components/no-run.tsx'
import { RunPicker, useRunDataset } from '../components/run-picker.tsx'
import { ErrorPanel, LoadingRows, Page } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { useLeadingMetric } from '../data/leading-metric.ts'
import { useIntervals } from '../data/intervals.ts'
import { QualityAndCost, Rungs } from '../features/compare/compare-charts.tsx'
import { COST_AXES } from '../features/compare/compare-words.ts'
import { RetryFailuresButton } from '../features/ladder/retry-failures.tsx'
import { CostTable } from '../features/result/cost-table.tsx'
import { ExpectedWinners } from '../features/result/expected-winners.tsx'
import { RESULT_WORDS as WORDS } from '../features/result/result-words.ts'
import { RunResultPanel } from '../features/result/run-result.tsx'
import { SeparatingQuestions } from '../features/result/separating-questions.tsx'

/** Which approach is better, and how sure that is: the verdict of a run, and the figures that it rests on. */
export function ResultPage() {
  const search = useSearch({ from: '/result' })
  const navigate = useNavigate({ from: '/result' })
  const { query, runs, run, dataset } = useRunDataset(search)
  const leading = useLeadingMetric(run?.run_id)
  const metric = leading ?? FIRST_METRIC
  const intervalOf = useIntervals(run?.run_id ?? '', run?.datasets.map(({ dataset_id: id }) => id) ?? [], metric)
  const frontier = useQuery({
    ...api.compare.frontier.queryOptions({ input: { run_ids: [run?.run_id ?? ''], metric } }),
    enabled: run !== undefined && leading !== null,
  })
  if (run === undefined || dataset === undefined)
    return <NoRun title={WORDS.page} query={query} named={search.run} words={WORDS} />
  const points = frontier.data?.points ?? []
  const here = points.filter(({ dataset_id: id }) => id === dataset.dataset_id)
  const loading = <LoadingRows rows={10} height={34} />
  return (
    <Page
      title={WORDS.page}
      aside={
        <>
          <RetryFailuresButton run={run.run_id} />
          <RunPicker
            {...{ runs, run }}
            datasetId={dataset.dataset_id}
            onChange={(next) => void navigate({ search: next })}
          />
        </>
      }
    >
      <RunResultPanel run={run.run_id} />
      <CostTable run={run.run_id} />
      {frontier.isError && (
        <ErrorPanel error={frontier.error} what={WORDS.figures} retry={() => void frontier.refetch()} />
      )}
      <ChartPanel
        title={`${WORDS.overRungs(metricName(metric))} · ${run.run_id}`}
        fileName={`${run.run_id}-${metric}-result`}
        isEmpty={points.length === 0}
      >
        {frontier.data === undefined ? loading : <Rungs {...{ metric, points, intervalOf }} datasets={run.datasets} />}
      </ChartPanel>
      <ChartPanel
        title={WORDS.against(metricName(metric), dataset.label)}
        fileName={`${run.run_id}-${dataset.dataset_id}-${metric}-cost`}
        isEmpty={here.length === 0}
      >
        {frontier.data === undefined ? (
          loading
        ) : (
          <QualityAndCost {...{ metric, intervalOf }} axis={COST_AXES[0]} better={frontier.data.better} points={here} />
        )}
      </ChartPanel>
      <SeparatingQuestions run={run.run_id} dataset={dataset} metric={metric} />
      <ExpectedWinners run={run.run_id} dataset={dataset} metric={metric} />
    </Page>
  )
}
