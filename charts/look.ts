// An approach looks the same wherever it is drawn: pages, charts and reports. Colour and marker are the approach's. A flavor has a hollow marker
// with a sign in it and a dashed line, both chosen by its name alone: page and report show the same, whatever else they show. Decision 080.
import { APPROACHES, type ApproachMarker, BaseApproach, KEYWORD_BASELINE } from '../contract/approaches.ts'

export type { ApproachMarker }

export interface Look {
  colour: string
  marker: ApproachMarker
  /** Name without what all approaches share. */
  short: string
  /** Sign of a flavor, drawn in a hollow marker; null for the approach itself, whose marker is filled. */
  sign: FlavorSign | null
  /** SVG dash array of its line; null for a whole one. */
  dash: string | null
}

/** An approach without a base, as in a historical snapshot. */
const UNKNOWN = { colour: '#7a8291', marker: 'square' } as const

/** Tells the keyword baseline from the approach that it is served by, also where a bar has no marker. */
const BASELINE_COLOUR = '#A3A9B4'

/** These distinguish the flavors of one approach: the SVG path within the marker, and the dash array of the line. */
const FLAVOR_SIGNS = {
  empty: { path: null, dash: '6 3' },
  dot: { path: 'M0-1.6a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2z', dash: '2 3' },
  plus: { path: 'M-3 0H3M0-3V3', dash: '9 3 2 3' },
  bar: { path: 'M-3.4 0H3.4', dash: '12 4' },
  upright: { path: 'M0-3.4V3.4', dash: '4 2 1 2' },
  cross: { path: 'M-2.4-2.4 2.4 2.4M2.4-2.4-2.4 2.4', dash: '1 2' },
} as const
type FlavorSign = keyof typeof FLAVOR_SIGNS
const SIGNS = Object.keys(FLAVOR_SIGNS) as FlavorSign[]

/** The multiplier separates the flavors that the project declares; a test asserts it. */
const placeOf = (flavor: string): number =>
  Array.from(flavor).reduce((sum, letter) => (sum * 7 + letter.codePointAt(0)!) % 9973, 0) % SIGNS.length

const withSign = (look: Look, sign: FlavorSign): Look => ({ ...look, sign, dash: FLAVOR_SIGNS[sign].dash })

const BASES = BaseApproach.options.toSorted((a, b) => b.length - a.length)

/** The base of an alias by its name, where the data do not name it. */
const baseOf = (alias: string): BaseApproach | null =>
  BASES.find((base) => alias === base || alias.startsWith(`${base}-`)) ?? null

/** Look of one alias. Two flavors that a person declared may have the same sign: `looksOf` tells them apart. */
export function lookOf(alias: string, base: BaseApproach | null = baseOf(alias)): Look {
  if (base === null) return { ...UNKNOWN, short: alias, sign: null, dash: null }
  const { marker, short } = APPROACHES[base]
  const colour = alias === KEYWORD_BASELINE ? BASELINE_COLOUR : APPROACHES[base].colour
  if (alias === base) return { colour, marker, short, sign: null, dash: null }
  const flavor = alias.startsWith(`${base}-`) ? alias.slice(base.length + 1) : alias
  const name = alias === KEYWORD_BASELINE ? alias : `${short} ${flavor}`
  return withSign({ colour, marker, short: name, sign: null, dash: null }, SIGNS[placeOf(flavor)]!)
}

/** Looks of all aliases of a chart or report, by alias. Of two flavors with the same sign, the later by name has the next free one. */
export function looksOf(aliases: readonly { model: string; base_model?: BaseApproach | null }[]): Map<string, Look> {
  const looks = new Map(aliases.map(({ model, base_model: base }) => [model, lookOf(model, base ?? undefined)]))
  const taken = new Set<string>()
  for (const model of [...looks.keys()].sort()) {
    const look = looks.get(model)!
    if (look.sign === null) continue
    const first = SIGNS.indexOf(look.sign)
    const free = SIGNS.map((_, step) => SIGNS[(first + step) % SIGNS.length]!).find(
      (sign) => !taken.has(`${look.marker} ${sign}`),
    )
    if (free === undefined) continue
    taken.add(`${look.marker} ${free}`)
    looks.set(model, withSign(look, free))
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
  bar: 'M-6.5-2.5h13v5h-13z',
  hourglass: 'M-5.5-5.5h11L1.5 0l4 5.5h-11l4-5.5z',
  chevron: 'M-6-5.5h6L6 0 0 5.5h-6L0 0z',
  stairs: 'M-6 6v-4h4v-4h4v-4h4V6z',
}

interface MarkerPath {
  d: string
  fill: string
  stroke: string
  width: number
}

/** A marker as SVG paths around the origin, about 12 pixels wide. Where the fill is pale, the outline in the text's colour shows. */
export function markerPaths({ marker, colour, sign }: Pick<Look, 'marker' | 'colour' | 'sign'>): MarkerPath[] {
  const d = MARKERS[marker]
  if (sign === null) return [{ d, fill: colour, stroke: 'var(--text)', width: 0.9 }]
  const { path } = FLAVOR_SIGNS[sign]
  const outline = { d, fill: 'var(--surface)', stroke: colour, width: 2 }
  return path === null ? [outline] : [outline, { d: path, fill: colour, stroke: 'var(--text)', width: 1.3 }]
}
