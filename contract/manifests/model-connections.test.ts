import { describe, expect, it } from 'vitest'
import {
  connectedModel,
  Connection,
  connectionOfStoredKey,
  isNearAddress,
  storedKeyVariables,
} from './model-connections.ts'
import { selectModels } from '../../core/select-models.ts'
import { joinModels, ModelsFile } from './models.ts'

describe('the variables of a stored key', () => {
  it.each(['lab', 'my-lab', 'My.Lab', 'a_b', 'A', '0'])('name the connection %s and no other', (name) => {
    const { key, origin } = storedKeyVariables(name)
    expect(key).toMatch(/^RAG_LADDER_CONNECTION_KEY_[A-Z0-9_]+$/)
    expect(origin).not.toBe(key)
    expect(connectionOfStoredKey(key)).toBe(name)
  })

  it('differ for names that differ in case only, also where variables do not', () => {
    expect(storedKeyVariables('lab').key.toLowerCase()).not.toBe(storedKeyVariables('Lab').key.toLowerCase())
    expect(connectionOfStoredKey('OPENAI_API_KEY')).toBeNull()
  })
})

describe('a connection whose key is stored', () => {
  const connection = Connection.parse({ kind: 'openai', api_key: 'stored' })
  const { key, origin } = storedKeyVariables('lab')
  const choose = (env: Record<string, string>, address = 'https://api.openai.com/v1') => {
    const file = ModelsFile.parse({
      version: 2,
      default_set: 's',
      connections: { lab: { ...connection, base_url: address } },
      sets: {
        s: { default: { connection: 'lab', model: 'm' }, roles: { rerank: { backend: 'builtin', model: 'r' } } },
      },
    })
    return selectModels(joinModels(file, null).models, null, env)
  }
  const stored = { [key]: 'sk-1', [origin]: 'https://api.openai.com' }

  it('reads no variable of the environment', () => {
    const model = connectedModel(connection, { connection: 'lab', model: 'm' }, 'generation')
    expect(model.api_key_env).toBe(key)
    expect(choose({ OPENAI_API_KEY: 'sk-2' })).toMatchObject({ ok: false })
  })

  it('sends its key to the origin that it was entered for', () => {
    expect(choose(stored)).toMatchObject({ ok: true })
    expect(choose(stored, 'https://api.openai.com/other/path')).toMatchObject({ ok: true })
  })

  it.each(['https://steal.example/v1', 'http://api.openai.com/v1', 'https://api.openai.com:8443/v1'])(
    'does not send its key to %s, even where that address is allowed to get keys of variables',
    (address) => {
      const chosen = choose({ ...stored, RAG_LADDER_TRUSTED_ADDRESSES: new URL(address).origin }, address)
      expect(chosen).toMatchObject({ ok: false })
      expect(chosen.ok ? '' : chosen.problems.join()).toContain(
        `the stored key of the connection lab belongs to https://api.openai.com and is not sent to ${new URL(address).origin}`,
      )
    },
  )

  it('is missing with the roles that need it and what to do', () => {
    const chosen = choose({})
    expect(chosen.ok ? [] : chosen.problems).toEqual([
      expect.stringMatching(
        /^sets\.s: no key is stored for the connection lab at its address \(roles embed, light_gen, .*\)\. Store one on the page Models, or: rag-ladder models key set lab$/,
      ),
    ])
  })
})

describe('an address', () => {
  it.each([
    'http://127.0.0.1:11434/v1',
    'http://localhost/v1',
    'http://[::1]:8080/v1',
    'http://192.168.1.20:8000',
    'http://10.0.0.7/v1',
    'http://172.20.0.2/v1',
    'http://gpu-box:8000/v1',
    'http://nas.local/v1',
    '${OLLAMA_URL:-http://127.0.0.1:11434}/v1',
    '',
  ])('%s is of this machine or a private network', (address) => expect(isNearAddress(address)).toBe(true))

  it.each([
    'https://api.openai.com/v1',
    'https://llm.example.com',
    'http://172.32.0.1/v1',
    'https://8.8.8.8/v1',
    'https://[2001:db8::1]/v1',
    'https://localhost.example.com/v1',
    'https://localhost@llm.example.com/v1',
    'https://127.0.0.1.example.com/v1',
  ])('%s is of another network', (address) => expect(isNearAddress(address)).toBe(false))
})
