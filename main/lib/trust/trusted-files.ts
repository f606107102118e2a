// A file of a project that a person has allowed to set variables. What is allowed is its content: a changed file must be allowed again.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { userFolder } from './trusted-addresses.ts'

type Environment = Readonly<Record<string, string | undefined>>

const FILE = 'trusted-files.json'

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** SHA-256 of the content, by real path. */
function kept(env: Environment): Record<string, string> {
  try {
    const parsed: unknown = JSON.parse(readFileSync(join(userFolder(env), FILE), 'utf8'))
    return Object.fromEntries(
      Object.entries(parsed as Record<string, unknown>).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    )
  } catch {
    // Missing or damaged: nothing is trusted by it.
    return {}
  }
}

function keep(files: Record<string, string>, env: Environment): void {
  const folder = userFolder(env)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const temporary = join(folder, `.${FILE}.${process.pid}.tmp`)
  writeFileSync(temporary, `${JSON.stringify(files, null, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, join(folder, FILE))
}

export const isFileTrusted = (file: string, bytes: Buffer, env: Environment = process.env): boolean =>
  kept(env)[realpathSync(file)] === digestOf(bytes)

/** Throws the system's error for a file that cannot be read, or a list that cannot be written. */
export function trustFile(file: string, env: Environment = process.env): void {
  keep({ ...kept(env), [realpathSync(file)]: digestOf(readFileSync(file)) }, env)
}

/** A file that is gone is named by the path under which it was allowed. */
export function distrustFile(file: string, env: Environment = process.env): void {
  const { [existsSync(file) ? realpathSync(file) : file]: _gone, ...others } = kept(env)
  keep(others, env)
}

/** The digests of those files of a project that are allowed as they are now. A file that cannot be read is not. */
export function trustedDigests(files: readonly string[], env: Environment = process.env): string[] {
  return files.flatMap((file) => {
    try {
      const bytes = readFileSync(file)
      return isFileTrusted(file, bytes, env) ? [digestOf(bytes)] : []
    } catch {
      return []
    }
  })
}

export const trustedFiles = (env: Environment = process.env): string[] => Object.keys(kept(env)).toSorted()
