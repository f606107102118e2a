import { expect, it } from 'vitest'
import { loadExperiment } from '../../manifests/experiment.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { languageModelProblems } from './language-models.ts'

const experiment = await loadExperiment(PROJECT_ROOT)
const aliases = [...experiment.aliases.values()].filter(({ alias }) => ['vanilla-rag', 'hyde-rag'].includes(alias))
const setNamed = (name: string) => experiment.models.sets[name]!

it('an approach that searches by what a model writes is refused with rules, and names the role, the set and what to do', () => {
  expect(languageModelProblems(aliases, setNamed('builtin'), 'builtin')).toEqual([
    'hyde-rag needs a language model for light_gen, and the model set builtin has built-in rules there, which write nothing that no passage holds: choose another set (--model-set), or leave hyde-rag out',
  ])
})

it('a language model for its role is enough, whatever the others are; a platform elsewhere decides itself', () => {
  expect(languageModelProblems(aliases, setNamed('ollama'), 'ollama')).toEqual([])
  const mixed = {
    ...setNamed('builtin'),
    roles: { ...setNamed('builtin').roles, light_gen: setNamed('ollama').roles.light_gen },
  }
  expect(languageModelProblems(aliases, mixed, 'mixed')).toEqual([])
  expect(languageModelProblems(aliases, null, 'elsewhere')).toEqual([])
})
