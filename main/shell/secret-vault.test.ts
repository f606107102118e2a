import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { SecretVault, type SecretCipher } from './secret-vault.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await temporaryFolder('vault')
  file = join(folder, 'secrets.json')
})

/** Turns every bit; another key cannot read it. */
const cipherOf = (key: number, isAvailable = true): SecretCipher => ({
  isAvailable: () => isAvailable,
  encrypt: (text) => Buffer.from([key, ...Buffer.from(text).map((byte) => byte ^ 255)]),
  decrypt(bytes) {
    if (bytes[0] !== key) throw new Error('another key')
    return Buffer.from(bytes.subarray(1).map((byte) => byte ^ 255)).toString()
  },
})
const ORIGINS = {
  gateway_api_key: 'http://gate.example',
  platform_token: 'http://gate.example',
  evaluator_api_key: null,
  judge_api_key: 'https://judge.example',
}
const update = (secrets: object): string => JSON.stringify({ json: { secrets } })

it('keeps what was set and forgets what was removed, in this life and the next', async () => {
  const vault = new SecretVault(file, cipherOf(1))
  await Promise.all([
    vault.follow(update({ gateway_api_key: 'sk-gate', judge_api_key: 'sk-judge' }), ORIGINS),
    vault.follow(update({ judge_api_key: null, platform_token: 'tok' }), ORIGINS),
  ])
  expect(new SecretVault(file, cipherOf(1)).secretsFor(ORIGINS)).toEqual({
    gateway_api_key: 'sk-gate',
    platform_token: 'tok',
  })
})

it('names what it keeps, a change under way included', async () => {
  const vault = new SecretVault(file, cipherOf(1))
  const change = vault.follow(update({ judge_api_key: 'sk-judge' }), ORIGINS)
  expect(await vault.namesFor(ORIGINS)).toEqual(['judge_api_key'])
  await change
  expect(await new SecretVault(file, cipherOf(2)).namesFor(ORIGINS)).toEqual([])
})

it('writes nothing readable, and for its owner alone', async () => {
  await new SecretVault(file, cipherOf(1)).follow(update({ gateway_api_key: 'sk-gate' }), ORIGINS)
  expect(await readFile(file, 'utf8')).not.toContain('sk-gate')
  expect((await stat(file)).mode & 0o077).toBe(0)
})

it('writes nothing at all without a secret store', async () => {
  const vault = new SecretVault(file, cipherOf(1, false))
  await vault.follow(update({ gateway_api_key: 'sk-gate' }), ORIGINS)
  expect(await readdir(folder)).toEqual([])
  expect(vault.secretsFor(ORIGINS)).toEqual({})
})

it('leaves out what another machine encrypted', async () => {
  await new SecretVault(file, cipherOf(1)).follow(update({ gateway_api_key: 'sk-gate' }), ORIGINS)
  expect(new SecretVault(file, cipherOf(2)).secretsFor(ORIGINS)).toEqual({})
})

it('touches nothing for calls without secrets', async () => {
  await new SecretVault(file, cipherOf(1)).follow(JSON.stringify({ json: { settings: { concurrency: 2 } } }), ORIGINS)
  expect(await readdir(folder)).toEqual([])
})

it('gives a token only to the origin that it was entered for, whatever the project or the settings name later', async () => {
  const vault = new SecretVault(file, cipherOf(1))
  await vault.follow(update({ gateway_api_key: 'of-gate', judge_api_key: 'of-judge' }), ORIGINS)
  const moved = { ...ORIGINS, gateway_api_key: 'http://other.example' }
  expect(vault.secretsFor(moved)).toEqual({ judge_api_key: 'of-judge' })
  await vault.follow(update({ gateway_api_key: 'of-other' }), moved)
  expect(vault.secretsFor(moved).gateway_api_key).toBe('of-other')
  expect(vault.secretsFor(ORIGINS).gateway_api_key).toBe('of-gate')
  await vault.follow(update({ gateway_api_key: null }), moved)
  expect([vault.secretsFor(moved).gateway_api_key, vault.secretsFor(ORIGINS).gateway_api_key]).toEqual([
    undefined,
    'of-gate',
  ])
})

it('ignores a file that keeps tokens without their origin', async () => {
  await writeFile(file, JSON.stringify({ version: 1, secrets: { gateway_api_key: 'AQID' } }))
  expect(new SecretVault(file, cipherOf(1)).secretsFor(ORIGINS)).toEqual({})
})
