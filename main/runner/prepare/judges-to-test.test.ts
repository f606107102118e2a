import { expect, it } from 'vitest'
import { MODEL_BACKENDS, type ModelChoice } from '../../../contract/manifests/model-backends.ts'
import { ModelRole } from '../../../contract/manifests/models.ts'
import { judgesToTest } from './judges-to-test.ts'

const at = (model: string): ModelChoice =>
  MODEL_BACKENDS.openai.settings.parse({ backend: 'openai', model, base_url: 'http://127.0.0.1:8080/v1' })
const rules: ModelChoice = { backend: 'builtin', model: 'rule-agent' }
const roles = Object.fromEntries(
  ModelRole.options.map((role) => [role, role === 'agentic' ? rules : at(role === 'evaluator' ? 'large' : 'small')]),
) as Record<ModelRole, ModelChoice>
const tested = (models: string[], endpoint = 'platform-gateway', apiKey: string | null = null) =>
  judgesToTest({ models, endpoint, apiKey }, { name: 'lab', roles })

it('a judge behind the gateway of the platform is a model of the set, by name or by role', () => {
  expect(tested(['large', 'light_gen', 'builtin-lexical-support'])).toEqual([
    { name: 'large', choice: roles.evaluator },
    { name: 'light_gen', choice: roles.light_gen },
  ])
})

it('a name that the set does not have, and one that answers by rules, is a problem that names what there is', () => {
  expect(tested(['other', 'rule-agent'])).toEqual([
    { name: 'other', problem: expect.stringContaining('Name one of small, rule-agent, large') },
    { name: 'rule-agent', problem: expect.stringContaining('answers by rules') },
  ])
})

it('a judge at an endpoint is asked there with the key for judges', () => {
  const base_url = 'https://judges.example/v1'
  const choice = { backend: 'openai', model: 'large', base_url, api_key_env: 'JUDGE_API_KEY' }
  for (const endpoint of ['https://judges.example', base_url, `${base_url}/chat/completions`])
    expect(tested(['large'], endpoint, 'k')).toEqual([{ name: 'large', choice: expect.objectContaining(choice) }])
  expect(tested(['large'], 'https://judges.example/openai?api-version=1')).toEqual([
    { name: 'large', problem: expect.stringContaining('query') },
  ])
})
