import { expect, it } from 'vitest'
import { loadExperiment } from './experiment.ts'
import { aliasProblems, selectAliases } from './selection.ts'
import { rowApproach } from '../runner/cells/ladder-cells.ts'
import { PROJECT_ROOT } from '../../tests/helpers/project-root.ts'
import { calledAlias, matchedHybridName } from '../../core/matched-hybrid.ts'

const experiment = await loadExperiment(PROJECT_ROOT)

it('a run can name a hybrid with the amount of text of another approach; it is no alias of the manifests', () => {
  const name = matchedHybridName(2400.4)
  expect(name).toBe('hybrid-rag-at-2400')
  expect([...experiment.aliases.keys()]).not.toContain(name)
  const [, matched] = selectAliases(experiment, ['agentic-rag', name], null)
  expect(calledAlias(matched!)).toBe('hybrid-rag')
  expect(matched!.calls).toEqual({ alias: 'hybrid-rag', contextBudget: 2400 })
  expect(rowApproach(matched!, 'embedded')).toMatchObject({
    model: name,
    base_model: 'hybrid-rag',
    flavor: 'at-2400',
    parameters: { ...experiment.aliases.get('hybrid-rag')!.flavor.parameters, context_budget: 2400 },
  })
})

it.each(['hybrid-rag-at-0', 'hybrid-rag-at-99', 'hybrid-rag-at-999999', 'hybrid-rag-at-', 'vanilla-rag-at-2400'])(
  '%s is refused as an unknown alias',
  (name) => {
    expect(aliasProblems(experiment, [name], null)).toHaveLength(1)
  },
)
