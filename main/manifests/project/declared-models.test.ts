import { expect, it } from 'vitest'
import type { ModelChoice } from '../../../contract/manifests/model-backends.ts'
import type { Experiment } from '../experiment.ts'
import { declaredModels, withSettings } from './declared-models.ts'

const CHAT: ModelChoice = {
  backend: 'openai',
  model: 'm',
  base_url: 'http://user:secret@127.0.0.1:9/v1?key=secret',
  api_key_env: 'KEY',
  timeout_s: 3,
  retries: 2,
  cloud: false,
  concurrency: 2,
  defaults: { max_tokens: 64 },
}
const experimentOf = (light_gen: ModelChoice): Pick<Experiment, 'models'> => ({
  models: { default_set: 'one', sets: { one: { description: '', roles: { light_gen } as never } } },
})
const roleOf = (choice: ModelChoice) => declaredModels(experimentOf(choice), 'one')!.roles['light_gen']

it('a row records the settings that can change an answer, without credentials', () => {
  expect(roleOf(CHAT)).toEqual({
    backend: 'openai',
    model: 'm',
    settings: { base_url: 'http://127.0.0.1:9/v1', cloud: false, defaults: { max_tokens: 64 } },
  })
  expect(roleOf({ ...CHAT, base_url: '${HOST:-http://user:secret@host}/v1' })!.settings).toMatchObject({
    base_url: '${HOST:-http://host}/v1',
  })
  expect(roleOf({ backend: 'builtin', model: 'extractive-answerer' })).toEqual({
    backend: 'builtin',
    model: 'extractive-answerer',
  })
})

it('time limit, attempts, calls at once and the variable of the key change no answer', () => {
  expect(roleOf({ ...CHAT, timeout_s: 60, retries: 0, concurrency: 9, api_key_env: null })).toEqual(roleOf(CHAT))
  for (const changed of [{ base_url: 'http://127.0.0.1:9/v2' }, { defaults: { temperature: 1 } }, { cloud: true }])
    expect(roleOf({ ...CHAT, ...changed })).not.toEqual(roleOf(CHAT))
})

it('two files of one name are two models, and no path is recorded', () => {
  const file = (folder: string): ModelChoice =>
    ({ backend: 'gguf', model: `${folder}/m.gguf`, keep_alive_s: 1, threads: 2, max_new_tokens: 9 }) as ModelChoice
  expect(roleOf(file('/a'))).not.toEqual(roleOf(file('/b')))
  expect(JSON.stringify(roleOf(file('/a')))).not.toContain('/a')
})

it('what the platform reports keeps its names, with the declared settings beside them', () => {
  const resolved = { set: 'one', roles: { light_gen: { backend: 'openai', model: 'resolved' } } }
  expect(withSettings(experimentOf(CHAT), resolved)).toEqual({
    set: 'one',
    roles: { light_gen: { ...roleOf(CHAT), model: 'resolved' } },
  })
})
