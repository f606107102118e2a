// How an approach looks wherever it is drawn: pages, charts and reports. Colour and marker are the approach's, and a flavor has a
// hollow marker and a dashed line, so that colour is never the only difference.
import { APPROACHES, type ApproachMarker, BaseApproach } from '../contract/approaches.ts'

export type { ApproachMarker }

export interface Look {
  colour: string
  marker: ApproachMarker
  /** Name without what all approaches share. */
  short: string
  /** A flavor: drawn hollow. */
  flavor: boolean
  /** SVG dash array of its line; null for a whole one. */
  dash: string | null
}

/** An approach without a base, as in a historical snapshot. */
const UNKNOWN = { colour: '#7a8291', marker: 'square' } as const

/** Flavors of one approach, in their order. */
const DASHES = ['6 3', '2 3', '9 3 2 3', '4 2', '1 2']

const BASES = BaseApproach.options.toSorted((a, b) => b.length - a.length)

/** The base of an alias by its name, where the data do not name it. */
const baseOf = (alias: string): BaseApproach | null =>
  BASES.find((base) => alias === base || alias.startsWith(`${base}-`)) ?? null

/** Look of one alias. Among several flavors of an approach, use `looksOf`: it gives each its own dash. */
export function lookOf(alias: string, base: BaseApproach | null = baseOf(alias)): Look {
  if (base === null) return { ...UNKNOWN, short: alias, flavor: false, dash: null }
  const { colour, marker, short } = APPROACHES[base]
  if (alias === base) return { colour, marker, short, flavor: false, dash: null }
  const suffix = alias.startsWith(`${base}-`) ? alias.slice(base.length + 1) : alias
  return { colour, marker, short: `${short} ${suffix}`, flavor: true, dash: DASHES[0]! }
}

/** Looks of all aliases of a chart or report, by alias. */
export function looksOf(aliases: readonly { model: string; base_model?: BaseApproach | null }[]): Map<string, Look> {
  const flavors = new Map<string, number>()
  const looks = new Map<string, Look>()
  for (const { model, base_model: base } of aliases) {
    if (looks.has(model)) continue
    const look = base === undefined || base === null ? lookOf(model) : lookOf(model, base)
    const place = flavors.get(look.marker) ?? 0
    if (look.flavor) flavors.set(look.marker, place + 1)
    looks.set(model, look.flavor ? { ...look, dash: DASHES[place % DASHES.length]! } : look)
  }
  return looks
}

const MARKERS: Record<ApproachMarker, string> = {
  square: 'M-5-5H5V5H-5z',
  circle: 'M0-5.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z',
  diamond: 'M0-6.5 6.5 0 0 6.5-6.5 0z',
  triangle: 'M0-6 6 5H-6z',
  pentagon: 'M0-6 6-1.5 3.7 5.5h-7.4L-6-1.5z',
  cross: 'M-2-6h4v4h4v4H2v4h-4V2h-4v-4h4z',
  hexagon: 'M-3-5.5h6L6 0 3 5.5h-6L-6 0z',
  star: 'M0-6.5 1.6-2h4.6L2.5.8 3.8 5.3 0 2.6-3.8 5.3-2.5.8-6.2-2h4.6z',
  'triangle-down': 'M0 6-6-5H6z',
}

/** A marker as the SVG attributes of a path around the origin, about 12 pixels wide. Where the fill is pale, the outline in the text's colour shows. */
export const markerAttributes = ({ marker, colour, flavor }: Pick<Look, 'marker' | 'colour' | 'flavor'>) =>
  flavor
    ? { d: MARKERS[marker], fill: 'var(--surface)', stroke: colour, 'stroke-width': 2, 'stroke-linejoin': 'round' }
    : { d: MARKERS[marker], fill: colour, stroke: 'var(--text)', 'stroke-width': 0.9, 'stroke-linejoin': 'round' }
