import { approachDescriptor } from '../../../contract/approaches.ts'
import type { Alias } from '../../../contract/manifests/aliases.ts'
import { isRuleBased } from '../../../contract/manifests/model-backends.ts'
import { ModelRole, type ModelSet } from '../../../contract/manifests/models.ts'
import { remedyFor } from '../../evidence/typed-command.ts'

/**
 * One sentence for each alias that searches by what a language model writes, where the set of an embedded platform has rules for that work: their answers
 * would be those of another approach, or none. `set` is null for a platform elsewhere, which refuses by itself.
 */
export function languageModelProblems(aliases: readonly Alias[], set: ModelSet | null, name: string): string[] {
  if (set === null) return []
  return aliases.flatMap(({ alias, base }) => {
    const roles = (approachDescriptor(base).languageModels ?? []).map((role) => ModelRole.parse(role))
    const ruled = roles.filter((role) => isRuleBased(set.roles[role].backend))
    return ruled.length === 0
      ? []
      : [
          `${alias} needs a language model for ${ruled.join(' and ')}, and the model set ${name} has built-in rules there, which write nothing that no passage holds: choose another set${remedyFor({ panel: '', commandLine: ' (--model-set)' })}, or leave ${alias} out`,
        ]
  })
}
