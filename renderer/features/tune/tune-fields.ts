import { approachDescriptor } from '../../../contract/approaches.ts'
import type { AliasView } from '../../../contract/control/experiment.ts'
import { CHUNK_PARAMETERS, DECIDED_BY_BUDGET } from '../../../contract/evidence/tuning.ts'
import { parameterFields } from '../../../core/approach-parameters.ts'
import { TUNE_WORDS as WORDS } from './tune-words.ts'

/** A parameter that can be tuned, with values to begin with. */
export interface TunableField {
  name: string
  label: string
  suggestion: string
}

const around = (value: unknown, least: number): string => {
  const middle = typeof value === 'number' ? value : 20
  return [Math.max(least, Math.round(middle / 2)), middle, middle * 2].join(',')
}

/** Lists what an alias tunes without files: no texts, nothing that the context budget decides, and chunks where no graph is made of them. */
export function tunableFields({ base, settable, parameters }: AliasView): TunableField[] {
  if (base === 'own-approach') {
    const { settings = {}, k } = parameters as { settings?: Record<string, unknown>; k?: unknown }
    const own = Object.entries(settings).map(([name, value]) => ({
      name,
      label: name,
      suggestion: typeof value === 'boolean' ? 'true,false' : JSON.stringify(value),
    }))
    return typeof k === 'number' ? [...own, { name: 'k', label: 'k', suggestion: around(k, 1) }] : own
  }
  const fields = parameterFields(base).flatMap(({ name, label, kind, options }) => {
    if (kind === 'text' || DECIDED_BY_BUDGET.includes(name)) return []
    const suggestion =
      kind === 'share'
        ? '0:1:0.25'
        : kind === 'switch'
          ? 'true,false'
          : kind === 'choice'
            ? options.join(',')
            : around(settable?.[name], 1)
    return [{ name, label, suggestion }]
  })
  if (approachDescriptor(base).usesGraph === true) return fields
  return [
    ...fields,
    ...CHUNK_PARAMETERS.map((name) => ({
      name,
      label: WORDS.chunk[name],
      suggestion: name === 'overlap' ? '50,100' : '400,800',
    })),
  ]
}
