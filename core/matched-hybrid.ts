import { BASELINE } from '../contract/approaches.ts'
import { ContextTokens } from '../contract/evidence/context-budget.ts'
import type { Alias } from '../contract/manifests/aliases.ts'

// A baseline of a run and no alias of the manifests: the hybrid with as much text as another approach hands over as it is declared. Its amount is in
// its name, so that a run that names it is the same whenever it is resumed.

const NAME = new RegExp(`^${BASELINE}-at-(\\d{3,6})$`)

/** Name of the hybrid that hands over this many tokens. */
export const matchedHybridName = (tokens: number): string => `${BASELINE}-at-${Math.round(tokens)}`

/** The hybrid of a name such as `hybrid-rag-at-2400`, called as the hybrid with that budget; null for any other name. */
export function matchedHybrid(aliases: ReadonlyMap<string, Alias>, name: string): Alias | null {
  const hybrid = aliases.get(BASELINE)
  const tokens = ContextTokens.safeParse(Number(NAME.exec(name)?.[1]))
  if (hybrid === undefined || !tokens.success) return null
  return {
    ...hybrid,
    alias: name,
    flavor: { ...hybrid.flavor, alias: name, flavor: `at-${tokens.data}` },
    calls: { alias: BASELINE, contextBudget: tokens.data },
  }
}

/** The alias that the gateway is asked for. */
export const calledAlias = ({ alias, calls }: Alias): string => calls?.alias ?? alias
