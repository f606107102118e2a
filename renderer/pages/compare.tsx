import { MultiSelect, SegmentedControl, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { IndexMetric } from '../../contract/control/run-index/metrics.ts'
import { FIRST_METRIC, metricOfId } from '../../contract/metrics/metrics.ts'
import { metricHeading, metricName } from '../components/format.ts'
import { NoRun } from '../components/no-run.tsx'
import { RunResultPanel } from '../features/result/run-result.tsx'
import { RunPicker, useRunDataset } from '../components/run-picker.tsx'
import { useSamples } from '../components/run-marks.tsx'
import { comparableChoices, sharesDataset } from '../features/compare/comparable-runs.ts'
import { ErrorPanel, LoadingRows, Page, Panel } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { useLeadingMetric } from '../data/leading-metric.ts'
import { ChartPanel } from '../components/chart-panel.tsx'
import { useIntervals } from '../data/intervals.ts'
import { QualityAndCost, Rungs } from '../features/compare/compare-charts.tsx'
import { COMPARE_WORDS as WORDS, COST_AXES } from '../features/compare/compare-words.ts'
import styles from '../features/compare/compare.module.css'
import { QuestionDifferences } from '../features/compare/question-differences.tsx'
import { ProvenanceDifferences, RunDifferences } from '../features/compare/run-differences.tsx'

const METRICS = IndexMetric.options.filter((metric) => metricOfId(metric).class !== 'operational')
/** More columns than that cannot be read side by side. */
const MOST_RUNS = 5

/** This run against others, quality against cost, and quality over the rungs. */
export function ComparePage() {
  const search = useSearch({ from: '/runs/compare' })
  const navigate = useNavigate({ from: '/runs/compare' })
  const [alias, setAlias] = useState<string | null>(null)
  const questions = useRef<HTMLHeadingElement>(null)
  const { query, runs, run, dataset } = useRunDataset(search)
  const samples = useSamples()
  const leading = useLeadingMetric(run?.run_id)
  const chosen = search.metric ?? leading
  const metric = chosen ?? FIRST_METRIC
  const axis = search.cost ?? 'latency_ms'
  const intervalOf = useIntervals(run?.run_id ?? '', run?.datasets.map(({ dataset_id: id }) => id) ?? [], metric)
  const frontier = useQuery({
    ...api.compare.frontier.queryOptions({ input: { run_ids: [run?.run_id ?? ''], metric } }),
    enabled: run !== undefined && chosen !== null,
  })
  if (run === undefined || dataset === undefined)
    return <NoRun title={WORDS.page} query={query} named={search.run} words={WORDS} />
  const others = (search.runs ?? []).filter((id) => id !== run.run_id && sharesDataset(runs, id, dataset.dataset_id))
  const points = frontier.data?.points ?? []
  const here = points.filter(({ dataset_id: id }) => id === dataset.dataset_id)
  return (
    <Page
      title={WORDS.page}
      aside={
        <>
          <RunPicker
            {...{ runs, run }}
            datasetId={dataset.dataset_id}
            onChange={(next) => void navigate({ search: { ...search, ...next } })}
          />
          <Select
            size="xs"
            aria-label={WORDS.metric}
            allowDeselect={false}
            data={METRICS.map((value) => ({ value, label: metricName(value) }))}
            value={metric}
            onChange={(value) => value !== null && void navigate({ search: { ...search, metric: value } })}
          />
        </>
      }
    >
      <RunResultPanel run={run.run_id} dataset={dataset.dataset_id} />
      {frontier.isError && (
        <ErrorPanel error={frontier.error} what={WORDS.comparison} retry={() => void frontier.refetch()} />
      )}
      <Panel
        title={WORDS.others}
        aside={
          <MultiSelect
            size="xs"
            className={styles.picker ?? ''}
            aria-label={WORDS.otherRuns}
            placeholder={others.length === 0 ? WORDS.chooseRuns : ''}
            searchable
            clearable
            maxValues={MOST_RUNS}
            data={comparableChoices(runs, run.run_id, dataset.dataset_id, samples)}
            value={others}
            onChange={(ids) => void navigate({ search: { ...search, runs: ids.length === 0 ? undefined : ids } })}
          />
        }
      >
        {others.length === 0 ? (
          <p className="dim">{WORDS.noOthers}</p>
        ) : (
          <div className={styles.stack}>
            <RunDifferences
              {...{ others, metric }}
              run={run.run_id}
              dataset={dataset.dataset_id}
              onChanged={(alias) => {
                setAlias(alias)
                questions.current?.scrollIntoView()
              }}
            />
            <h3 ref={questions}>{WORDS.questions.title}</h3>
            <QuestionDifferences
              {...{ others, metric, alias }}
              run={run.run_id}
              dataset={dataset.dataset_id}
              onAlias={setAlias}
            />
            <h3>{WORDS.conditions}</h3>
            <ProvenanceDifferences runIds={[run.run_id, ...others]} dataset={dataset.dataset_id} />
          </div>
        )}
      </Panel>
      <ChartPanel
        title={`${WORDS.against(metricHeading(metric), WORDS.costs[axis].name)} · ${dataset.label}`}
        fileName={`${run.run_id}-${dataset.dataset_id}-${metric}-${axis}`}
        isEmpty={here.length === 0}
        aside={
          <>
            <SegmentedControl
              size="xs"
              aria-label={WORDS.cost}
              data={COST_AXES.map((value) => ({ value, label: WORDS.costs[value].label }))}
              value={axis}
              onChange={(value) => void navigate({ search: { ...search, cost: value } })}
            />
          </>
        }
      >
        {frontier.data === undefined ? (
          <LoadingRows rows={10} height={34} />
        ) : (
          <QualityAndCost {...{ metric, axis, intervalOf }} better={frontier.data.better} points={here} />
        )}
      </ChartPanel>
      <ChartPanel
        title={`${WORDS.overRungs(metricHeading(metric))} · ${run.run_id}`}
        fileName={`${run.run_id}-${metric}-ladder`}
        isEmpty={points.length === 0}
      >
        {frontier.data === undefined ? (
          <LoadingRows rows={10} height={34} />
        ) : (
          <Rungs {...{ metric, points, intervalOf }} datasets={run.datasets} />
        )}
      </ChartPanel>
    </Page>
  )
}
