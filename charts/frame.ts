// All charts share this. Recharts draws surface, grid and lines from coordinates that are worked out here, without its chart containers:
// these pass their size and axes on in effects, which a server never runs, so `react-dom/server` gets an empty element from them
// (decision 080). Colours are variables that the control panel and the report both define. Elements are written with `createElement`,
// because Node runs these files as they are and reads no JSX.
import { createElement as h, type ReactElement, type ReactNode } from 'react'
import { CartesianGrid, Surface } from 'recharts'
import type { Axis } from './axis.ts'
import { type Look, markerPaths } from './look.ts'
import { LETTER_WIDTH, labelPlaces, shortened } from './names.ts'

/** Values are drawn in this area, in pixels; the rest of the surface is for axes and names. */
export interface Plot {
  left: number
  right: number
  top: number
  bottom: number
}

/** SVG coordinates, two decimals at most: the same text on every machine. */
export const px = (value: number): number => Math.round(value * 100) / 100 + 0

export const xIn = ({ left, right }: Plot, share: number): number => px(left + (right - left) * share)
export const yIn = ({ top, bottom }: Plot, share: number): number => px(bottom - (bottom - top) * share)

/** Names beside a chart: their column, and the most letters that are written. */
const NAME_ROW = 15
const NAME_LETTERS = 22
const NAME_GAP = 28
const NAMES_WIDTH = NAME_GAP + Math.ceil(NAME_LETTERS * LETTER_WIDTH)
const LEFT = 68
const TOP = 12

/** The plot of a chart with a column of names at its right, tall enough for all of them. */
export function plotOf(width: number, names: number, height = 220): Plot {
  return {
    left: LEFT,
    right: Math.max(LEFT + 120, width - NAMES_WIDTH),
    top: TOP,
    bottom: TOP + Math.max(height, names * NAME_ROW),
  }
}

const TICK = { fill: 'var(--dim)', fontSize: 12 }

interface FrameProps {
  width: number
  height: number
  plot: Plot
  /** Describes the chart in words, for screen readers. */
  title: string
  description: string
  y: Axis
  /** Marks along the bottom; null where the chart writes its own. */
  x: Axis | null
  children?: ReactNode
}

/** Surface, grid and axes of a chart. */
export function Frame({ width, height, plot, title, description, x, y, children }: FrameProps): ReactElement {
  const { left, right, top, bottom } = plot
  const box = { x: left, y: top, width: right - left, height: bottom - top }
  const yTicks = y.ticks.map(({ value, label }) => ({ label, coordinate: yIn(plot, y.share(value)) }))
  const xTicks = spread(x?.ticks.map(({ value, label }) => ({ label, coordinate: xIn(plot, x.share(value)) })) ?? [])
  return h(
    Surface,
    { width, height, viewBox: { x: 0, y: 0, width, height }, title, desc: description, role: 'img' },
    h(CartesianGrid, {
      ...box,
      horizontalPoints: yTicks.map(({ coordinate }) => coordinate),
      vertical: false,
      stroke: 'var(--line)',
    }),
    h('path', { d: `M${left} ${top}V${bottom}H${right}`, fill: 'none', stroke: 'var(--line-strong)' }),
    yTicks.map(({ coordinate, label }) =>
      h('text', { key: label, ...TICK, x: left - 6, y: px(coordinate + 4), textAnchor: 'end' }, label),
    ),
    xTicks.map(({ coordinate, label }) =>
      h(
        'g',
        { key: label },
        h('line', { x1: coordinate, x2: coordinate, y1: bottom, y2: bottom + 4, stroke: 'var(--line-strong)' }),
        h('text', { ...TICK, x: coordinate, y: bottom + 18, textAnchor: 'middle' }, label),
      ),
    ),
    h(
      'text',
      { transform: `translate(12 ${px((top + bottom) / 2)}) rotate(-90)`, textAnchor: 'middle', ...TICK },
      y.name,
    ),
    x === null ? null : h('text', { x: px((left + right) / 2), y: bottom + 38, textAnchor: 'middle', ...TICK }, x.name),
    children,
  )
}

/** Marks whose words do not run into each other. */
function spread<Mark extends { coordinate: number }>(marks: readonly Mark[]): Mark[] {
  let last = -Infinity
  return marks.filter(({ coordinate }) => {
    if (coordinate - last < 44) return false
    last = coordinate
    return true
  })
}

/** An approach's marker; `title` is shown where the pointer rests on it. */
export const markerAt = (
  look: Look,
  x: number,
  y: number,
  options: { title?: string; scale?: number; pale?: boolean } = {},
): ReactElement => {
  const { title, scale = 1, pale = false } = options
  return h(
    'g',
    {
      transform: `translate(${px(x)} ${px(y)})${scale === 1 ? '' : ` scale(${scale})`}`,
      opacity: pale ? 0.45 : undefined,
    },
    title === undefined ? null : h('title', null, title),
    // Larger than the marker, so that the pointer need not hit it exactly.
    title === undefined ? null : h('circle', { r: 11, fill: 'transparent' }),
    markerPaths(look).map(({ width, ...path }) =>
      h('path', { key: path.d, ...path, strokeWidth: width, strokeLinejoin: 'round' }),
    ),
  )
}

/** Above this many in one place, whiskers are thin and pale, so that markers stay legible. */
const MANY_WHISKERS = 8

/** An interval as an upright whisker with ends; `among` is how many approaches the chart shows. */
export const whisker = (x: number, low: number, high: number, colour: string, among: number): ReactElement =>
  h('path', {
    d: `M${px(x)} ${px(low)}V${px(high)}M${px(x - 3)} ${px(low)}h6M${px(x - 3)} ${px(high)}h6`,
    fill: 'none',
    stroke: colour,
    strokeWidth: among > MANY_WHISKERS ? 1 : 1.4,
    opacity: among > MANY_WHISKERS ? 0.5 : 0.85,
  })

/** A name for each point in a column at the right, none over another, joined to its point by a line. */
export function nameColumn(
  points: readonly { look: Look; x: number; y: number; isDim?: boolean }[],
  plot: Plot,
): ReactElement {
  const places = labelPlaces(points, NAME_ROW, plot.top, plot.bottom)
  return h(
    'g',
    { 'aria-hidden': true },
    points.map(({ look, x, y, isDim }, index) => {
      const at = places[index]!
      return h(
        'g',
        { key: index },
        h('path', {
          d: `M${px(x + 8)} ${px(y)}L${plot.right + 6} ${px(at)}H${plot.right + 10}`,
          fill: 'none',
          stroke: 'var(--line)',
        }),
        markerAt(look, plot.right + 18, at, { scale: 0.8 }),
        h(
          'text',
          { x: plot.right + NAME_GAP, y: px(at + 4), fontSize: 12, fill: isDim ? 'var(--dim)' : 'var(--text)' },
          shortened(look.short, NAME_LETTERS),
        ),
      )
    }),
  )
}
