import { APPROACH_MARKS, type ApproachMarker, type BaseApproach } from '../../contract/index.ts'

/** Flavors have their approach's hue and shape, a hollow marker and another dash. */
const DASHES = ['6 3', '2 3', '9 3 2 3', '4 2', '1 2']

/** How an alias is drawn in charts. */
export interface Look {
  colour: string
  shape: ApproachMarker
  hollow: boolean
  /** SVG dash array; null for a whole line. */
  dash: string | null
}

interface Named {
  model: string
  base_model: BaseApproach
  flavor: string | null
}

/** Looks of all aliases of a report, by alias; flavors of one approach are told apart by their order. */
export function looksOf(aliases: readonly Named[]): Map<string, Look> {
  const flavors = new Map<string, number>()
  const looks = new Map<string, Look>()
  for (const { model, base_model, flavor } of aliases) {
    if (looks.has(model)) continue
    const place = flavors.get(base_model) ?? 0
    if (flavor !== null) flavors.set(base_model, place + 1)
    looks.set(model, {
      colour: APPROACH_MARKS[base_model].colour,
      shape: APPROACH_MARKS[base_model].marker,
      hollow: flavor !== null,
      dash: flavor === null ? null : DASHES[place % DASHES.length]!,
    })
  }
  return looks
}
