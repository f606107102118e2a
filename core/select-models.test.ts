import { afterEach, describe, expect, it } from 'vitest'
import { MODEL_BACKENDS, modelNameOf } from '../contract/manifests/model-backends.ts'
import { fillPlaceholders, ModelRole, ModelsManifest } from '../contract/manifests/models.ts'
import { nameButtonsInRemedies } from './remedy.ts'
import { selectModels } from './select-models.ts'

afterEach(() => nameButtonsInRemedies(false))

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
    const chosen = selectModels(
      manifest({ light_gen: remote('${HOST:-http://127.0.0.1:1}/v1', 'X_API_KEY') }),
      'other',
      {
        X_API_KEY: 'k',
        RAG_LADDER_TRUSTED_ADDRESSES: 'http://127.0.0.1:1',
      },
    )
    expect(chosen).toMatchObject({
      ok: true,
      models: { name: 'other', roles: { light_gen: { base_url: 'http://127.0.0.1:1/v1' } } },
    })
  })

  it('fills in the folder of an onnx model, and names the variable that is not set', () => {
    const embed = { backend: 'onnx', model: '${EMBEDDING_DIR}', task: 'embedding' }
    expect(selectModels(manifest({ embed }), 'other', { EMBEDDING_DIR: '/models/minilm' })).toMatchObject({
      ok: true,
      models: { roles: { embed: { model: '/models/minilm' } } },
    })
    expect(selectModels(manifest({ embed }), 'other', {})).toEqual({
      ok: false,
      problems: ['sets.other: the environment variable EMBEDDING_DIR is not set (roles embed)'],
    })
  })

  it('collects every problem of the chosen set only', () => {
    const broken = manifest({
      rerank: remote('http://x'),
      light_gen: remote('${HOST}/v1'),
      agentic: remote('ftp://x', 'OPENAI_API_KEY'),
      evaluator: remote('https://api.openai.com', 'OPENAI_API_KEY'),
    })
    expect(selectModels(broken, null, {})).toMatchObject({ ok: true })
    expect(selectModels(broken, 'other', {})).toEqual({
      ok: false,
      problems: [
        'sets.other.roles.rerank: the openai backend cannot rerank; use builtin, onnx or tei',
        'sets.other.roles.agentic: base_url is not an http or https address',
        'sets.other: the environment variable HOST is not set (roles light_gen)',
        'sets.other: the environment variable OPENAI_API_KEY is not set (roles agentic, evaluator)',
      ],
    })
    expect(selectModels(broken, 'none', {})).toEqual({
      ok: false,
      problems: ['no model set is named "none"; known sets: plain, other'],
    })
  })
})

describe('a project that names addresses and keys', () => {
  const env = {
    OPENAI_API_KEY: 'k',
    OTHER_API_KEY: 'k',
    RAG_LADDER_MY_KEY: 'k',
    AWS_SECRET_ACCESS_KEY: 'aws',
    DB_PASSWORD: 'hunter2',
    MY_LLM: 'https://llm.example',
  }
  const problemsOf = (baseUrl: string, key: string | null, more: object = {}): string => {
    const chosen = selectModels(manifest({ light_gen: remote(baseUrl, key) }), 'other', { ...env, ...more })
    return chosen.ok ? '' : chosen.problems.join('\n')
  }

  it.each([
    ['its service', 'https://api.openai.com/v1', 'OPENAI_API_KEY', {}],
    ['an address that the environment gives', '${MY_LLM}/v1', 'OPENAI_API_KEY', {}],
    ['its service, where the environment gives no other', '${NONE:-https://api.openai.com/v1}', 'OPENAI_API_KEY', {}],
    [
      'an allowed address',
      'http://127.0.0.1:9/v1',
      'OTHER_API_KEY',
      { RAG_LADDER_TRUSTED_ADDRESSES: 'http://x,http://127.0.0.1:9' },
    ],
    [
      'an allowed address, under a name of ours',
      'http://x/v1',
      'RAG_LADDER_MY_KEY',
      { RAG_LADDER_TRUSTED_ADDRESSES: 'http://x' },
    ],
    ['no address, where no key is asked for', 'http://anywhere.example/v1', null, {}],
  ])('sends a key to %s', (_where, url, key, more) => {
    expect(problemsOf(url, key, more)).toBe('')
  })

  it.each([
    ['an address of the project', 'http://127.0.0.1:6999/steal/v1', 'OPENAI_API_KEY'],
    ['the fallback of a variable that is not set', '${NONE:-http://steal.example}/v1', 'OPENAI_API_KEY'],
    ['its service without encryption', 'http://api.openai.com/v1', 'OPENAI_API_KEY'],
    ['another service', 'https://api.openai.com/v1', 'OTHER_API_KEY'],
  ])('does not send a key to %s', (_where, url, key) => {
    const text = problemsOf(url, key)
    expect(text).toContain(`${key} is not sent to ${new URL(url.replace('${NONE:-', '').replace('}', '')).origin}`)
    expect(text).toContain('rag-ladder trust')
  })

  it('names a page instead of a command where its messages are read in the panel', () => {
    nameButtonsInRemedies()
    const text = problemsOf('http://127.0.0.1:6999/v1', 'OPENAI_API_KEY')
    expect(text).toContain('edit the connection on the page Models')
    expect(text).not.toContain('rag-ladder')
  })

  it.each([
    ['in the path', 'https://api.openai.com/${DB_PASSWORD}/v1'],
    ['in the host', 'https://${DB_PASSWORD}.steal.example/v1'],
    ['after an address', '${MY_LLM}.steal.example/v1'],
    ['after another variable', '${MY_LLM}/${DB_PASSWORD}'],
    ['as the address', '${DB_PASSWORD}'],
  ])('never puts a variable %s, and does not quote it', (_where, url) => {
    const text = problemsOf(url, null)
    expect(text).toMatch(/base_url/)
    expect(text).not.toContain('hunter2')
  })

  it('does not send what is not named like a key of a model service', () => {
    expect(problemsOf('https://api.openai.com', 'AWS_SECRET_ACCESS_KEY')).toContain(
      'AWS_SECRET_ACCESS_KEY is not named',
    )
    expect(problemsOf('https://api.openai.com', 'RAG_LADDER_ENGINE_TOKEN')).toContain('is not named')
  })
})

describe('a model file', () => {
  const choose = (path: string, env: Record<string, string>) =>
    selectModels(manifest({ light_gen: { backend: 'gguf', model: path } }), 'other', env)

  it('has its path filled in from variables that hold paths', () => {
    expect(choose('${HOME}/m/${MY_MODEL_FILE:-a.gguf}', { HOME: '/home/x' })).toMatchObject({
      ok: true,
      models: { roles: { light_gen: { model: '/home/x/m/a.gguf' } } },
    })
    expect(choose('${MY_MODEL_FILE}', {})).toEqual({
      ok: false,
      problems: ['sets.other: the environment variable MY_MODEL_FILE is not set (roles light_gen)'],
    })
  })

  it('has no variable in its path that may hold a secret, because rows name the file', () => {
    expect(choose('${OPENAI_API_KEY}', { OPENAI_API_KEY: 'secret' })).toEqual({
      ok: false,
      problems: [
        'sets.other.roles.light_gen: model: OPENAI_API_KEY cannot be part of a path. Use HOME or a name that ends in _FILE, _DIR or _PATH',
      ],
    })
  })

  it('is named without its folder and ending', () => {
    const named = (model: string) => modelNameOf(MODEL_BACKENDS.gguf.settings.parse({ backend: 'gguf', model }))
    expect(named('/home/x/Qwen3-4B.Q4_K_M.gguf')).toBe('Qwen3-4B.Q4_K_M')
    expect(named('C:\\models\\Qwen3.GGUF')).toBe('Qwen3')
    expect(modelNameOf({ backend: 'builtin', model: 'x/y' })).toBe('x/y')
  })
})

it.each([
  ['http://${H}:${P:-80}/v1', { H: 'a' }, { ok: true, value: 'http://a:80/v1' }],
  ['${H:-}x', {}, { ok: true, value: 'x' }],
  ['${H:-d}', { H: '' }, { ok: true, value: 'd' }],
  ['${A}${B}', {}, { ok: false, unset: ['A', 'B'] }],
  ['$H {H} plain', { H: 'a' }, { ok: true, value: '$H {H} plain' }],
  ['${H}', { H: '${SECRET}' }, { ok: true, value: '${SECRET}' }],
])('fillPlaceholders: %s', (text, env, outcome) => {
  expect(fillPlaceholders(text, env)).toEqual(outcome)
})
