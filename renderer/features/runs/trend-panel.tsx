import { Button, Select } from '@mantine/core'
import { useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { closeAxis } from '../../../charts/axis.ts'
import { LadderCurve } from '../../../charts/ladder-curve.ts'
import type { FrontierPoint } from '../../../contract/control/comparison.ts'
import { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { RunTrend, TrendRun } from '../../../contract/control/run-index/trend.ts'
import { FIRST_METRIC } from '../../../contract/metrics/metrics.ts'
import { intervalWords } from '../../../contract/words.ts'
import type { TrendSearch } from '../../app/search-params.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { ChartBox, ChartPanel } from '../../components/chart-panel.tsx'
import { count, metricHeading, metricName, moment, score } from '../../components/format.ts'
import { METRIC_CHOICES } from '../../components/metric-choices.ts'
import { SampleMark, useSamples } from '../../components/run-marks.tsx'
import { firstShown, runChoices, runLabel } from '../../components/sample-runs.ts'
import { ErrorPanel, LoadingRows } from '../../components/states.tsx'
import { type DataColumn, DataTable, num, unseen } from '../../components/tables.tsx'
import table from '../../components/table.module.css'
import { api } from '../../data/client.ts'
import { useLeadingMetric } from '../../data/leading-metric.ts'
import { valuesOf } from '../compare/compare-charts.tsx'
import { COMPARE_WORDS } from '../compare/compare-words.ts'
import { RUNS_WORDS } from './runs-words.ts'
import styles from './runs.module.css'
import { type RunInterval, trendSeries } from './trend-series.ts'

const WORDS = RUNS_WORDS.trend

interface TrendPanelProps {
  search: TrendSearch
  onChange: (search: TrendSearch) => void
}

/** One metric of each approach through the runs of a dataset that measured the same thing; the other runs with why they did not. */
export function TrendPanel({ search, onChange }: TrendPanelProps) {
  const list = useQuery(api.runs.list.queryOptions({ input: { limit: 100 } })).data?.runs ?? []
  const samples = useSamples()
  const labels = new Map(list.flatMap(({ datasets }) => datasets.map(({ dataset_id: id, label }) => [id, label])))
  const newest = firstShown(list, samples)
  const dataset = search.trend ?? newest?.datasets[0]?.dataset_id
  const having = list.filter(({ datasets }) => datasets.some(({ dataset_id: id }) => id === dataset))
  const reference = having.find(({ run_id: id }) => id === search.of) ?? firstShown(having, samples)
  const leading = useLeadingMetric(reference?.run_id)
  const metric = search.metric ?? leading
  const { data, isError, error, refetch } = useQuery({
    ...api.compare.trend.queryOptions({ input: { run_id: reference?.run_id ?? '-', dataset_id: dataset ?? '-' } }),
    enabled: reference !== undefined,
  })
  if (dataset === undefined || reference === undefined) return null
  return (
    <ChartPanel
      title={WORDS.title}
      pictureTitle={`${metricHeading(metric ?? FIRST_METRIC)} · ${labels.get(dataset) ?? dataset}`}
      fileName={`trend-${dataset}-${metric ?? ''}`}
      isEmpty={(data?.comparable.length ?? 0) < 2}
    >
      <div className={styles.filter}>
        <Select
          aria-label={WORDS.dataset}
          data={Array.from(labels, ([value, label]) => ({ value, label }))}
          value={dataset}
          onChange={(value) => value !== null && onChange({ trend: value, of: undefined })}
        />
        <Select
          aria-label={WORDS.of}
          title={WORDS.of}
          data={runChoices(
            having.map(({ run_id: id }) => id),
            samples,
          )}
          value={reference.run_id}
          onChange={(value) => value !== null && onChange({ of: value })}
        />
        <Select
          aria-label={WORDS.metric}
          data={METRIC_CHOICES}
          value={metric}
          onChange={(value) => onChange({ metric: value === null ? undefined : IndexMetric.parse(value) })}
        />
      </div>
      {isError && <ErrorPanel error={error} what={WORDS.what} retry={() => void refetch()} />}
      {(data === undefined || metric === null) && !isError && <LoadingRows rows={8} height={34} />}
      {data !== undefined && metric !== null && (
        <TrendFigures trend={data} metric={metric} onChoose={(run) => onChange({ of: run })} />
      )}
    </ChartPanel>
  )
}

interface TrendFiguresProps {
  trend: RunTrend
  metric: IndexMetric
  onChoose: (run: string) => void
}

function TrendFigures({ trend, metric, onChoose }: TrendFiguresProps) {
  const { comparable, apart, dataset_id: dataset, label } = trend
  const runs = comparable.map(({ run_id: id }) => id)
  const figures = useQuery(api.compare.frontier.queryOptions({ input: { run_ids: runs, dataset_id: dataset, metric } }))
  const intervals = useQueries({
    queries: runs.map((run) =>
      api.statistics.pairs.queryOptions({ input: { run_id: run, dataset_id: dataset, metric } }),
    ),
  })
  const intervalOf: RunInterval = (run, alias) =>
    intervals[runs.indexOf(run)]?.data?.comparison.approaches.find(({ model }) => model === alias)?.mean.interval ??
    null
  const points = figures.data?.points ?? []
  if (figures.isError)
    return <ErrorPanel error={figures.error} what={WORDS.figures} retry={() => void figures.refetch()} />
  if (figures.data === undefined) return <LoadingRows rows={8} height={34} />
  return (
    <div className="stack">
      <p className="dim">{comparable.length < 2 ? WORDS.single : WORDS.about(label)}</p>
      {comparable.length > 1 && <TrendChart {...{ comparable, points, metric, intervalOf }} />}
      <TrendTable {...{ comparable, points, intervalOf }} metric={metric} />
      {apart.length > 0 && <ApartTable runs={apart} onChoose={onChoose} />}
      {trend.older > 0 && <p className="dim">{WORDS.older(trend.older)}</p>}
    </div>
  )
}

interface TrendPointsProps {
  comparable: TrendRun[]
  points: FrontierPoint[]
  metric: IndexMetric
  intervalOf: RunInterval
}

function TrendChart({ comparable, points, metric, intervalOf }: TrendPointsProps) {
  const samples = useSamples()
  const series = trendSeries(
    comparable.map(({ run_id: id }) => id),
    points,
    intervalOf,
  )
  const drawn = series.flatMap((line) => line.points.filter((point) => point !== null))
  if (drawn.length === 0) return <p className="dim">{WORDS.noScore(metricName(metric))}</p>
  return (
    <>
      <ChartBox
        draw={(width) => (
          <LadderCurve
            {...{ width, series }}
            title={`${WORDS.title}: ${metricName(metric)}`}
            rungs={comparable.map(({ run_id: id, at }) => ({ number: moment(at), label: runLabel(id, samples) }))}
            y={closeAxis(COMPARE_WORDS.meanAxis(metricName(metric)), valuesOf(drawn))}
          />
        )}
      />
      {drawn.some(({ thin }) => thin !== null) && <p className="dim">{WORDS.thin}</p>}
    </>
  )
}

/** The same figures, a row per run, the newest first. */
function TrendTable({ comparable, points, intervalOf }: TrendPointsProps) {
  const aliases = [...new Set(points.map(({ model }) => model))]
  return (
    <DataTable
      label={WORDS.table}
      rows={comparable.toReversed()}
      keyOf={({ run_id: id }) => id}
      columns={[
        [WORDS.run, runHeading, table.wrap],
        [WORDS.models, setsOf],
        ...aliases.map((alias): DataColumn<TrendRun> => [
          num(<ApproachName alias={alias} short />),
          ({ run_id: run }) => {
            const point = points.find(({ run_id: id, model }) => id === run && model === alias)
            const interval = intervalOf(run, alias)
            return (
              <>
                {score(point?.quality)} {interval !== null && intervalWords(interval)}
                {point !== undefined && (
                  <span className={styles.under}>
                    {count(point.n)}/{count(point.expected)}
                  </span>
                )}
              </>
            )
          },
        ]),
      ]}
    />
  )
}

const runHeading = ({ run_id: id, at }: TrendRun) => (
  <>
    <Link to="/runs/$run/verdict" params={{ run: id }}>
      {id}
    </Link>{' '}
    <SampleMark run={id} />
    <span className={styles.under}>{moment(at)}</span>
  </>
)

const setsOf = ({ model_sets: sets }: TrendRun): string => sets.join(', ') || '–'

/** Runs that no line may join to these, each with why, the newest first. */
function ApartTable({ runs, onChoose }: { runs: TrendRun[]; onChoose: (run: string) => void }) {
  return (
    <section aria-label={WORDS.apart}>
      <h3>{WORDS.apart}</h3>
      <DataTable
        stacks
        label={WORDS.apart}
        rows={runs.toReversed()}
        keyOf={({ run_id: id }) => id}
        columns={[
          [WORDS.run, runHeading, table.wrap],
          [WORDS.models, setsOf],
          [WORDS.why, whyApart, table.wrap],
          [
            unseen(WORDS.choose),
            ({ run_id: id }) => (
              <Button size="compact-sm" onClick={() => onChoose(id)}>
                {WORDS.choose}
              </Button>
            ),
          ],
        ]}
      />
    </section>
  )
}

const whyApart = ({ differs, shared_questions: shared, questions }: TrendRun): string =>
  differs
    .map((difference) =>
      difference === 'questions' ? WORDS.differs.questions(shared, questions) : WORDS.differs[difference],
    )
    .join('; ')
