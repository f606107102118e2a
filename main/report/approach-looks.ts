import type { BaseApproach } from '../../contract/index.ts'

/** Colours of the Okabe–Ito set, one per approach on every surface. */
export const APPROACH_COLOURS: Readonly<Record<BaseApproach, string>> = {
  'vanilla-rag': '#0072B2',
  'hybrid-rag': '#E69F00',
  'contextual-rag': '#009E73',
  'graph-rag': '#CC79A7',
  'agentic-rag': '#D55E00',
  'workflow-adaptive-rag': '#56B4E9',
  'lazy-graph-rag': '#8F7700',
}

export type Shape = 'circle' | 'square' | 'triangle' | 'diamond' | 'wedge' | 'hexagon' | 'cross'

/** One shape per approach, so that colour never stands alone. */
const SHAPES: Readonly<Record<BaseApproach, Shape>> = {
  'vanilla-rag': 'circle',
  'hybrid-rag': 'square',
  'contextual-rag': 'triangle',
  'graph-rag': 'diamond',
  'agentic-rag': 'wedge',
  'workflow-adaptive-rag': 'hexagon',
  'lazy-graph-rag': 'cross',
}

/** Flavors have their approach's hue and shape, a hollow marker and another dash. */
const DASHES = ['6 3', '2 3', '9 3 2 3', '4 2', '1 2']

/** How an alias is drawn in charts. */
export interface Look {
  colour: string
  shape: Shape
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
      colour: APPROACH_COLOURS[base_model],
      shape: SHAPES[base_model],
      hollow: flavor !== null,
      dash: flavor === null ? null : DASHES[place % DASHES.length]!,
    })
  }
  return looks
}
