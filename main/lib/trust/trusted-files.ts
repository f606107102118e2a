// Files of a project that a person has allowed: `.env` to set variables, the file of an own approach to be called or started. What is allowed is the content: a changed file must be allowed again.
import { hash } from 'node:crypto'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { keepValue, keptValue } from './trusted-addresses.ts'

type Environment = Readonly<Record<string, string | undefined>>

const FILE = 'trusted-files.json'

/** SHA-256 of the content, by real path. */
function kept(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(keptValue(FILE, env) ?? {}).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  )
}

export const isFileTrusted = (file: string, bytes: Buffer, env: Environment = process.env): boolean =>
  kept(env)[realpathSync(file)] === hash('sha256', bytes)

/** Throws the system's error for a file that cannot be read, or a list that cannot be written. */
export function trustFile(file: string, env: Environment = process.env): void {
  keepValue(FILE, { ...kept(env), [realpathSync(file)]: hash('sha256', readFileSync(file)) }, env)
}

/** A file that is gone is named by the path under which it was allowed. */
export function distrustFile(file: string, env: Environment = process.env): void {
  const { [existsSync(file) ? realpathSync(file) : file]: _gone, ...others } = kept(env)
  keepValue(FILE, others, env)
}

/** The digests of those files of a project that are allowed as they are now. A file that cannot be read is not. */
export function trustedDigests(files: readonly string[], env: Environment = process.env): string[] {
  return files.flatMap((file) => {
    try {
      const bytes = readFileSync(file)
      return isFileTrusted(file, bytes, env) ? [hash('sha256', bytes)] : []
    } catch {
      return []
    }
  })
}

export const trustedFiles = (env: Environment = process.env): string[] => Object.keys(kept(env)).toSorted()
