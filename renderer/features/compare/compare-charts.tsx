import { closeAxis, countAxis, logTimeAxis } from '../../../charts/axis.ts'
import { Frontier } from '../../../charts/frontier.ts'
import { frontierOf } from '../../../charts/frontier-points.ts'
import { LadderCurve } from '../../../charts/ladder-curve.ts'
import { looksOf } from '../../../charts/look.ts'
import type { FrontierPoint } from '../../../contract/control/comparison.ts'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { RunHead } from '../../../contract/control/run-index/runs.ts'
import type { Estimate } from '../../../contract/evidence/statistics.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { intervalText } from '../../components/estimate.tsx'
import { RunCloudMark } from '../../components/cloud-mark.tsx'
import { ChartBox } from '../../components/chart-panel.tsx'
import { count, duration, meanWords, metricHeading, metricName, score } from '../../components/format.ts'
import { type DataColumn, DataTable, num } from '../../components/tables.tsx'
import type { IntervalOf } from '../../data/intervals.ts'
import { COMPARE_WORDS as WORDS, COST_AXES, type CostAxis } from './compare-words.ts'
import { intervalWords } from '../../../contract/words.ts'

const calls = (value: number): string => meanWords(value, 2)
const WRITTEN: Record<CostAxis, (value: number) => string> = {
  latency_ms: duration,
  total_tokens: count,
  llm_calls: calls,
  cloud_calls: calls,
}

/** Mean, interval and count of a point, as its tooltip shows them. */
function figureWords({ model, quality, n, expected }: FrontierPoint, interval: Estimate['interval']): string {
  const range = interval === null ? '' : ` ${intervalWords(interval)}`
  return `${model}: ${score(quality)}${range}, ${count(n)}/${count(expected)}`
}

/** Every value that an axis must hold. */
export const valuesOf = (drawn: readonly { mean: number; interval: Estimate['interval'] }[]): number[] =>
  drawn.flatMap(({ mean, interval }) => [mean, ...(interval === null ? [] : [interval.low, interval.high])])

interface QualityAndCostProps {
  points: FrontierPoint[]
  metric: IndexMetric
  better: 'higher' | 'lower'
  axis: CostAxis
  intervalOf: IntervalOf
}

/** Draws each approach: all but those without the metric or the cost. */
function drawnOf({ points, axis, intervalOf }: Pick<QualityAndCostProps, 'points' | 'axis' | 'intervalOf'>) {
  const looks = looksOf(points)
  return points.flatMap((point) => {
    const { model, dataset_id: dataset, quality, [axis]: cost } = point
    if (quality === null || cost === null) return []
    const interval = intervalOf(dataset, model) ?? null
    const title = `${figureWords(point, interval)} · ${WRITTEN[axis](cost)}`
    return [{ model, look: looks.get(model)!, cost, quality, mean: quality, interval, title }]
  })
}

/** Each approach at its cost and quality, with intervals, at a width in pixels. */
export function CostChart({ width, ...props }: QualityAndCostProps & { width: number }) {
  const { metric, better, axis } = props
  const drawn = drawnOf(props)
  const { name } = WORDS.costs[axis]
  const costs = drawn.map(({ cost }) => cost)
  return (
    <Frontier
      {...{ width, better, points: drawn }}
      title={WORDS.against(metricHeading(metric), name)}
      x={axis === 'latency_ms' ? logTimeAxis(name, costs) : countAxis(name, costs)}
      y={closeAxis(WORDS.meanAxis(metricName(metric)), valuesOf(drawn))}
    />
  )
}

/** The chart of quality against cost, and the same in a table. */
export function QualityAndCost(props: QualityAndCostProps) {
  const { points, metric, better, axis, intervalOf } = props
  const drawn = drawnOf(props)
  const best = new Set(frontierOf(drawn, better).map(({ model }) => model))
  return (
    <div className="stack">
      {drawn.length === 0 ? (
        <p className="dim">{WORDS.noPoint(metricName(metric), WORDS.costs[axis].name)}</p>
      ) : (
        <ChartBox draw={(width) => <CostChart {...props} width={width} />} />
      )}
      <DataTable
        label={WORDS.costTable}
        rows={points.toSorted((a, b) => (b.quality ?? -1) - (a.quality ?? -1))}
        keyOf={({ model }) => model}
        columns={[
          [
            WORDS.approach,
            ({ model, base_model: base, run_id: run }) => (
              <>
                <ApproachName alias={model} base={base} short /> <RunCloudMark run={run} alias={model} />
              </>
            ),
          ],
          [num(metricHeading(metric)), ({ quality }) => score(quality)],
          [num(WORDS.interval), ({ dataset_id: dataset, model }) => intervalText(intervalOf(dataset, model))],
          [num(WORDS.n), ({ n, expected }) => `${count(n)}/${count(expected)}`],
          ...COST_AXES.map((each): DataColumn<FrontierPoint> => [
            num(WORDS.costs[each].label),
            ({ [each]: cost }) => (cost === null ? '–' : WRITTEN[each](cost)),
          ]),
          [WORDS.frontier, ({ model }) => (best.has(model) ? WORDS.onFrontier.yes : WORDS.onFrontier.no)],
        ]}
      />
      <p className="dim">{WORDS.frontierNote}</p>
    </div>
  )
}

interface RungsProps {
  points: FrontierPoint[]
  datasets: RunHead['datasets']
  metric: IndexMetric
  intervalOf: IntervalOf
}

/** Each approach's mean over the levels with its interval; a level without scores leaves a gap. */
export function Rungs({ points, datasets, metric, intervalOf }: RungsProps) {
  const rungs = datasets.toSorted((a, b) => (a.complexity_level ?? 99) - (b.complexity_level ?? 99))
  const looks = looksOf(points)
  const pointOf = (rung: string, alias: string): FrontierPoint | undefined =>
    points.find(({ dataset_id: dataset, model }) => dataset === rung && model === alias)
  const series = Array.from(looks, ([alias, look]) => ({
    look,
    points: rungs.map(({ dataset_id: id }) => {
      const point = pointOf(id, alias)
      if (point === undefined || point.quality === null) return null
      const interval = intervalOf(id, alias) ?? null
      return { mean: point.quality, interval, title: figureWords(point, interval), thin: null }
    }),
  }))
  const drawn = series.flatMap((line) => line.points.filter((point) => point !== null))
  return (
    <div className="stack">
      <ChartBox
        draw={(width) => (
          <LadderCurve
            {...{ width, series }}
            title={WORDS.overRungs(metricHeading(metric))}
            rungs={rungs.map(({ complexity_level: level, label }) => ({
              number: level === null ? '' : WORDS.rung(level),
              label,
            }))}
            y={closeAxis(WORDS.meanAxis(metricName(metric)), valuesOf(drawn))}
          />
        )}
      />
      <DataTable
        label={WORDS.rungTable}
        rows={[...new Map(points.map(({ model, base_model: base }) => [model, base]))]}
        keyOf={([alias]) => alias}
        columns={[
          [WORDS.approach, ([alias, base]) => <ApproachName alias={alias} base={base} short />],
          ...rungs.map(({ dataset_id: id, label }): DataColumn<[string, FrontierPoint['base_model']]> => [
            num(label),
            ([alias]) => {
              const point = pointOf(id, alias)
              const interval = intervalOf(id, alias) ?? null
              return (
                <>
                  {score(point?.quality)} {interval !== null && intervalWords(interval)}{' '}
                  <span className="dim">{point && `${count(point.n)}/${count(point.expected)}`}</span>
                </>
              )
            },
          ]),
        ]}
      />
    </div>
  )
}
