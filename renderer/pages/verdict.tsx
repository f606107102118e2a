import { SegmentedControl, Select } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { IndexMetric } from '../../contract/control/run-index/metrics.ts'
import { FIRST_METRIC } from '../../contract/metrics/metrics.ts'
import { ChartPanel } from '../components/chart-panel.tsx'
import { count, metricHeading } from '../components/format.ts'
import { METRIC_CHOICES } from '../components/metric-choices.ts'
import { ErrorPanel, LoadingRows, Page, Panel } from '../components/states.tsx'
import { api } from '../data/client.ts'
import { useLeadingMetric } from '../data/leading-metric.ts'
import { useIntervals } from '../data/intervals.ts'
import { QualityAndCost, Rungs } from '../features/compare/compare-charts.tsx'
import { COMPARE_WORDS, COST_AXES } from '../features/compare/compare-words.ts'
import { RetryFailuresButton } from '../features/ladder/retry-failures.tsx'
import { useShownRun } from '../features/run/run-context.ts'
import { BehaviourTable } from '../features/result/behaviour-table.tsx'
import { BudgetPanels } from '../features/result/budget-panel.tsx'
import { ExpectedWinners } from '../features/result/expected-winners.tsx'
import { HopPanel } from '../features/result/hop-panel.tsx'
import { RESULT_WORDS as WORDS } from '../features/result/result-words.ts'
import { UseTables } from '../features/result/use-table.tsx'
import { RunResultPanel } from '../features/result/run-result.tsx'
import { amountWords, costWords } from '../../contract/words.ts'
import { canResume } from '../features/ladder/repair.ts'
import { RunNote } from '../features/ladder/run-note.tsx'
import type { RunState } from '../../contract/control/run-job.ts'
import { ApproachName } from '../components/approach-name.tsx'
import { DataTable, num } from '../components/tables.tsx'
import { RunPage } from '../features/run/run-page.tsx'

export function VerdictPage() {
  return (
    <RunPage tab="verdict">
      <Verdict />
    </RunPage>
  )
}

/** States in which a run waits for a person. */
const STOPPED: readonly RunState[] = ['paused', 'interrupted', 'cancelled']

/** Which approach is better, and how sure that is: the verdict of a run, and the figures that it rests on. */
function Verdict() {
  const search = useSearch({ from: '/runs/$run/verdict' })
  const navigate = useNavigate({ from: '/runs/$run/verdict' })
  const { run, dataset } = useShownRun(search.dataset)
  const job = useQuery(api.runs.jobs.queryOptions()).data?.find(({ run_id: id }) => id === run.run_id)
  const stopped = job !== undefined && STOPPED.includes(job.state) ? job : undefined
  const isPrimary = stopped === undefined || !canResume(stopped)
  const leading = useLeadingMetric(run.run_id)
  const chosen = search.metric ?? leading
  const metric = chosen ?? FIRST_METRIC
  const axis = search.cost ?? COST_AXES[0]
  const intervalOf = useIntervals(
    run.run_id,
    run.datasets.map(({ dataset_id: id }) => id),
    metric,
  )
  const frontier = useQuery({
    ...api.compare.frontier.queryOptions({ input: { run_ids: [run.run_id], metric } }),
    enabled: chosen !== null,
  })
  const points = frontier.data?.points ?? []
  const here = points.filter(({ dataset_id: id }) => id === dataset.dataset_id)
  const loading = <LoadingRows rows={10} height={34} />
  return (
    <Page>
      {stopped !== undefined && <RunNote job={stopped} />}
      <RunResultPanel run={run.run_id} dataset={dataset.dataset_id} listsQuestions {...{ isPrimary }} />
      <RetryFailuresButton run={run.run_id} />
      <BehaviourTable run={run.run_id} dataset={dataset.dataset_id} />
      {chosen !== null && <HopPanel {...{ metric, points: here }} run={run.run_id} label={dataset.label} />}
      <CostTable run={run.run_id} />
      <UseTables run={run.run_id} />
      {frontier.isError && (
        <ErrorPanel error={frontier.error} what={WORDS.figures} retry={() => void frontier.refetch()} />
      )}
      {chosen !== null && run.datasets.length > 1 && (
        <ChartPanel
          title={`${WORDS.overRungs(metricHeading(metric))} · ${run.run_id}`}
          fileName={`${run.run_id}-${metric}-result`}
          isEmpty={points.length === 0}
        >
          {frontier.data === undefined ? (
            loading
          ) : (
            <Rungs {...{ metric, points, intervalOf }} datasets={run.datasets} />
          )}
        </ChartPanel>
      )}
      <BudgetPanels run={run.run_id} dataset={dataset.dataset_id} />
      {chosen !== null && (
        <ChartPanel
          title={`${COMPARE_WORDS.against(metricHeading(metric), COMPARE_WORDS.costs[axis].name)} · ${dataset.label}`}
          fileName={`${run.run_id}-${dataset.dataset_id}-${metric}-${axis}`}
          isEmpty={here.length === 0}
          aside={
            <>
              <Select
                size="xs"
                aria-label={COMPARE_WORDS.metric}
                data={METRIC_CHOICES}
                value={metric}
                onChange={(value) => void navigate({ search: { ...search, metric: IndexMetric.parse(value) } })}
              />
              <SegmentedControl
                size="xs"
                aria-label={COMPARE_WORDS.cost}
                data={COST_AXES.map((value) => ({ value, label: COMPARE_WORDS.costs[value].label }))}
                value={axis}
                onChange={(value) => void navigate({ search: { ...search, cost: value } })}
              />
            </>
          }
        >
          {frontier.data === undefined ? (
            loading
          ) : (
            <QualityAndCost {...{ metric, intervalOf, axis }} better={frontier.data.better} points={here} />
          )}
        </ChartPanel>
      )}
      {chosen !== null && <ExpectedWinners run={run.run_id} dataset={dataset} metric={metric} />}
    </Page>
  )
}

/** Shows what the answers of each approach cost; nothing for a run without paid models. */
function CostTable({ run }: { run: string }) {
  const { data } = useQuery(api.compare.result.queryOptions({ input: { run_id: run } }))
  const costs = data?.costs ?? []
  if (costs.length === 0) return null
  const reasons = new Set(costs.flatMap(({ cost, grading }) => [...cost.unknown, ...grading.unknown]))
  return (
    <Panel title={WORDS.costs}>
      <DataTable
        label={WORDS.costs}
        rows={costs}
        keyOf={({ dataset_id: id, model }) => `${id} ${model}`}
        nameAt={1}
        columns={[
          [WORDS.dataset, ({ label }) => label],
          [WORDS.approach, ({ model, base }) => <ApproachName alias={model} base={base} />],
          [num(WORDS.answers), ({ answers }) => count(answers)],
          [num(WORDS.cost), ({ cost }) => costWords(cost)],
          [
            num(WORDS.perAnswer),
            ({ cost, answers }) =>
              cost.unknown.length > 0 || answers === 0 ? '–' : amountWords(cost.amount / answers, cost.currency),
          ],
          [num(WORDS.grading), ({ grading }) => costWords(grading)],
        ]}
      />
      <p className="dim">{WORDS.costsAbout}</p>
      {[...reasons].map((reason) => (
        <p key={reason}>○ {reason}</p>
      ))}
    </Panel>
  )
}
