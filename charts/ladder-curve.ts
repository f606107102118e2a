import { createElement as h, type ReactElement } from 'react'
import { Curve } from 'recharts'
import type { Axis } from './axis.ts'
import { Frame, markerAt, nameColumn, plotOf, type Plot, px, whisker, yIn } from './frame.ts'
import type { Look } from './look.ts'
import { LETTER_WIDTH, wrapped } from './names.ts'

/** The mean of one approach on one rung. */
export interface CurvePoint {
  mean: number
  interval: { low: number; high: number } | null
  /** Mean, interval and count in words. */
  title: string
  /** Scored on too few cells to compare with its neighbours: drawn pale with its count, and not joined to them. */
  thin: string | null
}

export interface CurveSeries {
  look: Look
  /** One per rung; null where there is no score, which leaves a gap. */
  points: readonly (CurvePoint | null)[]
}

interface LadderCurveProps {
  width: number
  title: string
  /** Explains the chart to those who do not see it. */
  description?: string
  rungs: readonly { number: string; label: string }[]
  series: readonly CurveSeries[]
  y: Axis
}

/** Between the approaches of one rung, so that their intervals are side by side. */
const DODGE = 7
const LABEL_LINES = 2

const WORDS = {
  description: 'A line per approach over the levels, with 95 % intervals; a table holds the same figures.',
} as const

/** One metric over the levels: a line per approach, whiskers for the 95 % intervals. */
export function LadderCurve({
  width,
  title,
  description = WORDS.description,
  rungs,
  series: all,
  y,
}: LadderCurveProps): ReactElement {
  const series = all.filter(({ points }) => points.some((point) => point !== null))
  const plot = plotOf(width, series.length, 240)
  const step = (plot.right - plot.left) / Math.max(1, rungs.length)
  const dodge = Math.min(DODGE, step / Math.max(1, series.length) / 1.6)
  const drawn = series.map(({ look, points }, index) => ({
    look,
    points: points.map((point, rung) =>
      point === null
        ? null
        : {
            ...point,
            x: px(plot.left + step * (rung + 0.5) + (index - (series.length - 1) / 2) * dodge),
            y: yIn(plot, y.share(point.mean)),
          },
    ),
  }))
  return h(
    Frame,
    {
      width,
      height: plot.bottom + 26 + 16 * LABEL_LINES,
      plot,
      title,
      description,
      x: null,
      y,
    },
    rungs.map((rung, index) =>
      h('g', { key: `rung ${index}` }, rungLabel(rung, plot.left + step * (index + 0.5), step, plot)),
    ),
    nameColumn(
      drawn.map(({ look, points }) => ({ look, ...points.findLast((point) => point !== null)! })),
      plot,
    ),
    drawn.map(({ look, points }, index) =>
      h(
        'g',
        { key: `whiskers ${index}` },
        points.map((point, rung) =>
          point === null || point.interval === null
            ? null
            : h(
                'g',
                { key: rung },
                whisker(
                  point.x,
                  yIn(plot, y.share(point.interval.low)),
                  yIn(plot, y.share(point.interval.high)),
                  look.colour,
                  series.length,
                ),
              ),
        ),
      ),
    ),
    drawn.map(({ look, points }, index) =>
      pieces(points).map((piece, place) =>
        h(Curve, {
          key: `line ${index} ${place}`,
          points: piece,
          ...({ type: 'linear', fill: 'none', stroke: look.colour, strokeWidth: 2 } as const),
          ...(look.dash === null ? {} : { strokeDasharray: look.dash }),
        }),
      ),
    ),
    drawn.map(({ look, points }, index) =>
      points.map((point, rung) =>
        point === null
          ? null
          : h(
              'g',
              { key: `point ${index} ${rung}` },
              markerAt(look, point.x, point.y, { title: point.title, pale: point.thin !== null }),
              point.thin === null
                ? null
                : h('text', { x: px(point.x + 9), y: px(point.y + 4), fontSize: 12, fill: 'var(--dim)' }, point.thin),
            ),
      ),
    ),
  )
}

function rungLabel(
  { number, label }: { number: string; label: string },
  x: number,
  room: number,
  { bottom }: Plot,
): ReactElement[] {
  const lines = [number, ...wrapped(label, Math.floor(room / LETTER_WIDTH), LABEL_LINES)]
  return lines.map((text, index) =>
    h(
      'text',
      {
        key: index,
        x: px(x),
        y: bottom + 20 + 16 * index,
        textAnchor: 'middle',
        fontSize: 12,
        fill: index === 0 ? 'var(--dim)' : 'var(--text)',
      },
      text,
    ),
  )
}

/** Points that are joined: neighbouring rungs that both have a score worth comparing. A gap stays a gap. */
function pieces<Point extends { thin: string | null }>(points: readonly (Point | null)[]): Point[][] {
  const all: Point[][] = [[]]
  for (const point of points)
    if (point === null || point.thin !== null) all.push([])
    else all.at(-1)!.push(point)
  return all.filter((piece) => piece.length > 1)
}
