import { CartesianGrid, ErrorBar, ResponsiveContainer, Scatter, ScatterChart, Tooltip, XAxis, YAxis } from 'recharts'
import type { FrontierPoint } from '../../../contract/control/comparison.ts'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import { lookOf } from '../../components/approach-colours.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { count, metricName, score } from '../../components/format.ts'
import { markerPath } from '../../components/marker-path.ts'
import table from '../../components/table.module.css'
import { AXIS_LABEL, countTicks, qualityTicks, timeAxis } from './axis.ts'
import styles from './compare.module.css'
import { PointLabels } from './point-labels.tsx'
import { COST_AXES, type CostAxis, COSTS, frontierOf } from './cost-axis.ts'
import { errorOf, type IntervalOf } from './use-means.ts'

type Placed = FrontierPoint & { cost: number; best: boolean; error: [number, number] }

function Dot({ cx = 0, cy = 0, payload }: { cx?: number; cy?: number; payload?: Placed }) {
  if (payload === undefined) return <g />
  const { colour, marker } = lookOf(payload.model)
  return (
    <path
      transform={`translate(${cx} ${cy})`}
      d={markerPath(marker)}
      fill={payload.best ? colour : 'var(--surface)'}
      stroke={colour}
      strokeWidth={2}
    />
  )
}

interface FrontierChartProps {
  points: FrontierPoint[]
  metric: IndexMetric
  better: 'higher' | 'lower'
  axis: CostAxis
  intervalOf: IntervalOf
}

/** Each alias at its cost and quality, with intervals, and the same in a table. */
export function FrontierChart({ points, metric, better, axis, intervalOf }: FrontierChartProps) {
  const frontier = frontierOf(points, axis, better)
  const placed = points.flatMap((point): Placed[] => {
    const cost = point[axis]
    if (point.quality === null || cost === null) return []
    const error = errorOf(point.quality, intervalOf(point.dataset_id, point.model))
    return [{ ...point, cost, best: frontier.has(point.model), error }]
  })
  const ends = placed.flatMap(({ quality, error: [low, high] }) => [quality! - low, quality! + high])
  const ticks = qualityTicks(ends)
  const costs = placed.map(({ cost }) => cost)
  const time = timeAxis(costs)
  const scale = axis === 'latency_ms' ? time : { ticks: countTicks(costs), unit: null, unitMs: 1 }
  const name = COSTS[axis].name + (scale.unit === null ? '' : `, ${scale.unit}`)
  const tick = { fill: 'var(--dim)', fontSize: 12 }
  return (
    <div className={styles.split}>
      <div
        className={styles.chart}
        role="img"
        aria-label={`${metricName(metric)} against ${COSTS[axis].name}; the table holds the figures`}
      >
        {placed.length === 0 ? (
          <p className="dim">
            No approach has both {metricName(metric)} and {COSTS[axis].name}.
          </p>
        ) : (
          <ResponsiveContainer width="100%" height={340}>
            <ScatterChart margin={{ top: 16, right: 88, bottom: 28, left: 8 }} accessibilityLayer={false}>
              <CartesianGrid stroke="var(--line)" />
              <XAxis
                type="number"
                dataKey="cost"
                domain={[0, scale.ticks.at(-1)!]}
                ticks={scale.ticks}
                tickFormatter={(value: number) => String(value / scale.unitMs)}
                tick={tick}
                stroke="var(--line-strong)"
                label={{ value: name, position: 'bottom', fill: 'var(--dim)', fontSize: 12 }}
              />
              <YAxis
                type="number"
                dataKey="quality"
                domain={[ticks[0]!, ticks.at(-1)!]}
                ticks={ticks}
                tickFormatter={(value: number) => score(value)}
                tick={tick}
                stroke="var(--line-strong)"
                label={{ ...AXIS_LABEL, value: `mean ${metricName(metric)}, 95 % interval` }}
              />
              <Tooltip
                cursor={{ stroke: 'var(--line-strong)' }}
                content={({ payload }) => {
                  const point = payload[0]?.payload as Placed | undefined
                  return point === undefined ? null : (
                    <div className={styles.tooltip}>
                      <ApproachName alias={point.model} /> {score(point.quality)}, {count(point.n)}/
                      {count(point.expected)} · {COSTS[axis].write(point.cost)}
                    </div>
                  )
                }}
              />
              <Scatter data={placed} shape={Dot} isAnimationActive={false}>
                <ErrorBar dataKey="error" direction="y" width={6} stroke="var(--dim)" isAnimationActive={false} />
              </Scatter>
              <PointLabels
                points={placed.map(({ model, cost, quality, best }) => ({
                  ...{ name: lookOf(model).short, x: cost, y: quality!, isDim: !best },
                }))}
              />
            </ScatterChart>
          </ResponsiveContainer>
        )}
      </div>
      <div className={table.scroll} tabIndex={0} role="region" aria-label="Quality and costs by approach">
        <table className={table.table}>
          <thead>
            <tr>
              <th>Approach</th>
              <th className={table.num}>{metricName(metric)}</th>
              <th className={table.num}>95 % interval</th>
              <th className={table.num}>n</th>
              {COST_AXES.map((each) => (
                <th key={each} className={table.num}>
                  {COSTS[each].label}
                </th>
              ))}
              <th>Frontier</th>
            </tr>
          </thead>
          <tbody>
            {points
              .toSorted((a, b) => (b.quality ?? -1) - (a.quality ?? -1))
              .map((point) => {
                const interval = intervalOf(point.dataset_id, point.model)
                return (
                  <tr key={point.model}>
                    <th scope="row">
                      <ApproachName alias={point.model} short />
                    </th>
                    <td className={table.num}>{score(point.quality)}</td>
                    <td className={table.num}>
                      {interval === null ? '–' : `${score(interval.low)} to ${score(interval.high)}`}
                    </td>
                    <td className={table.num}>
                      {count(point.n)}/{count(point.expected)}
                    </td>
                    {COST_AXES.map((each) => (
                      <td key={each} className={table.num}>
                        {point[each] === null ? '–' : COSTS[each].write(point[each])}
                      </td>
                    ))}
                    <td>{frontier.has(point.model) ? '● yes' : '○ no'}</td>
                  </tr>
                )
              })}
          </tbody>
        </table>
        <p className="dim">Frontier, filled in the chart: no other approach is at least as good and cheaper.</p>
      </div>
    </div>
  )
}
