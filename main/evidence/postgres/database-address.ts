import { rememberSecrets } from '../../../core/known-secrets.ts'

/** A PostgreSQL database, as a run names it. */
export interface DatabaseAddress {
  /** Holds what is connected to. It may hold a password, so it is never printed, stored or given to another process. */
  connectionString: string
  /** Host, port and database without user and password: for messages and records. */
  label: string
}

const EXPECTED = 'expected an address such as postgres://user@host:5432/database'

/** Returns true when a text is meant as the address of a database and not as a path. */
export const isDatabaseAddress = (text: string): boolean => /^postgres(?:ql)?:/i.test(text)

/**
 * Why a text cannot be the address of a database; null for one that can. The text itself is not repeated, because it may hold a password.
 * `password: 'refused'` is for command lines, which every process of the machine can read.
 */
export function databaseAddressProblem(text: string, { password }: { password: 'allowed' | 'refused' }): string | null {
  if (!isDatabaseAddress(text) || !URL.canParse(text)) return EXPECTED
  const url = new URL(text)
  if (url.pathname.length < 2) return `${EXPECTED}: the name of the database is missing`
  if (password === 'allowed' || (url.password === '' && !url.searchParams.has('password'))) return null
  return 'remove the password from the address: set MATRIX_EVIDENCE_URL with it, or PGPASSWORD'
}

/** Reads an address that has no problem; its password is recognized in texts from then on. */
export function databaseAddress(text: string): DatabaseAddress {
  const url = new URL(text)
  rememberSecrets(decoded(url.password), url.searchParams.get('password'))
  const host = url.hostname || (url.searchParams.get('host') ?? 'localhost')
  return { connectionString: text, label: `postgres://${host}:${url.port || '5432'}${url.pathname}` }
}

/** An address from the command line, as the variable has it with its password where both name the same database. */
export function withKnownPassword(address: string, known: string | null): string {
  if (known === null) return address
  const [given, variable] = [new URL(address), new URL(known)]
  const isSame = given.host === variable.host && given.pathname === variable.pathname
  return isSame && (given.username === '' || given.username === variable.username) ? known : address
}

/** The same address as it may be given to other programs and shown: whoever uses it has the password from elsewhere. */
export function withoutPassword(address: string): string {
  const url = new URL(address)
  url.password = ''
  url.searchParams.delete('password')
  return url.href
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
