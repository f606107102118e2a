// Keys of connections in the person's key store (`main/lib/trust/model-keys.ts`): which connection has one, how it is set and removed, and how it gets to
// what calls the service. The files of a project and of a person hold `api_key: stored` only.
import {
  connectionAddress,
  connectionKey,
  hasStoredKey,
  storedKeyVariables,
  type Connection,
} from '../../../contract/manifests/model-connections.ts'
import { fillPlaceholders } from '../../../contract/manifests/models.ts'
import { SecretText } from '../../../contract/control/settings.ts'
import { deleteKey, storedKey, storedKeys, storeKey } from '../../lib/trust/model-keys.ts'
import { originOf } from '../../lib/trust/trusted-addresses.ts'
import { InputError } from '../runner-inputs.ts'

type Env = Readonly<Record<string, string | undefined>>
type Connections = Readonly<Record<string, Connection>>

/** Returns where a connection sends its key: scheme, host and port. Null while a variable of the address is unset, or where it is not an address. */
function connectionOrigin(connection: Connection, env: Env): string | null {
  const address = fillPlaceholders(connectionAddress(connection), env)
  return address.ok ? originOf(address.value) : null
}

/** The key that is stored for a connection at its address; null where there is none. Throws `SecretsError`. */
async function keyOfConnection(name: string, connection: Connection, env: Env): Promise<string | null> {
  const origin = connectionOrigin(connection, env)
  return origin === null ? null : storedKey(env, name, origin)
}

/**
 * The variables that carry the stored keys of a project's connections, for the environment that models are resolved and called with. A key whose
 * connection is at another address now is left out. Throws `SecretsError`.
 */
export async function storedKeyEnvironment(connections: Connections, env: Env): Promise<Record<string, string>> {
  const entries = await Promise.all(
    Object.entries(connections).map(async ([name, connection]) => {
      if (!hasStoredKey(connection)) return []
      const [origin, key] = [connectionOrigin(connection, env), await keyOfConnection(name, connection, env)]
      const variables = storedKeyVariables(name)
      return origin === null || key === null ? [] : [[variables.key, key] as const, [variables.origin, origin] as const]
    }),
  )
  return Object.fromEntries(entries.flat())
}

/** Throws `InputError` for what cannot be a key, without repeating it. */
export function checkedKey(text: string): string {
  const key = text.trim()
  if (key === '') throw new InputError(['no key was given'])
  const parsed = SecretText.safeParse(key)
  if (parsed.success) return key
  throw new InputError(['invalid key: expected at most 8192 printable characters without blanks'])
}

/** The origin that a key is stored for. Throws `InputError` where the connection has no usable address. */
export function originForKey(name: string, connection: Connection, env: Env): string {
  const origin = connectionOrigin(connection, env)
  if (origin !== null) return origin
  throw new InputError([
    `the address of the connection ${name} cannot be used: ${connectionAddress(connection)}. Correct it, or set its variable, before you store a key`,
  ])
}

/** Stores a key for a connection at the address that it has now. Throws `InputError`. */
export async function keepKey(name: string, connection: Connection, key: string, env: Env): Promise<string> {
  const origin = originForKey(name, connection, env)
  await storeKey(env, { connection: name, origin, key: checkedKey(key) })
  return origin
}

/** Deletes the key of a connection at its address; false where there is none. */
export async function dropKey(name: string, connection: Connection, env: Env): Promise<boolean> {
  const origin = connectionOrigin(connection, env)
  return origin === null ? false : deleteKey(env, name, origin)
}

type KeyState = { place: 'none' | 'environment' | 'stored'; variable: string | null; isThere: boolean }

/** Returns where a connection's key comes from, and whether it is there. Throws `SecretsError`. */
export async function keyState(name: string, connection: Connection, env: Env): Promise<KeyState> {
  if (hasStoredKey(connection))
    return { place: 'stored', variable: null, isThere: (await keyOfConnection(name, connection, env)) !== null }
  const variable = connectionKey(connection)
  if (variable === null) return { place: 'none', variable, isThere: true }
  return { place: 'environment', variable, isThere: (env[variable] ?? '') !== '' }
}

/** Stored keys that no connection of this project uses: of other projects, of removed connections, and of addresses that changed. */
export async function unusedKeys(
  connections: Connections,
  env: Env,
): Promise<{ connection: string; origin: string }[]> {
  const isUsed = (name: string, origin: string): boolean =>
    Object.hasOwn(connections, name) &&
    hasStoredKey(connections[name]!) &&
    connectionOrigin(connections[name]!, env) === origin
  return (await storedKeys(env))
    .filter(({ connection, origin }) => !isUsed(connection, origin))
    .map(({ connection, origin }) => ({ connection, origin }))
}
