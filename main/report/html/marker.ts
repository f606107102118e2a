import type { ApproachMarker } from '../../../contract/index.ts'
import type { Look } from '../approach-looks.ts'
import { h, type Markup } from './markup.ts'

/** SVG coordinates, two decimals at most: the same bytes on every machine. */
export const px = (value: number): string => String(Math.round(value * 100) / 100 + 0)

const polygon = (points: readonly (readonly [number, number])[]): string =>
  `M${points.map(([x, y]) => `${px(x)} ${px(y)}`).join('L')}Z`

const PATHS: Readonly<Record<ApproachMarker, (x: number, y: number, r: number) => string>> = {
  circle: (x, y, r) =>
    `M${px(x - r)} ${px(y)}a${px(r)} ${px(r)} 0 1 0 ${px(2 * r)} 0a${px(r)} ${px(r)} 0 1 0 ${px(-2 * r)} 0Z`,
  square: (x, y, r) => polygon(corners(x, y, r * 0.9)),
  triangle: (x, y, r) =>
    polygon([
      [x, y - r * 1.15],
      [x + r * 1.1, y + r * 0.85],
      [x - r * 1.1, y + r * 0.85],
    ]),
  pentagon: (x, y, r) => polygon(PENTAGON.map(([dx, dy]) => [x + dx * r * 1.15, y + dy * r * 1.15])),
  diamond: (x, y, r) =>
    polygon([
      [x, y - r * 1.25],
      [x + r * 1.25, y],
      [x, y + r * 1.25],
      [x - r * 1.25, y],
    ]),
  hexagon: (x, y, r) =>
    polygon([0, 1, 2, 3, 4, 5].map((side) => [x + r * 1.1 * HEXAGON[side]![0], y + r * 1.1 * HEXAGON[side]![1]])),
  cross: (x, y, r) => polygon(CROSS.map(([dx, dy]) => [x + dx * r * 1.1, y + dy * r * 1.1])),
}

const HEXAGON = [
  [1, 0],
  [0.5, 0.866],
  [-0.5, 0.866],
  [-1, 0],
  [-0.5, -0.866],
  [0.5, -0.866],
] as const
const PENTAGON = [
  [0, -1],
  [0.951, -0.309],
  [0.588, 0.809],
  [-0.588, 0.809],
  [-0.951, -0.309],
] as const
const CROSS = [
  [-0.4, -1],
  [0.4, -1],
  [0.4, -0.4],
  [1, -0.4],
  [1, 0.4],
  [0.4, 0.4],
  [0.4, 1],
  [-0.4, 1],
  [-0.4, 0.4],
  [-1, 0.4],
  [-1, -0.4],
  [-0.4, -0.4],
] as const

const corners = (x: number, y: number, r: number) =>
  [
    [x - r, y - r],
    [x + r, y - r],
    [x + r, y + r],
    [x - r, y + r],
  ] as const

/** An approach's marker at a point of a chart; its outline has the text's colour, which stands out where the fill does not. */
export const markerAt = (look: Look, x: number, y: number, r = 5): Markup =>
  h('path', {
    d: PATHS[look.shape](x, y, r),
    class: look.hollow ? 'marker hollow' : 'marker solid',
    fill: look.hollow ? 'none' : look.colour,
    stroke: look.hollow ? look.colour : null,
  })

/** The marker alone, to stand beside a name. */
export const markerIcon = (look: Look): Markup =>
  h(
    'svg',
    { class: 'icon', viewBox: '0 0 16 16', width: 14, height: 14, 'aria-hidden': 'true' },
    markerAt(look, 8, 8, 5.5),
  )
