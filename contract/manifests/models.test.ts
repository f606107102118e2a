import { describe, expect, it } from 'vitest'
import { describeIssues } from '../../core/issues.ts'
import { CONNECTION_KINDS, ConnectionKind } from './model-connections.ts'
import { joinModels, ModelsFile, ModelsManifest, OwnModelsFile } from './models.ts'

const rules = { backend: 'builtin', model: 'rules' } as const
const plain = { description: 'd', default: rules }
const project = (changes: object = {}) =>
  ModelsFile.parse({ version: 2, default_set: 'plain', sets: { plain }, ...changes })
const own = (changes: object) => OwnModelsFile.parse({ version: 2, ...changes })
const problemsOf = (value: object): string[] => {
  const outcome = ModelsManifest.safeParse(value)
  return outcome.success ? [] : describeIssues(outcome.error)
}

describe('joinModels', () => {
  it('makes a set of four lines a model for every role, with the address, key and time limit of its connection', () => {
    const { models } = joinModels(
      project({
        connections: { server: { kind: 'openai', timeout_s: 60 } },
        sets: { plain: { default: { connection: 'server', model: 'm', defaults: { seed: 1 } } } },
      }),
      null,
    )
    const { roles } = models.sets['plain']!
    expect(new Set(Object.values(roles).map((role) => JSON.stringify(role))).size).toBe(1)
    expect(roles.light_gen).toEqual({
      backend: 'openai',
      model: 'm',
      base_url: 'https://api.openai.com/v1',
      api_key_env: 'OPENAI_API_KEY',
      timeout_s: 60,
      retries: 2,
      cloud: true,
      defaults: { seed: 1 },
    })
  })

  it('sends the fields that a kind of service needs with text generation only, because they are part of an embedding space', () => {
    const sets = { plain: { default: { connection: 'local', model: 'm' } } }
    const { roles } = joinModels(project({ connections: { local: { kind: 'ollama' } }, sets }), null).models.sets[
      'plain'
    ]!
    expect([roles.light_gen, roles.embed]).toMatchObject([{ defaults: { reasoning_effort: 'none' } }, { defaults: {} }])
    expect(roles.embed).toMatchObject({ defaults: {}, timeout_s: 420, cloud: false, api_key_env: null })
  })

  it('puts the connections and sets of a person over those of the project with the same name', () => {
    const { models, declaredSets, connections, ownSets } = joinModels(
      project({
        connections: { server: { kind: 'compatible', base_url: 'http://127.0.0.1:1/v1' } },
        sets: { plain, served: { default: { connection: 'server', model: 'm' } } },
      }),
      own({
        default_set: 'mine',
        connections: { server: { kind: 'compatible', base_url: 'http://127.0.0.1:2/v1' } },
        sets: { mine: { default: { connection: 'server', model: 'own' } } },
      }),
    )
    expect(models.default_set).toBe('mine')
    expect(Object.keys(models.sets)).toEqual(['plain', 'served', 'mine'])
    expect(ownSets).toEqual(['mine'])
    expect(declaredSets['mine']).toMatchObject({ default: { connection: 'server', model: 'own' } })
    expect(models.sets['served']!.roles.embed).toMatchObject({ model: 'm', base_url: 'http://127.0.0.1:2/v1' })
    expect(connections['server']).toMatchObject({ base_url: 'http://127.0.0.1:2/v1' })
  })

  it('reports a connection that is not declared once, with those that are, in the file that names it', () => {
    const { problems } = joinModels(
      project({ connections: { ollama: { kind: 'ollama' } } }),
      own({ default_set: 'none', sets: { mine: { default: { connection: 'olama', model: 'm' } } } }),
    )
    expect(problems).toEqual({
      ofProject: [],
      ofPerson: [
        { path: ['sets', 'mine', 'default', 'connection'], message: 'no connection is named olama; there are ollama' },
        { path: ['default_set'], message: 'no set is named none; there are plain, mine' },
      ],
    })
  })
})

describe('ModelsFile', () => {
  it('gives a version 1 file the same form as before, and a version 2 file the form of version 1', () => {
    const sets = { plain }
    const one = ModelsManifest.parse({ version: 1, default_set: 'plain', sets })
    expect(Object.keys(one)).toEqual(['version', 'default_set', 'sets'])
    expect(ModelsManifest.parse({ version: 2, default_set: 'plain', sets })).toEqual(one)
  })

  it.each([
    [
      'connections in a version 1 file',
      { version: 1, connections: { o: { kind: 'ollama' } } },
      'version: connections need version: 2',
    ],
    ['a file without version', { version: undefined }, 'version: version: 2 is required'],
    [
      'a key in the file',
      { connections: { o: { kind: 'openai', api_key_env: 'sk-123' } } },
      'connections.o.api_key_env: the name of an environment variable, never the secret itself',
    ],
    [
      'a service without address',
      { connections: { o: { kind: 'compatible' } } },
      'connections.o.base_url: missing: this kind of service has no usual address',
    ],
    [
      'an unknown field of a connected model',
      {
        connections: { o: { kind: 'ollama' } },
        sets: { plain: { default: { connection: 'o', model: 'm', base_url: 'x' } } },
      },
      'sets.plain.default.base_url: unknown field',
    ],
    [
      'an unknown backend',
      { sets: { plain: { default: { backend: 'nothing', model: 'm' } } } },
      'sets.plain.default.backend: one of builtin, onnx, gguf, openai, tei is required, or the name of a connection in its place',
    ],
  ])('refuses %s', (_title, changes, problem) => {
    expect(problemsOf({ version: 2, default_set: 'plain', sets: { plain }, ...changes })).toEqual([problem])
  })
})

it('every kind of connection that has a usual address gives one with a version path', () => {
  for (const kind of ConnectionKind.options) {
    const { usualAddress, isCloud } = CONNECTION_KINDS[kind]
    if (usualAddress === null) continue
    expect(URL.canParse(usualAddress)).toBe(true)
    expect(usualAddress).toMatch(/\/v1(?:beta)?(?:$|\/openai$)/)
    if (kind !== 'litellm') expect(usualAddress.startsWith('https:')).toBe(isCloud)
  }
})
