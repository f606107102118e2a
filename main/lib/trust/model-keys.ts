// Keys of connections to model services that a person has stored on this computer: one file each in the person's own folder, never in a project,
// which people send each other. A key is kept for a connection's name and the origin that it was entered for, and is given out for both only.
import { hash } from 'node:crypto'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { describeIssues } from '../../../core/issues.ts'
import { SecretText } from '../../../contract/control/settings.ts'
import { rememberSecrets } from '../../../core/known-secrets.ts'
import { jsonIn } from '../../../core/json.ts'
import { readPrivateFile, SecretsError, writePrivateFile } from '../files/private-file.ts'
import { userFolder } from './trusted-addresses.ts'
import { orIfMissing } from '../files/missing-file.ts'

type Environment = Readonly<Record<string, string | undefined>>

const KeyFile = z.strictObject({
  version: z.literal(1),
  connection: z.string().min(1),
  /** Scheme, host and port. */
  origin: z.url(),
  key: SecretText,
})

interface StoredKey {
  connection: string
  origin: string
  key: string
}

const PURPOSE = 'and store the key again'

export const modelKeysFolder = (env: Environment = process.env): string => join(userFolder(env), 'model-keys')

/** Names of connections may differ in case only, which some file systems do not distinguish. */
const fileOf = (env: Environment, connection: string, origin: string): string => {
  const name = hash('sha256', `${connection}\n${origin}`).slice(0, 32)
  return join(modelKeysFolder(env), `${name}.json`)
}

/** The key of a connection at an origin; null where none is stored. Throws `SecretsError`. */
export async function storedKey(env: Environment, connection: string, origin: string): Promise<string | null> {
  const stored = await readKey(fileOf(env, connection, origin))
  return stored?.connection === connection && stored.origin === origin ? stored.key : null
}

/** Every stored key, sorted by connection and origin. Throws `SecretsError`. */
export async function storedKeys(env: Environment = process.env): Promise<StoredKey[]> {
  const read = (await keyFiles(env)).map(readKey)
  return (await Promise.all(read))
    .filter((each) => each !== null)
    .toSorted((a, b) => a.connection.localeCompare(b.connection) || a.origin.localeCompare(b.origin))
}

/** Stores a key in place of the one that the connection had at this origin. Throws `SecretsError` for what cannot be a key, and the system's error. */
export async function storeKey(env: Environment, { connection, origin, key }: StoredKey): Promise<void> {
  const file = fileOf(env, connection, origin)
  const parsed = KeyFile.safeParse({ version: 1, connection, origin, key })
  if (!parsed.success) throw new SecretsError('secrets_invalid', file, describeIssues(parsed.error).join('; '))
  rememberSecrets(key)
  await mkdir(modelKeysFolder(env), { recursive: true, mode: 0o700 })
  await writePrivateFile(file, `${JSON.stringify(parsed.data, null, 2)}\n`, (temporary) => rename(temporary, file))
}

/** Deletes a stored key; false where there was none. */
export async function deleteKey(env: Environment, connection: string, origin: string): Promise<boolean> {
  const removal = rm(fileOf(env, connection, origin)).then(() => true)
  return orIfMissing(removal, false)
}

/** Registers all stored keys, so that no text with one of them is stored or printed. A file that cannot be read is reported where its key is used. */
export async function rememberStoredKeys(env: Environment = process.env): Promise<void> {
  const files = await keyFiles(env).catch(() => [])
  await Promise.all(files.map((file) => readKey(file).catch(() => null)))
}

async function keyFiles(env: Environment): Promise<string[]> {
  const folder = modelKeysFolder(env)
  const names = await orIfMissing(readdir(folder), [])
  return names.filter((name) => /^[0-9a-f]{32}\.json$/.test(name)).map((name) => join(folder, name))
}

/** No word of the file's content gets into a message. */
async function readKey(file: string): Promise<StoredKey | null> {
  const text = await readPrivateFile(file, PURPOSE)
  if (text === null) return null
  const parsed = KeyFile.safeParse(jsonIn(text))
  if (!parsed.success)
    throw new SecretsError('secrets_invalid', file, `is not a file with a key of this version. Delete it ${PURPOSE}`)
  const { connection, origin, key } = parsed.data
  rememberSecrets(key)
  return { connection, origin, key }
}
