import { BaseApproach } from '../../contract/common.ts'

/** Marker of an approach: never colour alone. */
export type Marker = 'square' | 'circle' | 'diamond' | 'triangle' | 'pentagon' | 'cross' | 'hexagon'

/** How an approach looks on every page. The colours are Okabe and Ito's, which hold for colour-blind eyes; yellow is darkened. */
export interface ApproachLook {
  colour: string
  marker: Marker
  short: string
}

const LOOKS: Record<BaseApproach, ApproachLook> = {
  'vanilla-rag': { colour: '#0072B2', marker: 'square', short: 'vanilla' },
  'hybrid-rag': { colour: '#E69F00', marker: 'circle', short: 'hybrid' },
  'contextual-rag': { colour: '#009E73', marker: 'diamond', short: 'contextual' },
  'graph-rag': { colour: '#CC79A7', marker: 'triangle', short: 'graph' },
  'agentic-rag': { colour: '#D55E00', marker: 'pentagon', short: 'agentic' },
  'workflow-adaptive-rag': { colour: '#56B4E9', marker: 'cross', short: 'adaptive' },
  'lazy-graph-rag': { colour: '#8F7700', marker: 'hexagon', short: 'lazy-graph' },
}

/** For an approach that nobody declared, such as in a historical snapshot. */
const UNKNOWN: ApproachLook = { colour: '#7a8291', marker: 'square', short: '' }

const BASES = BaseApproach.options.toSorted((a, b) => b.length - a.length)

/** The base of an alias by its name, where no answer says it. */
export function baseOf(alias: string): BaseApproach | null {
  return BASES.find((base) => alias === base || alias.startsWith(`${base}-`)) ?? null
}

/** Look of an alias; a flavor has its base's hue and `flavor` true. */
export function lookOf(alias: string, base: BaseApproach | null = baseOf(alias)): ApproachLook & { flavor: boolean } {
  const look = base === null ? { ...UNKNOWN, short: alias } : LOOKS[base]
  if (base === null || alias === base) return { ...look, flavor: false }
  const suffix = alias.startsWith(`${base}-`) ? alias.slice(base.length + 1) : alias
  return { ...look, short: `${look.short} ${suffix}`, flavor: true }
}
