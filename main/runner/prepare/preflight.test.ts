import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { RunRequest } from '../../../contract/control/run-job.ts'
import { messageOf } from '../../../core/json.ts'
import { loadExperiment } from '../../manifests/experiment.ts'
import { readRunnerInputs } from '../../manifests/runner-inputs.ts'
import { nameButtonsInRemedies } from '../../evidence/typed-command.ts'
import { json, startFaultServer } from '../../../tests/helpers/fault-server.ts'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { languageModelProblems } from './language-models.ts'
import { checkAliases, preflight, preflightEvaluator } from './preflight.ts'
import { prepareRun } from './prepare-run.ts'

const experiment = await loadExperiment(PROJECT_ROOT)
const { aliases, models } = experiment
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

it('a service that refuses its credential is given another one where the person reads it', async () => {
  const server = await startFaultServer()
  onTestFinished(() => server.close())
  const ask = async (): Promise<string> => {
    server.script(json({ detail: 'no' }, 401))
    const call = preflightEvaluator(
      { url: server.url, apiKey: 'k' },
      'MATRIX_EVALUATOR_API_KEY',
      AbortSignal.timeout(5000),
    )
    return call.then(String, messageOf)
  }
  expect(await ask()).toMatch(/does not accept the credential; set MATRIX_EVALUATOR_API_KEY$/)
  nameButtonsInRemedies()
  expect(await ask()).toMatch(/; enter its token under Settings, or set MATRIX_EVALUATOR_API_KEY$/)
})

it('a run that cannot be prepared is corrected on a page where a person reads it in the panel', async () => {
  const prepare = async (): Promise<string> => {
    const place = { experiment, inputs: { ...readRunnerInputs({}), platformUrl: 'http://127.0.0.1:9' }, resultsDir: '' }
    const request = { model_set: 'openai', budget: 1, cold_reset: false, publish: false }
    const prepared = await prepareRun(RunRequest.parse(request), place)
    return prepared.ok ? '' : prepared.problems.map(({ message }) => message).join('\n')
  }
  expect(await prepare()).toMatch(/rag-ladder models price .*, or the page Models\n.*--gateway/)
  nameButtonsInRemedies()
  expect(await prepare()).toMatch(/^no price for .*: set one on the page Models\n.*enter its address under Settings$/)
})

describe('a set that a person added', () => {
  const asked = async (baseUrl: string) => {
    const set = models.sets['builtin']!
    const light_gen = { ...models.sets['ollama']!.roles.light_gen, base_url: baseUrl, api_key_env: null }
    const sets = { ...models.sets, mine: { ...set, roles: { ...set.roles, light_gen } } }
    const stop = AbortSignal.timeout(5000)
    const run = {
      platform: { kind: 'embedded', modelSet: 'mine', env: {} },
      experiment: { ...experiment, models: { ...models, sets }, ownModelSets: ['mine'] },
      dataset: experiment.datasets[0]!,
      evaluator: null,
      metrics: [],
      judgePanel: { enabled: false, models: [] },
      drain: stop,
      abort: stop,
    }
    return preflight(run as never, { ingestion: false, judges: false }).then(String, messageOf)
  }

  it('is corrected in the file that holds it, not in that of the project', async () => {
    expect(await asked('http://127.0.0.1:9')).toContain('correct sets.mine in .rag-ladder/models.yaml')
    expect(await asked('ftp://127.0.0.1')).toContain('.rag-ladder/models.yaml: sets.mine.roles.light_gen: base_url')
  })

  it('is listed with the file that holds it where a run names a set that does not exist', async () => {
    const place = {
      experiment: { ...experiment, ownModelSets: ['local-small'] },
      inputs: readRunnerInputs({}),
      resultsDir: PROJECT_ROOT,
    }
    const request = RunRequest.parse({ model_set: 'nope', cold_reset: false, publish: false })
    const prepared = await prepareRun(request, place)
    const problems = prepared.ok ? [] : prepared.problems.map(({ message }) => message)
    expect(problems).toEqual([
      expect.stringMatching(
        /^there is no model set nope; manifests\/models.yaml has builtin, .*; .rag-ladder\/models.yaml has local-small$/,
      ),
    ])
    expect(problems[0]!.match(/local-small/g)).toHaveLength(1)
  })
})
