import { usePlotArea, useXAxisScale, useYAxisScale } from 'recharts'
import styles from './compare.module.css'
import { placeLabels } from './place-labels.ts'

/** A name and where its point stands, in the chart's own values. */
export interface NamedPoint {
  name: string
  x: number
  y: number
  isDim: boolean
}

/** Digits and letters of the type scale's smallest size are hardly wider than that. */
const LETTER_WIDTH = 6.6
/** The chart's margin at the right belongs to names too. */
const MARGIN_RIGHT = 84

/** Names beside the points of a chart, none over another; a child of the chart, as the places depend on its axes. */
export function PointLabels({ points }: { points: readonly NamedPoint[] }) {
  const plot = usePlotArea()
  const toX = useXAxisScale()
  const toY = useYAxisScale()
  if (plot === undefined || toX === undefined || toY === undefined) return null
  const at = points.map(({ name, x, y }) => ({ x: toX(x) ?? 0, y: toY(y) ?? 0, width: name.length * LETTER_WIDTH }))
  const area = {
    left: plot.x,
    right: plot.x + plot.width + MARGIN_RIGHT,
    top: plot.y - 14,
    bottom: plot.y + plot.height,
  }
  const labels = placeLabels(at, area)
  return (
    <g aria-hidden="true">
      {points.map(({ name, isDim }, index) => {
        const { x, y, isFar } = labels[index]!
        const point = at[index]!
        const end = x > point.x ? x - 2 : x + point.width + 2
        return (
          <g key={name}>
            {isFar && <line x1={point.x} y1={point.y} x2={end} y2={y - 4} stroke="var(--line-strong)" />}
            <text x={x} y={y} className={isDim ? styles.labelDim : styles.label}>
              {name}
            </text>
          </g>
        )
      })}
    </g>
  )
}
