import { APPROACH_MARKS, type ApproachMarker } from '../../contract/approach-marks.ts'
import { BaseApproach } from '../../contract/common.ts'

export type Marker = ApproachMarker

/** How an approach looks on every page: marked as in reports. */
export interface ApproachLook {
  colour: string
  marker: Marker
  short: string
}

const SHORT: Record<BaseApproach, string> = {
  'vanilla-rag': 'vanilla',
  'hybrid-rag': 'hybrid',
  'contextual-rag': 'contextual',
  'graph-rag': 'graph',
  'agentic-rag': 'agentic',
  'workflow-adaptive-rag': 'adaptive',
  'lazy-graph-rag': 'lazy-graph',
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
  const look = base === null ? { ...UNKNOWN, short: alias } : { ...APPROACH_MARKS[base], short: SHORT[base] }
  if (base === null || alias === base) return { ...look, flavor: false }
  const suffix = alias.startsWith(`${base}-`) ? alias.slice(base.length + 1) : alias
  return { ...look, short: `${look.short} ${suffix}`, flavor: true }
}
