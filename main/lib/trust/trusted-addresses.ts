// A project folder may come from anyone, and it names addresses: of models, judges, a gateway. A credential of this person goes to such an
// address only when the person has allowed it on this computer: by an environment variable, by `rag-ladder trust`, or by entering the address on
// the Settings page. What was allowed is kept in the person's own folder, never in a project.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { jsonIn } from '../../../core/json.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Comma-separated addresses that may get credentials, besides the stored ones. The platform, as a child, gets all of them through it. */
export const TRUSTED_VARIABLE = 'RAG_LADDER_TRUSTED_ADDRESSES'

/** Another place for what is kept per person. */
const USER_FOLDER_VARIABLE = 'RAG_LADDER_USER_DIR'

const FILE = 'trusted-addresses.json'

/** Folder of what is kept per person, whatever the project. */
export function userFolder(env: Environment = process.env): string {
  const named = env[USER_FOLDER_VARIABLE] ?? process.env[USER_FOLDER_VARIABLE]
  if (named !== undefined && named !== '') return named
  if (process.platform === 'win32') return join(env['APPDATA'] ?? join(homedir(), 'AppData/Roaming'), 'rag-ladder')
  if (process.platform === 'darwin') return join(homedir(), 'Library/Application Support/rag-ladder')
  return join(env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'rag-ladder')
}

/** Scheme, host and port of an http address; null for anything else. A credential goes to all paths of an origin or to none. */
export function originOf(address: string): string | null {
  if (!URL.canParse(address)) return null
  const { protocol, origin } = new URL(address)
  return protocol === 'http:' || protocol === 'https:' ? origin : null
}

const origins = (addresses: readonly string[]): string[] =>
  addresses.flatMap((address) => originOf(address.trim()) ?? [])

function kept(env: Environment): string[] {
  const list = keptValue(FILE, env)
  return Array.isArray(list) ? origins(list.filter((each): each is string => typeof each === 'string')) : []
}

/** The value of a JSON file that is kept per person; undefined for a missing or damaged one, by which nothing is trusted. */
export function keptValue(name: string, env: Environment): unknown {
  try {
    return jsonIn(readFileSync(join(userFolder(env), name), 'utf8'))
  } catch {
    return undefined
  }
}

/** Origins that may get credentials, sorted. */
export function trustedOrigins(env: Environment = process.env): string[] {
  return [...new Set([...origins((env[TRUSTED_VARIABLE] ?? '').split(',')), ...kept(env)])].toSorted()
}

export function isTrusted(address: string, env: Environment = process.env): boolean {
  const origin = originOf(address)
  return origin !== null && trustedOrigins(env).includes(origin)
}

/** Keeps addresses as trusted; throws the system's error when that cannot be written. */
export function trustAddresses(addresses: readonly string[], env: Environment = process.env): void {
  const before = kept(env)
  const after = [...new Set([...before, ...origins(addresses)])].toSorted()
  if (after.length > before.length) keepValue(FILE, after, env)
}

/** Forgets addresses that were kept; those of the variable stay. */
export function distrustAddresses(addresses: readonly string[], env: Environment = process.env): void {
  const gone = origins(addresses)
  const others = kept(env).filter((origin) => !gone.includes(origin))
  keepValue(FILE, others, env)
}

/** Replaces a JSON file that is kept per person, readable by this person only. Throws the system's error. */
export function keepValue(name: string, value: unknown, env: Environment): void {
  const folder = userFolder(env)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const temporary = join(folder, `.${name}.${process.pid}.tmp`)
  writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(temporary, join(folder, name))
}
