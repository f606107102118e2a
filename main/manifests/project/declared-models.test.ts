import { expect, it } from 'vitest'
import type { ModelChoice } from '../../../contract/manifests/model-backends.ts'
import type { Experiment } from '../experiment.ts'
import { areSameModels } from '../../evidence/rows/conditions.ts'
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

it('an address or a path that a variable completes is recorded by a digest of its value, without credentials', () => {
  const at = (base_url: string, env = {}) =>
    declaredModels(experimentOf({ ...CHAT, base_url }), 'one', env)!.roles['light_gen']!.settings
  const variable = '${HOST:-http://host}/v1'
  const digest = at(variable)!['resolved_digest']
  expect(digest).toMatch(/^[0-9a-f]{16}$/)
  expect(at(variable, { HOST: 'http://user:secret@host' })).toEqual(at(variable))
  expect(at(variable, { HOST: 'http://other' })!['resolved_digest']).not.toBe(digest)
  expect(at(variable, { KEY: 'secret' })).toEqual(at(variable))
  expect(at('http://host/v1')).not.toHaveProperty('resolved_digest')
  // Its value is unknown here.
  expect(at('${HOST}/v1')).not.toHaveProperty('resolved_digest')
  expect(declaredModels(experimentOf({ ...CHAT, base_url: variable }), 'one')!.roles['light_gen']!.settings).toEqual({
    ...at(variable),
    resolved_digest: undefined,
  })
  const file = { backend: 'gguf', model: '${HOME}/m.gguf' } as ModelChoice
  const inHome = (HOME: string) => declaredModels(experimentOf(file), 'one', { HOME })!.roles['light_gen']
  expect(inHome('/a')).not.toEqual(inHome('/b'))
})

it('models are the same where the value of a variable is not known on both sides', () => {
  const variable = { ...CHAT, base_url: '${HOST:-http://host}/v1' }
  const here = (env?: Record<string, string>) => declaredModels(experimentOf(variable), 'one', env)
  expect(areSameModels(here(), here({}))).toBe(true)
  expect(areSameModels(here({}), here({ HOST: 'http://host' }))).toBe(true)
  expect(areSameModels(here({}), here({ HOST: 'http://other' }))).toBe(false)
  expect(areSameModels(null, here({}))).toBe(false)
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
