import { createElement as h, type ReactElement } from 'react'
import { Surface } from 'recharts'
import type { Axis } from './axis.ts'
import { markerAt, type Plot, px, xIn, yIn } from './frame.ts'
import type { Look } from './look.ts'
import { shortened } from './names.ts'

export interface HopSeries {
  look: Look
  /** One per number of hops; null where there is no score. `written` is the text beside its marker. */
  points: readonly ({ mean: number; written: string; title: string; thin: boolean } | null)[]
}

interface HopMultiplesProps {
  width: number
  title: string
  /** Numbers of hops as they are written below each plot, from left to right. */
  hops: readonly string[]
  series: readonly HopSeries[]
  y: Axis
}

const LEAST_WIDTH = 220
const HEIGHT = 148
const NAME_LETTERS = 24
const TEXT = { fontSize: 12, fill: 'var(--dim)' } as const
const DESCRIPTION =
  'A small plot per approach: its means by number of hops, with the lines of the others in a pale colour. A table holds the same figures.'

/** Means by number of hops: a small plot per approach on one scale, with the other approaches in a pale colour. */
export function HopMultiples({ width, title, hops, series: all, y }: HopMultiplesProps): ReactElement {
  const series = all.filter(({ points }) => points.some((point) => point !== null))
  const columns = Math.max(1, Math.min(series.length, Math.floor(width / LEAST_WIDTH)))
  const room = width / columns
  const plot: Plot = { left: 34, right: room - 18, top: 30, bottom: HEIGHT - 24 }
  const x = (at: number): number => xIn(plot, (at + 0.5) / hops.length)
  const line = ({ points }: HopSeries): string =>
    points
      .flatMap((point, at) => (point === null ? [] : [`${x(at)} ${yIn(plot, y.share(point.mean))}`]))
      .map((place, index) => `${index === 0 ? 'M' : 'L'}${place}`)
      .join('')
  const height = Math.ceil(series.length / columns) * HEIGHT
  const ends = [y.ticks[0]!, y.ticks.at(-1)!]
  return h(
    Surface,
    { width, height, viewBox: { x: 0, y: 0, width, height }, title, desc: DESCRIPTION, role: 'img' },
    series.map((own, index) =>
      h(
        'g',
        {
          key: own.look.short,
          transform: `translate(${px((index % columns) * room)} ${Math.floor(index / columns) * HEIGHT})`,
        },
        markerAt(own.look, plot.left + 6, 13, { scale: 0.8 }),
        h(
          'text',
          { x: plot.left + 18, y: 17, fontSize: 12, fill: 'var(--text)' },
          shortened(own.look.short, NAME_LETTERS),
        ),
        ends.map(({ value, label }) => {
          const at = yIn(plot, y.share(value))
          return h(
            'g',
            { key: label },
            h('path', { d: `M${plot.left} ${at}H${px(plot.right)}`, stroke: 'var(--line)' }),
            h('text', { ...TEXT, x: plot.left - 6, y: at + 4, textAnchor: 'end' }, label),
          )
        }),
        hops.map((words, at) =>
          h('text', { key: words, ...TEXT, x: x(at), y: plot.bottom + 18, textAnchor: 'middle' }, words),
        ),
        series
          .filter((other) => other !== own)
          .map((other) =>
            h('path', { key: other.look.short, d: line(other), fill: 'none', stroke: 'var(--line-strong)' }),
          ),
        h('path', { d: line(own), fill: 'none', stroke: own.look.colour, strokeWidth: 2 }),
        own.points.map((point, at) => {
          if (point === null) return null
          const up = yIn(plot, y.share(point.mean))
          // Below its marker, or above it where the plot ends.
          const beside = plot.bottom - up < 24 ? up - 10 : up + 20
          return h(
            'g',
            { key: at },
            markerAt(own.look, x(at), up, { title: point.title, pale: point.thin }),
            h(
              'text',
              {
                x: x(at),
                y: px(beside),
                textAnchor: 'middle',
                fontSize: 12,
                fill: 'var(--text)',
                stroke: 'var(--surface)',
                strokeWidth: 3,
                paintOrder: 'stroke',
              },
              point.written,
            ),
          )
        }),
      ),
    ),
  )
}
