import { MultiSelect, SegmentedControl, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { IndexMetric } from '../../contract/control/run-index/metrics.ts'
import { metricName } from '../components/format.ts'
import { RunPicker, useRunDataset } from '../components/run-picker.tsx'
import { EmptyPanel, ErrorPanel, LoadingRows, Page, Panel } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { ChartPanel } from '../features/compare/chart-panel.tsx'
import styles from '../features/compare/compare.module.css'
import { COST_AXES, COSTS } from '../features/compare/cost-axis.ts'
import { FrontierChart } from '../features/compare/frontier-chart.tsx'
import { LadderCurve } from '../features/compare/ladder-curve.tsx'
import { legendOf } from '../features/compare/legend.ts'
import { ProvenanceDifferences } from '../features/compare/provenance-differences.tsx'
import { RunDifferences } from '../features/compare/run-differences.tsx'
import { useIntervals } from '../features/compare/use-means.ts'

const METRICS = IndexMetric.options.filter((metric) => metric !== 'latency_ms')
/** More columns than that cannot be read side by side. */
const MOST_RUNS = 5

/** This run against others, quality against cost, and quality over the rungs. */
export function ComparePage() {
  const search = useSearch({ from: '/compare' })
  const navigate = useNavigate({ from: '/compare' })
  const { query, runs, run, dataset } = useRunDataset(search)
  const metric = search.metric ?? 'answer_relevancy'
  const axis = search.cost ?? 'latency_ms'
  const intervalOf = useIntervals(run?.run_id ?? '', run?.datasets.map(({ dataset_id: id }) => id) ?? [], metric)
  const frontier = useQuery({
    ...api.compare.frontier.queryOptions({ input: { run_ids: [run?.run_id ?? ''], metric } }),
    enabled: run !== undefined,
  })
  if (run === undefined || dataset === undefined)
    return (
      <Page title="Compare">
        {query.isError && <ErrorPanel error={query.error} what="The list of runs" retry={() => void query.refetch()} />}
        {query.isPending && <LoadingRows rows={12} />}
        {query.isSuccess && (
          <EmptyPanel title="No run yet">
            <p>
              <Link to="/launch">Launch a run</Link>; two of them can be compared here.
            </p>
          </EmptyPanel>
        )}
      </Page>
    )
  const others = (search.runs ?? []).filter((id) => id !== run.run_id)
  const points = frontier.data?.points ?? []
  const here = points.filter(({ dataset_id: id }) => id === dataset.dataset_id)
  const aliases = points.map(({ model }) => model)
  return (
    <Page
      title="Compare"
      aside={
        <>
          <RunPicker
            {...{ runs, run }}
            datasetId={dataset.dataset_id}
            onChange={(next) => void navigate({ search: { ...search, ...next } })}
          />
          <Select
            size="xs"
            aria-label="Metric"
            allowDeselect={false}
            data={METRICS.map((value) => ({ value, label: metricName(value) }))}
            value={metric}
            onChange={(value) => value !== null && void navigate({ search: { ...search, metric: value } })}
          />
        </>
      }
    >
      {frontier.isError && (
        <ErrorPanel error={frontier.error} what="The comparison" retry={() => void frontier.refetch()} />
      )}
      <Panel
        title="Against other runs"
        aside={
          <MultiSelect
            size="xs"
            className={styles.picker ?? ''}
            aria-label="Other runs"
            placeholder={others.length === 0 ? 'choose runs' : ''}
            searchable
            clearable
            maxValues={MOST_RUNS}
            data={runs.map(({ run_id: id }) => id).filter((id) => id !== run.run_id)}
            value={others}
            onChange={(ids) => void navigate({ search: { ...search, runs: ids.length === 0 ? undefined : ids } })}
          />
        }
      >
        {others.length === 0 ? (
          <p className="dim">
            Choose runs to see which approaches became better or worse, and under which other conditions they were made.
          </p>
        ) : (
          <div className={styles.stack}>
            <RunDifferences run={run.run_id} others={others} dataset={dataset.dataset_id} metric={metric} />
            <h3>Conditions</h3>
            <ProvenanceDifferences runIds={[run.run_id, ...others]} dataset={dataset.dataset_id} />
          </div>
        )}
      </Panel>
      <ChartPanel
        title={`${metricName(metric)} against ${COSTS[axis].name} · ${dataset.label}`}
        fileName={`${run.run_id}-${dataset.dataset_id}-${metric}-${axis}`}
        legend={legendOf(here.map(({ model }) => model))}
        isEmpty={here.length === 0}
        aside={
          <>
            <SegmentedControl
              size="xs"
              aria-label="Cost"
              data={COST_AXES.map((value) => ({ value, label: COSTS[value].label }))}
              value={axis}
              onChange={(value) => void navigate({ search: { ...search, cost: value } })}
            />
          </>
        }
      >
        {frontier.data === undefined ? (
          <LoadingRows rows={10} height={34} />
        ) : (
          <FrontierChart {...{ metric, axis, intervalOf }} better={frontier.data.better} points={here} />
        )}
      </ChartPanel>
      <ChartPanel
        title={`${metricName(metric)} over the rungs · ${run.run_id}`}
        fileName={`${run.run_id}-${metric}-ladder`}
        legend={legendOf(aliases)}
        isEmpty={points.length === 0}
      >
        {frontier.data === undefined ? (
          <LoadingRows rows={10} height={34} />
        ) : (
          <LadderCurve {...{ metric, points, intervalOf }} datasets={run.datasets} />
        )}
      </ChartPanel>
    </Page>
  )
}
