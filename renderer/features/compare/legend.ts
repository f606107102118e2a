import { lookOf } from '../../components/approach-colours.ts'
import type { LegendEntry } from '../../components/chart-picture.ts'

/** Legend entries of aliases, in their order. */
export const legendOf = (aliases: readonly string[]): LegendEntry[] =>
  [...new Set(aliases)].map((alias) => {
    const { short, colour, marker, flavor } = lookOf(alias)
    return { label: short, colour, marker, hollow: flavor }
  })
