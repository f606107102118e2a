import type { Aggregate } from '../../../contract/index.ts'
import type { Look } from '../approach-looks.ts'
import type { ComparedName } from '../comparison-access.ts'
import { nameWords } from '../comparison-words.ts'
import { rungFigure, type RungFigure } from '../leaderboard.ts'
import { oneLine } from '../sanitize-for-terminal.ts'
import { shorten } from '../terminal-text.ts'
import { h, type Markup } from './markup.ts'
import { markerAt, px } from './marker.ts'
import { placeLabels } from './place-labels.ts'
import { scaleOf, type Scale } from './scale.ts'

const WIDTH = 600
const HEIGHT = 290
const LEFT = 56
const RIGHT = 404
const TOP = 10
const BOTTOM = 230

interface Dot {
  model: string
  look: Look
  /** Median of the answered cells, milliseconds. */
  latencyMs: number
  quality: RungFigure
  x: number
  y: number
}

/** Quality over latency for one dataset run; the line joins the approaches that no other beats in both. */
export function frontierChart(
  aggregate: Aggregate,
  name: ComparedName,
  looks: ReadonlyMap<string, Look>,
): Markup | null {
  const measured = aggregate.approaches.flatMap(({ model, operational }) => {
    const quality = rungFigure(aggregate, name, model)
    const latencyMs = operational.latency_ms.median
    return quality === null || latencyMs === null ? [] : [{ model, look: looks.get(model)!, quality, latencyMs }]
  })
  if (measured.length === 0) return null
  const x = scaleOf(
    'latency_ms',
    measured.map(({ latencyMs }) => latencyMs),
    LEFT,
    RIGHT,
  )
  const y = scaleOf(
    name,
    measured.flatMap(({ quality }) => [quality.mean, quality.interval?.low ?? quality.mean]),
    BOTTOM,
    TOP,
  )
  const dots = measured.map((each): Dot => ({ ...each, x: x.at(each.latencyMs), y: y.at(each.quality.mean) }))
  const id = `frontier-${aggregate.dataset.id}`
  return h(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-labelledby': `${id}-t ${id}-d` },
    h('title', { id: `${id}-t` }, `${nameWords(name)} over latency, ${oneLine(aggregate.dataset.label)}`),
    h(
      'desc',
      { id: `${id}-d` },
      `Not beaten in both by any other: ${frontierOf(dots)
        .map(({ model }) => model)
        .join(', ')}.`,
    ),
    axes(x, y),
    ...leaders(dots),
    h('path', { d: frontierPath(frontierOf(dots)), class: 'frontier' }),
    ...dots.flatMap(({ look, quality, x: at }) =>
      quality.interval === null
        ? []
        : [
            h('path', {
              d: `M${px(at)} ${px(y.at(quality.interval.low))}V${px(y.at(quality.interval.high))}`,
              class: 'whisker',
              stroke: look.colour,
            }),
          ],
    ),
    ...dots.map((dot) => markerAt(dot.look, dot.x, dot.y, 6)),
    ...labels(dots),
  )
}

/** Faster first; each is better than everything faster. */
export function frontierOf<Each extends Pick<Dot, 'latencyMs' | 'quality'>>(dots: readonly Each[]): Each[] {
  const ordered = dots.toSorted((a, b) => a.latencyMs - b.latencyMs || b.quality.mean - a.quality.mean)
  let best = -Infinity
  return ordered.filter(({ quality }) => {
    if (quality.mean <= best) return false
    best = quality.mean
    return true
  })
}

const frontierPath = (dots: readonly Dot[]): string =>
  dots.map(({ x, y }, index) => (index === 0 ? `M${px(x)} ${px(y)}` : `H${px(x)}V${px(y)}`)).join('') || 'M0 0'

function axes(x: Scale, y: Scale): Markup[] {
  return [
    ...y.ticks.flatMap(({ value, label }) => [
      h('line', { x1: LEFT, x2: RIGHT, y1: px(y.at(value)), y2: px(y.at(value)), class: 'grid' }),
      h('text', { x: LEFT - 8, y: px(y.at(value) + 4), class: 'tick end' }, label),
    ]),
    ...spread(x).flatMap(({ value, label }) => [
      h('line', { x1: px(x.at(value)), x2: px(x.at(value)), y1: BOTTOM, y2: BOTTOM + 4, class: 'axis' }),
      h('text', { x: px(x.at(value)), y: BOTTOM + 18, class: 'tick middle' }, label),
    ]),
    h('line', { x1: LEFT, x2: RIGHT, y1: BOTTOM, y2: BOTTOM, class: 'axis' }),
    h(
      'text',
      { x: px((LEFT + RIGHT) / 2), y: BOTTOM + 38, class: 'tick middle' },
      'median latency (each step multiplies)',
    ),
  ]
}

/** Ticks whose words do not run into each other. */
function spread({ at, ticks }: Scale): Scale['ticks'] {
  let last = -Infinity
  return ticks.filter(({ value }) => {
    if (at(value) - last < 52) return false
    last = at(value)
    return true
  })
}

const placesOf = (dots: readonly Dot[]): number[] =>
  placeLabels(
    dots.map(({ y }) => y),
    15,
    TOP,
    HEIGHT - 20,
  )

function leaders(dots: readonly Dot[]): Markup[] {
  const places = placesOf(dots)
  return dots.map(({ x, y }, index) =>
    h('path', { d: `M${px(x + 8)} ${px(y)}L${RIGHT + 6} ${px(places[index]!)}H${RIGHT + 10}`, class: 'leader' }),
  )
}

function labels(dots: readonly Dot[]): Markup[] {
  const places = placesOf(dots)
  return dots.flatMap(({ model, look }, index) => [
    markerAt(look, RIGHT + 18, places[index]!, 4.5),
    h('text', { x: RIGHT + 28, y: px(places[index]! + 4), class: 'label' }, shorten(model, 24)),
  ])
}
