import { chmod, chown, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../tests/helpers/temporary-folder.ts'
import { SecretsError } from '../lib/files/private-file.ts'
import { openPlatformSecrets } from './platform-secrets.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await temporaryFolder('secrets')
  file = join(folder, 'state', 'secrets.json')
})

const refusal = async (): Promise<SecretsError> => {
  const error: unknown = await openPlatformSecrets(file).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(SecretsError)
  return error as SecretsError
}

describe('the first start', () => {
  it('makes four different secrets of 32 bytes that only the owner can read, and writes nothing else', async () => {
    const secrets = Object.values(await openPlatformSecrets(file))
    expect(new Set(secrets).size).toBe(4)
    expect(secrets.map((secret) => Buffer.from(secret as string, 'base64url').length)).toEqual([32, 32, 32, 32])
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(join(folder, 'state'))).toEqual(['secrets.json'])
  })

  it('makes one set of secrets however many start at once', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => openPlatformSecrets(file)))
    for (const secrets of all) expect(secrets).toEqual(all[0])
    expect(await readdir(join(folder, 'state'))).toEqual(['secrets.json'])
  })
})

describe('later starts', () => {
  it('read the same secrets and write nothing', async () => {
    const first = await openPlatformSecrets(file)
    const { mtimeMs, ino } = await stat(file)
    expect(await openPlatformSecrets(file)).toEqual(first)
    expect(await stat(file)).toMatchObject({ mtimeMs, ino })
  })

  it.each([0o640, 0o604, 0o666, 0o610])('refuse a file with mode %o and keep it', async (mode) => {
    await openPlatformSecrets(file)
    const text = await readFile(file, 'utf8')
    await chmod(file, mode)
    const error = await refusal()
    expect(error.code).toBe('secrets_exposed')
    expect(error.message).toContain(`has mode 0${mode.toString(8)}`)
    expect(await readFile(file, 'utf8')).toBe(text)
  })

  it.skipIf(process.getuid?.() !== 0)('refuse a file of another user and keep it', async () => {
    await openPlatformSecrets(file)
    await chown(file, 65_534, 65_534)
    const error = await refusal()
    expect(error.code).toBe('secrets_exposed')
    expect(error.message).toContain('belongs to another user')
    expect((await stat(file)).uid).toBe(65_534)
  })

  it('refuse a symbolic link', async () => {
    await openPlatformSecrets(file)
    const elsewhere = join(folder, 'elsewhere.json')
    await writeFile(elsewhere, await readFile(file), { mode: 0o600 })
    await rm(file)
    await symlink(elsewhere, file)
    expect((await refusal()).code).toBe('secrets_exposed')
  })

  it.each([
    ['no JSON', (text: string) => text.slice(0, -10)],
    ['a missing secret', (text: string) => text.replace('gateway_key', 'other_key')],
    ['a weak secret', (text: string) => text.replace(/"operator_token": "[^"]+"/, '"operator_token": "hunter2"')],
    ['another version', (text: string) => text.replace('"version": 1', '"version": 2')],
  ])('refuse %s without repeating a secret', async (_what, damage) => {
    const { operatorToken } = await openPlatformSecrets(file)
    await writeFile(file, damage(await readFile(file, 'utf8')))
    const error = await refusal()
    expect(error.code).toBe('secrets_invalid')
    expect(error.message).not.toContain(operatorToken)
    expect(error.message).not.toContain('hunter2')
  })
})
