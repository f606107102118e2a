import { parameterFields, type ParameterField } from '../../../core/approach-parameters.ts'
import type { AliasView } from '../../../contract/control/experiment.ts'
import type { OwnFlavor } from '../../../contract/manifests/flavors.ts'

/** The alias that an editor starts from; `changes` when it is the flavor itself that is changed. */
export interface FlavorStart {
  from: AliasView
  changes: boolean
}

export type FlavorValues = OwnFlavor['parameters']

/** Returns what the panel shows of an alias as a flavor of its approach. */
export const flavorOf = ({ base, settable }: AliasView): OwnFlavor => ({ base, parameters: settable ?? {} })

/** The values without texts that are empty. */
export const withoutEmpty = (values: FlavorValues): FlavorValues =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => typeof value !== 'string' || value.trim() !== ''))

/** Fields whose value differs from that of the alias. */
export function changedFields({ from }: FlavorStart, values: FlavorValues): ParameterField[] {
  const given = withoutEmpty(values)
  return parameterFields(from.base).filter(
    ({ name }) => JSON.stringify(given[name]) !== JSON.stringify(from.settable?.[name]),
  )
}

/** A name that states what is different: `hybrid-rag-top-n-10`; of a text, only its field. Empty while nothing is. */
export function suggestedName(start: FlavorStart, values: FlavorValues): string {
  const changed = changedFields(start, values)
  if (changed.length === 0) return ''
  const parts = changed.map(({ name, kind }) => {
    const value = values[name]
    const words =
      kind === 'text' || value === undefined || value === null
        ? name
        : `${name}-${JSON.stringify(value).replaceAll('"', '')}`
    return words.replaceAll('_', '-')
  })
  return [start.from.alias, ...parts].join('-').slice(0, 60)
}
