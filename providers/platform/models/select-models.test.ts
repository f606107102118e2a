import { describe, expect, it } from 'vitest'
import { ModelRole, ModelsManifest } from '../../../contract/index.ts'
import { fillPlaceholders, selectModels } from './select-models.ts'

const builtin = { backend: 'builtin', model: 'rules' }
const roles = (changes: object = {}) => ({
  ...Object.fromEntries(ModelRole.options.map((role) => [role, builtin])),
  ...changes,
})
const remote = (baseUrl: string, key: string | null = null) => ({
  backend: 'openai',
  model: 'm',
  base_url: baseUrl,
  api_key_env: key,
})

const manifest = (changes: object = {}) =>
  ModelsManifest.parse({
    version: 1,
    default_set: 'plain',
    sets: { plain: { description: '', roles: roles() }, other: { description: '', roles: roles(changes) } },
  })

describe('selectModels', () => {
  it('takes the default set, or the named one with its addresses filled in', () => {
    expect(selectModels(manifest(), null, {})).toMatchObject({ ok: true, models: { name: 'plain' } })
    const chosen = selectModels(manifest({ light_gen: remote('${HOST:-http://127.0.0.1:1}/v1', 'KEY') }), 'other', {
      KEY: 'k',
    })
    expect(chosen).toMatchObject({
      ok: true,
      models: { name: 'other', roles: { light_gen: { base_url: 'http://127.0.0.1:1/v1' } } },
    })
  })

  it('collects every problem of the chosen set only', () => {
    const broken = manifest({
      rerank: remote('http://x'),
      light_gen: remote('${HOST}/v1'),
      agentic: remote('ftp://x', 'KEY'),
      evaluator: remote('http://x', 'KEY'),
    })
    expect(selectModels(broken, null, {})).toMatchObject({ ok: true })
    expect(selectModels(broken, 'other', {})).toEqual({
      ok: false,
      problems: [
        'sets.other.roles.rerank: the openai backend cannot rerank; use builtin, onnx or tei',
        'sets.other.roles.agentic: base_url is not an http or https address',
        'sets.other: the environment variable HOST is not set (roles light_gen)',
        'sets.other: the environment variable KEY is not set (roles agentic, evaluator)',
      ],
    })
    expect(selectModels(broken, 'none', {})).toEqual({
      ok: false,
      problems: ['no model set is named "none"; there are plain, other'],
    })
  })
})

describe('fillPlaceholders', () => {
  it.each([
    ['http://${H}:${P:-80}/v1', { H: 'a' }, { ok: true, value: 'http://a:80/v1' }],
    ['${H:-}x', {}, { ok: true, value: 'x' }],
    ['${H:-d}', { H: '' }, { ok: true, value: 'd' }],
    ['${A}${B}', {}, { ok: false, unset: ['A', 'B'] }],
    ['$H {H} plain', { H: 'a' }, { ok: true, value: '$H {H} plain' }],
    ['${H}', { H: '${SECRET}' }, { ok: true, value: '${SECRET}' }],
  ])('%s', (text, env, outcome) => {
    expect(fillPlaceholders(text, env)).toEqual(outcome)
  })
})
