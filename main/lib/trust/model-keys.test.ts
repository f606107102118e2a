import { chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../tests/helpers/temporary-folder.ts'
import { forgetSecrets, withoutSecrets } from '../../../core/known-secrets.ts'
import { deleteKey, modelKeysFolder, rememberStoredKeys, storedKey, storedKeys, storeKey } from './model-keys.ts'
import { SecretsError } from '../files/private-file.ts'

let env: { RAG_LADDER_USER_DIR: string }
beforeEach(async () => {
  env = { RAG_LADDER_USER_DIR: join(await temporaryFolder('model-keys'), 'person') }
})
afterEach(forgetSecrets)

const ORIGIN = 'https://llm.example'
const KEY = 'sk-canary-0123456789'
const entry = (connection: string, origin = ORIGIN, key = KEY) => ({ connection, origin, key })

describe('the key store', () => {
  it('gives a key out for its connection and origin only', async () => {
    await storeKey(env, entry('lab'))
    expect(await storedKey(env, 'lab', ORIGIN)).toBe(KEY)
    expect(await storedKey(env, 'lab', 'https://other.example')).toBeNull()
    expect(await storedKey(env, 'lab', 'http://llm.example')).toBeNull()
    expect(await storedKey(env, 'Lab', ORIGIN)).toBeNull()
  })

  it('replaces the key of an origin, keeps those of others, and lists them by name', async () => {
    await storeKey(env, entry('lab', ORIGIN, 'sk-first-0123456'))
    await storeKey(env, entry('lab'))
    await storeKey(env, entry('lab', 'http://127.0.0.1:4000'))
    await storeKey(env, entry('alpha'))
    expect(await storedKeys(env)).toEqual([entry('alpha'), entry('lab', 'http://127.0.0.1:4000'), entry('lab')])
    expect(await deleteKey(env, 'lab', ORIGIN)).toBe(true)
    expect(await deleteKey(env, 'lab', ORIGIN)).toBe(false)
    expect(await storedKeys(env)).toEqual([entry('alpha'), entry('lab', 'http://127.0.0.1:4000')])
  })

  it.skipIf(process.platform === 'win32')('keeps each key in a file that only its owner can read', async () => {
    await storeKey(env, entry('lab'))
    const names = await readdir(modelKeysFolder(env))
    expect(names).toEqual([expect.stringMatching(/^[0-9a-f]{32}\.json$/)])
    expect((await stat(join(modelKeysFolder(env), names[0]!))).mode & 0o777).toBe(0o600)
    expect((await stat(modelKeysFolder(env))).mode & 0o777).toBe(0o700)
  })

  it('refuses a key that cannot be a header, and stores nothing', async () => {
    for (const key of ['', 'two words', 'sk-ü', 'sk\n1'])
      await expect(storeKey(env, entry('lab', ORIGIN, key))).rejects.toBeInstanceOf(SecretsError)
    expect(await storedKeys(env)).toEqual([])
  })

  it.skipIf(process.platform === 'win32')('refuses a file that others may read, and a symbolic link', async () => {
    await storeKey(env, entry('lab'))
    const file = join(modelKeysFolder(env), (await readdir(modelKeysFolder(env)))[0]!)
    await chmod(file, 0o644)
    await expect(storedKey(env, 'lab', ORIGIN)).rejects.toMatchObject({
      code: 'secrets_exposed',
      message: expect.stringContaining('Delete it and store the key again') as string,
    })
    await chmod(file, 0o600)
    await symlink(file, join(modelKeysFolder(env), `${'0'.repeat(32)}.json`))
    await expect(storedKeys(env)).rejects.toMatchObject({ code: 'secrets_exposed' })
  })

  it('refuses a damaged file without repeating what is in it', async () => {
    await storeKey(env, entry('lab'))
    const file = join(modelKeysFolder(env), (await readdir(modelKeysFolder(env)))[0]!)
    const text = await readFile(file, 'utf8')
    for (const damaged of [text.slice(0, -5), text.replace('"version": 1', '"version": 2')]) {
      await writeFile(file, damaged)
      const error: unknown = await storedKey(env, 'lab', ORIGIN).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'secrets_invalid' })
      expect((error as Error).message).not.toContain(KEY)
    }
  })

  it('makes every stored key one that is replaced in texts, also where another file of the folder is damaged', async () => {
    await storeKey(env, entry('lab'))
    await writeFile(join(modelKeysFolder(env), `${'f'.repeat(32)}.json`), 'no JSON', { mode: 0o600 })
    forgetSecrets()
    expect(withoutSecrets(`said ${KEY}`)).toContain(KEY)
    await rememberStoredKeys(env)
    expect(withoutSecrets(`said ${KEY}`)).toBe('said [secret removed]')
  })
})
