import { createElement as h, type ReactElement } from 'react'
import { Curve } from 'recharts'
import type { Axis } from './axis.ts'
import { Frame, markerAt, nameColumn, plotOf, whisker, xIn, yIn } from './frame.ts'
import { frontierOf } from './frontier-points.ts'
import type { Look } from './look.ts'

/** One approach at its cost and quality. */
interface CostPoint {
  model: string
  look: Look
  cost: number
  quality: number
  interval: { low: number; high: number } | null
  /** Both in words. */
  title: string
}

interface FrontierProps {
  width: number
  title: string
  points: readonly CostPoint[]
  better: 'higher' | 'lower'
  x: Axis
  y: Axis
}

/** Quality against cost; the dashed line joins the approaches that no other one beats in both. */
export function Frontier({ width, title, points, better, x, y }: FrontierProps): ReactElement {
  const plot = plotOf(width, points.length)
  const best = frontierOf(points, better)
  const names = new Set(best.map(({ model }) => model))
  const at = <Point extends { cost: number; quality: number }>(point: Point) => ({
    ...point,
    x: xIn(plot, x.share(point.cost)),
    y: yIn(plot, y.share(point.quality)),
  })
  const drawn = points.map(at)
  return h(
    Frame,
    {
      width,
      height: plot.bottom + 48,
      plot,
      title,
      x,
      y,
      description: `Not beaten in both by any other: ${best.map(({ model }) => model).join(', ')}.`,
    },
    nameColumn(
      drawn.map((point) => ({ ...point, isDim: !names.has(point.model) })),
      plot,
    ),
    h(Curve, {
      points: best.map(at),
      ...({ type: 'stepAfter', fill: 'none', stroke: 'var(--dim)', strokeDasharray: '4 3' } as const),
    }),
    drawn.map(({ model, x: left, interval, look }) =>
      interval === null
        ? null
        : h(
            'g',
            { key: `whisker ${model}` },
            whisker(
              left,
              yIn(plot, y.share(interval.low)),
              yIn(plot, y.share(interval.high)),
              look.colour,
              drawn.length,
            ),
          ),
    ),
    drawn.map(({ model, look, x: left, y: top, title: words }) =>
      h('g', { key: model }, markerAt(look, left, top, { title: words })),
    ),
  )
}
