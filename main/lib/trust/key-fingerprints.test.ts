import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { SecretsError } from '../files/private-file.ts'
import { fingerprintsFile, isMachineMade, keepFingerprints, keyFinder } from './key-fingerprints.ts'

let env: { RAG_LADDER_USER_DIR: string }
beforeEach(async () => {
  env = { RAG_LADDER_USER_DIR: join(await temporaryFolder('key-fingerprints'), 'person') }
})

const KEY = 'sk-proj-9fQ2xL7vB4nR8sW1_zK6mD3hJ-0aT5y'
const HEX = '0f3c9a7e51d84b26c07f9e3a5d182b64'
const PHRASE = 'correct-horse-battery-staple-Paris'

describe('isMachineMade', () => {
  it.each([KEY, HEX, '6f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0', 'hf_qJwRt7YzXcVbNm3KlPoIuT9eDfGhAsZx2w'])(
    'accepts %s',
    (key) => {
      expect(isMachineMade(key)).toBe(true)
    },
  )

  it.each([PHRASE, 'MyCompanyPassword2024', 'P4ssw0rd-P4ssw0rd-1234', 'hunter22', 'k9X2b7Qw', '0'.repeat(40)])(
    'refuses %s, which a person may have made up',
    (key) => {
      expect(isMachineMade(key)).toBe(false)
    },
  )
})

describe('a key that was in use once', () => {
  it.each([
    ['in a sentence', `Received API Key = ${KEY}.`],
    ['after Bearer in a URL', `Bearer%20${KEY}&x=1`],
    ['in a line of JSON, after a line end', JSON.stringify({ answer: `the key:\n${KEY}\nis wrong` })],
    ['in quotes of JSON inside JSON', JSON.stringify({ message: JSON.stringify({ key: KEY }) })],
  ])('is found %s when no variable holds it any more', async (_where, text) => {
    await keepFingerprints([KEY, HEX], env)
    const holdsKnownKey = await keyFinder(env)
    expect(holdsKnownKey(text)).toBe(true)
    expect(holdsKnownKey(text.replaceAll(KEY, KEY.replace('9', '8')))).toBe(false)
  })

  it('is found by its longest part where it has characters that parted it', async () => {
    await keepFingerprints(['user:pw@9fQ2xL7vB4nR8sW1zK6mD3hJ/database'], env)
    expect((await keyFinder(env))('postgres://user:pw@9fQ2xL7vB4nR8sW1zK6mD3hJ/database')).toBe(true)
  })

  it('is not kept in any form that gives it back, and not at all where a person made it up', async () => {
    await keepFingerprints([KEY, PHRASE, 'hunter22', 'ollama'], env)
    const file = fingerprintsFile(env)
    const { salt, keys } = JSON.parse(await readFile(file, 'utf8')) as { salt: string; keys: { digest: string }[] }
    expect([salt, ...keys.map(({ digest }) => digest)]).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}$/),
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ])
    expect(await readFile(file, 'utf8')).not.toContain(KEY.slice(0, 6))
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
    // Another person's list of the same key has nothing in common with it.
    const other = { RAG_LADDER_USER_DIR: join(env.RAG_LADDER_USER_DIR, 'other') }
    await keepFingerprints([KEY], other)
    expect(await readFile(fingerprintsFile(other), 'utf8')).not.toContain(keys[0]!.digest)
  })

  it('is listed once, beside those of before, the newest 500', async () => {
    const made = Array.from({ length: 501 }, (_, index) => `${HEX}${String(index).padStart(3, '0')}`)
    await keepFingerprints([KEY], env)
    await keepFingerprints([KEY], env)
    await keepFingerprints(made.slice(0, 499), env)
    expect((await keyFinder(env))(KEY)).toBe(true)
    const before = await readFile(fingerprintsFile(env), 'utf8')
    await keepFingerprints(made.slice(0, 499), env)
    expect(await readFile(fingerprintsFile(env), 'utf8')).toBe(before)
    await keepFingerprints(made, env)
    const holdsKnownKey = await keyFinder(env)
    expect([KEY, made[0]!, made[1]!, made[500]!].map(holdsKnownKey)).toEqual([false, false, true, true])
  })
})

describe('a list of fingerprints', () => {
  it('that is missing finds nothing', async () => {
    expect((await keyFinder(env))(KEY)).toBe(false)
  })

  it('that is damaged, or that others can read, is refused by its path and without a word of it', async () => {
    await keepFingerprints([KEY], env)
    const file = fingerprintsFile(env)
    if (process.platform !== 'win32') {
      await chmod(file, 0o644)
      await expect(keyFinder(env)).rejects.toBeInstanceOf(SecretsError)
      await chmod(file, 0o600)
    }
    await writeFile(file, '{"version":1,"salt":"short"}')
    await expect(keyFinder(env)).rejects.toThrow(`${file}: is not a list of this version. Delete it`)
    await expect(keepFingerprints([KEY], env)).rejects.toBeInstanceOf(SecretsError)
  })
})
