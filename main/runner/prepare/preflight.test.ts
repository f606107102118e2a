import { afterEach, expect, it } from 'vitest'
import { messageOf } from '../../../core/json.ts'
import { loadExperiment } from '../../manifests/experiment.ts'
import { nameButtonsInRemedies } from '../../evidence/typed-command.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { languageModelProblems } from './language-models.ts'
import { checkAliases, preflightEvaluator } from './preflight.ts'

const { aliases, models } = await loadExperiment(PROJECT_ROOT)
const vanilla = [...aliases.values()].filter(({ alias }) => alias === 'vanilla-rag')
const hyde = [...aliases.values()].filter(({ alias }) => alias === 'hyde-rag')
const empty = { models: async () => ({ object: 'list' as const, data: [] }) }

/** Every problem of a run whose gateway lists nothing, whose evaluator is not there, and whose set is of rules. */
async function problems(): Promise<string> {
  const failed = (call: Promise<void>): Promise<string> => call.then(String, messageOf)
  return [
    await failed(checkAliases(empty, vanilla, 'to_come')),
    await failed(
      preflightEvaluator({ url: 'http://127.0.0.1:9/evaluate', apiKey: null }, 'KEY', AbortSignal.timeout(5000)),
    ),
    ...languageModelProblems(hyde, models.sets['builtin']!, 'builtin'),
  ].join('\n')
}

afterEach(() => nameButtonsInRemedies(false))

it('names options where a person reads it in a terminal, and none in the panel', async () => {
  const option = / --?[a-z]|\(--/
  expect((await problems()).match(new RegExp(option, 'g'))).toHaveLength(4)
  nameButtonsInRemedies()
  const shown = await problems()
  expect(shown).not.toMatch(option)
  expect(shown).toContain('the gateway does not list vanilla-rag')
  expect(shown).toContain('start it, or correct the address of the evaluator, or run without evaluation')
})
