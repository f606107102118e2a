import { CartesianGrid, ErrorBar, ResponsiveContainer, Scatter, ScatterChart, XAxis, YAxis } from 'recharts'
import type { FrontierPoint } from '../../../contract/control/comparison.ts'
import type { IndexMetric } from '../../../contract/control/run-index/metrics.ts'
import type { RunHead } from '../../../contract/control/run-index/runs.ts'
import { lookOf } from '../../components/approach-colours.ts'
import { ApproachName } from '../../components/approach-name.tsx'
import { metricName, score } from '../../components/format.ts'
import { markerPath } from '../../components/marker-path.ts'
import { RungTable } from '../../components/rung-table.tsx'
import { AXIS_LABEL, qualityTicks } from './axis.ts'
import styles from './compare.module.css'
import { errorOf, type IntervalOf } from './use-means.ts'

interface LadderCurveProps {
  points: FrontierPoint[]
  datasets: RunHead['datasets']
  metric: IndexMetric
  intervalOf: IntervalOf
}

interface Placed {
  /** Number of the rung, moved aside so that whiskers do not cover each other. */
  x: number
  mean: number
  error: [number, number]
}

function Dot({ cx = 0, cy = 0, alias }: { cx?: number; cy?: number; alias: string }) {
  const { colour, marker, flavor } = lookOf(alias)
  return (
    <path
      transform={`translate(${cx} ${cy})`}
      d={markerPath(marker)}
      fill={flavor ? 'var(--surface)' : colour}
      stroke={colour}
      strokeWidth={2}
    />
  )
}

/** Points without a gap between them; a rung without scores starts a new piece. */
function pieces(placed: readonly (Placed | null)[]): Placed[][] {
  const all: Placed[][] = [[]]
  for (const point of placed)
    if (point === null) all.push([])
    else all.at(-1)!.push(point)
  return all.filter((piece) => piece.length > 0)
}

/** Each approach's mean from rung to rung with its interval; a rung without scores leaves a gap. */
export function LadderCurve({ points, datasets, metric, intervalOf }: LadderCurveProps) {
  const rungs = datasets.toSorted((a, b) => (a.complexity_level ?? 99) - (b.complexity_level ?? 99))
  const aliases = [...new Set(points.map(({ model }) => model))]
  const at = (dataset: string, alias: string) =>
    points.find((point) => point.dataset_id === dataset && point.model === alias)
  const step = Math.min(0.09, 0.7 / Math.max(1, aliases.length))
  const lines = aliases.map((alias, place) => {
    const placed = rungs.map(({ dataset_id: id }, index): Placed | null => {
      const mean = at(id, alias)?.quality ?? null
      if (mean === null) return null
      return { x: index + (place - (aliases.length - 1) / 2) * step, mean, error: errorOf(mean, intervalOf(id, alias)) }
    })
    return { alias, pieces: pieces(placed) }
  })
  const all = lines.flatMap((line) => line.pieces.flat())
  const ticks = qualityTicks(all.flatMap(({ mean, error: [low, high] }) => [mean - low, mean + high]))
  const axis = { tick: { fill: 'var(--dim)', fontSize: 12 }, stroke: 'var(--line-strong)' }
  return (
    <div className={styles.stack}>
      <div
        className={styles.chart}
        role="img"
        aria-label={`${metricName(metric)} by rung; the table holds the figures`}
      >
        <ResponsiveContainer width="100%" height={340}>
          <ScatterChart margin={{ top: 8, right: 32, bottom: 28, left: 8 }} accessibilityLayer={false}>
            <CartesianGrid stroke="var(--line)" vertical={false} />
            <XAxis
              {...axis}
              type="number"
              dataKey="x"
              domain={[-0.5, rungs.length - 0.5]}
              ticks={rungs.map((_, index) => index)}
              interval={0}
              tickFormatter={(index: number) => rungs[index]?.label ?? ''}
              label={{ value: 'rung, from easy to hard', position: 'bottom', fill: 'var(--dim)', fontSize: 12 }}
            />
            <YAxis
              {...axis}
              type="number"
              dataKey="mean"
              domain={[ticks[0]!, ticks.at(-1)!]}
              ticks={ticks}
              tickFormatter={(value: number) => score(value)}
              label={{ ...AXIS_LABEL, value: `mean ${metricName(metric)}, 95 % interval` }}
            />
            {lines.flatMap(({ alias, pieces: all }) =>
              all.map((piece, index) => {
                const { colour, flavor } = lookOf(alias)
                return (
                  <Scatter
                    key={`${alias} ${index}`}
                    data={piece}
                    line={{ stroke: colour, strokeWidth: 1.5, ...(flavor ? { strokeDasharray: '5 4' } : {}) }}
                    shape={(props: { cx?: number; cy?: number }) => <Dot {...props} alias={alias} />}
                    isAnimationActive={false}
                  >
                    <ErrorBar dataKey="error" direction="y" width={4} stroke={colour} isAnimationActive={false} />
                  </Scatter>
                )
              }),
            )}
          </ScatterChart>
        </ResponsiveContainer>
      </div>
      <ul className={styles.legend} aria-label="Approaches">
        {aliases.map((alias) => (
          <li key={alias}>
            <ApproachName alias={alias} short />
          </li>
        ))}
      </ul>
      <RungTable
        label="Means by rung"
        points={points}
        datasets={rungs}
        short
        mean={(dataset, alias, point) => {
          const interval = intervalOf(dataset, alias)
          return score(point?.quality) + (interval === null ? '' : ` [${score(interval.low)}, ${score(interval.high)}]`)
        }}
      />
    </div>
  )
}
