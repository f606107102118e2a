import type { Aggregate } from '../../../contract/index.ts'
import type { Look } from '../approach-looks.ts'
import type { ComparedName } from '../comparison-access.ts'
import { nameWords } from '../comparison-words.ts'
import { aliasesOf, isThin, rungFigure, type RungFigure } from '../leaderboard.ts'
import { oneLine } from '../sanitize-for-terminal.ts'
import { shorten, wrap } from '../terminal-text.ts'
import { h, type Markup } from './markup.ts'
import { markerAt, px } from './marker.ts'
import { placeLabels } from './place-labels.ts'
import { scaleOf, type Scale } from './scale.ts'

const WIDTH = 600
const HEIGHT = 310
const LEFT = 56
const RIGHT = 404
const TOP = 10
const BOTTOM = 250
const LABEL_GAP = 15
/** Between the approaches of one rung, so that their intervals stand side by side. */
const DODGE = 7
const PIXELS_PER_CHARACTER = 7

interface Point extends RungFigure {
  x: number
  /** Scored on too few cells to be joined with its neighbours. */
  thin: boolean
}

interface Series {
  model: string
  look: Look
  points: (Point | null)[]
}

/** One metric from rung to rung: a line per approach, whiskers for the 95 % intervals. */
export function ladderCurve(
  aggregates: readonly Aggregate[],
  name: ComparedName,
  looks: ReadonlyMap<string, Look>,
): Markup {
  const models = aliasesOf(aggregates).map(({ model }) => model)
  const rungX = placesOf(aggregates.length)
  const series = models
    .map((model, index): Series => {
      const shift =
        (index - (models.length - 1) / 2) * Math.min(DODGE, (RIGHT - LEFT) / aggregates.length / models.length / 1.6)
      const points = aggregates.map((aggregate, rung): Point | null => {
        const figure = rungFigure(aggregate, name, model)
        return figure === null ? null : { ...figure, x: rungX[rung]! + shift, thin: isThin(aggregate, name, figure) }
      })
      return { model, look: looks.get(model)!, points }
    })
    .filter(({ points }) => points.some((point) => point !== null))
  const values = series.flatMap(({ points }) =>
    points.flatMap((point) => (point === null ? [] : [point.mean, ...boundsOf(point)])),
  )
  const scale = scaleOf(name, values, BOTTOM, TOP)
  const id = `curve-${name}`
  return h(
    'svg',
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-labelledby': `${id}-t ${id}-d` },
    h('title', { id: `${id}-t` }, `${nameWords(name)} up the ladder`),
    h(
      'desc',
      { id: `${id}-d` },
      'A line per approach from rung to rung with 95 % intervals; the same figures stand in the table of this metric under Where the approaches stand.',
    ),
    gridLines(scale),
    ...aggregates.map((aggregate, rung) => rungLabel(aggregate, rungX[rung]!, aggregates.length)),
    ...leaders(series, scale),
    ...series.map((each) => whiskers(each, scale)),
    ...series.map((each) => line(each, scale)),
    ...series.flatMap(({ look, points }) =>
      points.flatMap((point) => (point === null ? [] : [pointMark(look, point, scale.at(point.mean))])),
    ),
    ...endLabels(series, scale),
  )
}

/** A thin point is pale and tells its count: it is the mean of other questions than the points around it. */
const pointMark = (look: Look, { x, thin, n, expected }: Point, y: number): Markup =>
  thin
    ? h(
        'g',
        { class: 'thin' },
        markerAt(look, x, y),
        h('text', { x: px(x + 9), y: px(y + 4), class: 'tick' }, `${n}/${expected}`),
      )
    : markerAt(look, x, y)

const boundsOf = ({ interval }: RungFigure): number[] => (interval === null ? [] : [interval.low, interval.high])

function placesOf(count: number): number[] {
  const step = (RIGHT - LEFT) / count
  return Array.from({ length: count }, (_, index) => LEFT + step * (index + 0.5))
}

/** Lines across the chart with their values. */
const gridLines = (scale: Scale): Markup[] =>
  scale.ticks.flatMap(({ value, label }) => {
    const y = px(scale.at(value))
    return [
      h('line', { x1: LEFT, x2: RIGHT, y1: y, y2: y, class: 'grid' }),
      h('text', { x: LEFT - 8, y: px(scale.at(value) + 4), class: 'tick end' }, label),
    ]
  })

function rungLabel({ dataset }: Aggregate, x: number, count: number): Markup {
  const room = Math.floor((RIGHT - LEFT) / count / PIXELS_PER_CHARACTER)
  const [first = '', ...rest] = wrap(oneLine(dataset.label), room)
  const lines = [`rung ${dataset.complexity_level}`, first, shorten(rest.join(' '), room)]
  return h(
    'g',
    {},
    lines.map((text, index) =>
      h('text', { x: px(x), y: BOTTOM + 20 + 16 * index, class: index === 0 ? 'tick middle' : 'middle' }, text),
    ),
  )
}

function whiskers({ look, points }: Series, scale: Scale): Markup {
  const bars = points.flatMap((point) => {
    if (point === null || point.interval === null) return []
    const [low, high] = [scale.at(point.interval.low), scale.at(point.interval.high)]
    return [`M${px(point.x)} ${px(low)}V${px(high)}M${px(point.x - 3)} ${px(low)}h6M${px(point.x - 3)} ${px(high)}h6`]
  })
  return h('path', { d: bars.join('') || 'M0 0', class: 'whisker', stroke: look.colour })
}

/** Joined only between neighbouring rungs that both have a score worth comparing: a gap stays a gap. */
function line({ look, points }: Series, scale: Scale): Markup {
  const parts = points.flatMap((point, rung) => {
    const next = points[rung + 1]
    if (point === null || next === undefined || next === null || point.thin || next.thin) return []
    return [`M${px(point.x)} ${px(scale.at(point.mean))}L${px(next.x)} ${px(scale.at(next.mean))}`]
  })
  return h('path', { d: parts.join('') || 'M0 0', class: 'series', stroke: look.colour, 'stroke-dasharray': look.dash })
}

/** The last point of each series, and how high its name stands beside the chart. */
function endsOf(series: readonly Series[], scale: Scale): { end: Point; y: number }[] {
  const ends = series.map(({ points }) => points.findLast((point) => point !== null)!)
  const wishes = ends.map(({ mean }) => scale.at(mean))
  const places = placeLabels(wishes, LABEL_GAP, TOP, BOTTOM + 40)
  return ends.map((end, index) => ({ end, y: places[index]! }))
}

const leaders = (series: readonly Series[], scale: Scale): Markup[] =>
  endsOf(series, scale).map(({ end, y }) =>
    h('path', { d: `M${px(end.x + 7)} ${px(scale.at(end.mean))}L${RIGHT + 4} ${px(y)}H${RIGHT + 8}`, class: 'leader' }),
  )

const endLabels = (series: readonly Series[], scale: Scale): Markup[] =>
  endsOf(series, scale).flatMap(({ y }, index) => {
    const { model, look } = series[index]!
    return [
      markerAt(look, RIGHT + 16, y, 4.5),
      h('text', { x: RIGHT + 26, y: px(y + 4), class: 'label' }, shorten(model, 24)),
    ]
  })
