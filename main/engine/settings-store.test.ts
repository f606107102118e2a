import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { trustAddresses } from '../lib/trust/trusted-addresses.ts'
import { SettingsStore } from './settings-store.ts'

let folder: string
let file: string
const warnings: string[] = []
const open = (env: Record<string, string> = {}) =>
  SettingsStore.open(file, { RAG_LADDER_USER_DIR: join(folder, 'person'), ...env }, (message) => warnings.push(message))
beforeEach(async () => {
  folder = await temporaryFolder('settings')
  file = join(folder, 'settings.json')
  warnings.length = 0
})

describe('SettingsStore', () => {
  it('lays settings over the environment and keeps them', async () => {
    const env = { MATRIX_GATEWAY_URL: 'http://127.0.0.1:1', JUDGE_MODELS: 'a,b' }
    const store = await open(env)
    expect(store.inputs()).toMatchObject({ gatewayUrl: 'http://127.0.0.1:1', judgeModels: ['a', 'b'] })
    await store.update({ settings: { gateway_url: 'http://127.0.0.1:2' } })
    const again = await open(env)
    expect(again.inputs()).toMatchObject({ gatewayUrl: 'http://127.0.0.1:2', judgeModels: ['a', 'b'] })
    await again.update({ settings: { gateway_url: null } })
    expect(again.inputs().gatewayUrl).toBe('http://127.0.0.1:1')
  })

  it('does not use addresses of a settings file that this person has not entered, and reports how to', async () => {
    await writeFile(
      file,
      JSON.stringify({
        gateway_url: 'http://127.0.0.1:6999/v1',
        evaluator_url: 'http://steal.example/evaluate',
        judge_endpoint: 'http://steal.example/judge',
        concurrency: 3,
      }),
    )
    const env = { MATRIX_PLATFORM_TOKEN: 'token', MATRIX_GATEWAY_API_KEY: 'key' }
    const store = await open(env)
    expect(store.inputs()).toMatchObject({ gatewayUrl: null, evaluatorUrl: null, judgeEndpoint: null })
    expect(store.settings.concurrency).toBe(3)
    expect(warnings).toHaveLength(3)
    expect(warnings[0]).toMatch(/gateway url http:\/\/127\.0\.0\.1:6999\/v1 was not entered.*rag-ladder trust/)
    trustAddresses(['http://127.0.0.1:6999'], { RAG_LADDER_USER_DIR: join(folder, 'person') })
    expect((await open(env)).inputs().gatewayUrl).toBe('http://127.0.0.1:6999/v1')
    expect((await open({ RAG_LADDER_TRUSTED_ADDRESSES: 'http://steal.example' })).inputs().judgeEndpoint).toBe(
      'http://steal.example/judge',
    )
  })

  it('forgets the secrets of an address when another one is entered', async () => {
    const store = await open()
    await store.update({
      settings: { gateway_url: 'http://a.example' },
      secrets: { gateway_api_key: 'of-a', judge_api_key: 'j' },
    })
    await store.update({ settings: { gateway_url: 'http://a.example/v1', concurrency: 2 } })
    expect(store.inputs().gatewayApiKey).toBe('of-a')
    await store.update({ settings: { gateway_url: 'http://b.example' } })
    expect(store.inputs()).toMatchObject({ gatewayApiKey: null, judgeApiKey: 'j' })
    await store.update({ settings: { gateway_url: 'http://c.example' }, secrets: { gateway_api_key: 'of-c' } })
    expect(store.inputs().gatewayApiKey).toBe('of-c')
  })

  it('forgets the token of a platform and of an evaluator when the address that they are sent to changes', async () => {
    const store = await open()
    await store.update({
      settings: { gateway_url: 'http://a.example' },
      secrets: { platform_token: 'p', evaluator_api_key: 'e' },
    })
    expect(store.secretOrigins()).toEqual({
      gateway_api_key: 'http://a.example',
      platform_token: 'http://a.example',
      evaluator_api_key: 'http://a.example',
      judge_api_key: null,
    })
    await store.update({ settings: { evaluator_url: 'http://e.example' } })
    expect(store.inputs()).toMatchObject({ platformToken: 'p', evaluatorApiKey: null })
    await store.update({ settings: { platform_url: 'http://p.example' } })
    expect(store.inputs().platformToken).toBeNull()
  })

  it('does not use the address of a platform that a settings file brings along', async () => {
    await writeFile(file, JSON.stringify({ platform_url: 'http://steal.example' }))
    const store = await open({ MATRIX_PLATFORM_TOKEN: 'token' })
    expect(store.inputs().platformUrl).toBeNull()
  })

  it('never writes a secret, and returns only where one comes from', async () => {
    const store = await open({ JUDGE_API_KEY: 'from-environment' })
    await store.update({ settings: { concurrency: 4 }, secrets: { gateway_api_key: 'very-secret' } })
    expect(await readFile(file, 'utf8')).not.toContain('very-secret')
    expect(store.inputs()).toMatchObject({ gatewayApiKey: 'very-secret', judgeApiKey: 'from-environment' })
    expect(store.secrets()).toEqual({
      gateway_api_key: 'session',
      judge_api_key: 'environment',
      platform_token: 'unset',
      evaluator_api_key: 'unset',
    })
    await store.update({ secrets: { gateway_api_key: null } })
    expect(store.inputs().gatewayApiKey).toBeNull()
  })

  it('keeps both of two simultaneous changes', async () => {
    const store = await open()
    await Promise.all([
      store.update({ settings: { concurrency: 4 } }),
      store.update({ settings: { gateway_url: 'http://127.0.0.1:2' } }),
    ])
    expect(store.settings).toMatchObject({ concurrency: 4, gateway_url: 'http://127.0.0.1:2' })
    expect((await open()).settings).toEqual(store.settings)
  })

  it('makes a later change although an earlier one could not be written', async () => {
    const store = await open()
    await expect(store.update({ settings: { concurrency: 99 } })).rejects.toThrow()
    await store.update({ settings: { concurrency: 4 } })
    expect(store.settings.concurrency).toBe(4)
  })

  it.each(['no json', '{"gateway_url": "javascript:alert(1)"}', '{"unknown": 1}'])(
    'reports a file that cannot be used and continues without it: %s',
    async (text) => {
      await writeFile(file, text)
      expect((await open()).settings.gateway_url).toBeNull()
      expect(warnings).toHaveLength(1)
      expect(warnings[0]).toContain(file)
    },
  )
})
