import { closeSync, openSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { limitBehind, type SystemLimit } from '../../../core/system-limit.ts'
import { PlatformConfigError } from './config.ts'

/** SQLite cannot open longer paths. */
const LONGEST_PATH = 500
/** A disk with less can hold no store. */
const FULL_BELOW_BYTES = 1024 * 1024

/**
 * Opens a store in `file`. A file that cannot be used is a fault of the set-up, because starting again would not help: throws
 * `PlatformConfigError` with file, reason and what to do. One that another process uses at this moment stays an error of its own.
 */
export async function openStore<Store>(file: string, open: () => Store | Promise<Store>): Promise<Store> {
  try {
    return await open()
  } catch (error) {
    throw storeProblem(file, error)
  }
}

/** Returns what the operating system refused, as a fault of the configuration that asked for it. */
export function systemProblem(problem: string, error: unknown): unknown {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return code === undefined ? error : new PlatformConfigError([`${problem} (${code})`])
}

/** Asks the service of a variable once: a wrong address or key would show at the first request that needs it, and again at each start. */
export async function startsWith(variable: string, probe: () => Promise<unknown>): Promise<void> {
  try {
    await probe()
  } catch (error) {
    throw new PlatformConfigError([`${variable}: ${error instanceof Error ? reasonIn(error) : String(error)}`])
  }
}

/** The sentence of a failed request; `fetch` itself only states that it failed, and a deadline is a DOMException. */
function reasonIn({ message, name, cause }: Error): string {
  if (name === 'TimeoutError') return 'gave no answer in time'
  return message === 'fetch failed' && cause instanceof Error ? `cannot be reached: ${cause.message}` : message
}

function storeProblem(file: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const codes = [codeOf(error), codeOf(error.cause)]
  const isOutside =
    codes.some((code) => OUTSIDE.test(code)) || /made by another version|directory does not exist/.test(error.message)
  if (!isOutside || codes.some((code) => /^SQLITE_(?:BUSY|LOCKED)/.test(code))) return error
  const limit = limitHit(file, codes)
  const reason = limit?.reason ?? error.message.replaceAll(`${file}: `, '').split('. ')[0]!
  const remedy = limit?.remedy ?? remedyOf(file, `${codes.join()} ${reason}`)
  return new PlatformConfigError([`${file} cannot be used: ${reason}. ${remedy[0]!.toUpperCase()}${remedy.slice(1)}`])
}

const OUTSIDE =
  /^(?:SQLITE_(?:CANTOPEN|CORRUPT|FULL|IOERR|NOTADB|PERM|READONLY)|EACCES|EDQUOT|EISDIR|EMFILE|ENAMETOOLONG|ENFILE|ENOSPC|ENOTDIR|EPERM|EROFS|vector_store_unavailable|state_store_unavailable)/

const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : ''
}

/** The limit behind a failure: SQLite reports a full disk as an I/O error, and no free file handle as a file that cannot be opened. */
function limitHit(file: string, codes: readonly string[]): SystemLimit | null {
  if (codes.some((code) => /CANTOPEN|EMFILE|ENFILE/.test(code)) && !hasFreeHandles())
    return limitBehind({ code: 'EMFILE' })
  if (
    codes.some((code) => /FULL|ENOSPC|EDQUOT/.test(code)) ||
    (codes.some((code) => /IOERR/.test(code)) && isFull(file))
  )
    return limitBehind({ code: 'ENOSPC' })
  return null
}

/** A database opens its file, two beside it and their folder. */
const HANDLES_OF_DATABASE = 4

function hasFreeHandles(): boolean {
  const opened: number[] = []
  try {
    while (opened.length < HANDLES_OF_DATABASE) opened.push(openSync(import.meta.filename, 'r'))
    return true
  } catch {
    return false
  } finally {
    for (const handle of opened) closeSync(handle)
  }
}

function isFull(file: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(file))
    return bavail * bsize < FULL_BELOW_BYTES
  } catch {
    return false
  }
}

function remedyOf(file: string, what: string): string {
  if (file.length > LONGEST_PATH) return `Move the project to a shorter path: this one has ${file.length} characters`
  if (/READONLY|PERM|EACCES|EROFS|CANTOPEN|IOERR|readonly|unable to open/.test(what))
    return 'Make the file and its folder readable and writable for this user, then start again'
  return 'Move the file away and ingest the corpus again, or start a run with a cold reset (Cold start)'
}
