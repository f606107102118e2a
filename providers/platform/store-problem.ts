import { PlatformConfigError } from './config.ts'

/** SQLite cannot open longer paths. */
const LONGEST_PATH = 500

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

function storeProblem(file: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const codes = [codeOf(error), codeOf(error.cause)]
  const isOutside =
    codes.some((code) => OUTSIDE.test(code)) || /made by another version|directory does not exist/.test(error.message)
  if (!isOutside || codes.some((code) => /^SQLITE_(?:BUSY|LOCKED)/.test(code))) return error
  const reason = error.message.replaceAll(`${file}: `, '').split('. ')[0]!
  return new PlatformConfigError([`${file} cannot be used: ${reason}. ${remedy(file, `${codes.join()} ${reason}`)}`])
}

const OUTSIDE =
  /^(?:SQLITE_(?:CANTOPEN|CORRUPT|FULL|IOERR|NOTADB|PERM|READONLY)|EACCES|EDQUOT|EISDIR|ENAMETOOLONG|ENOSPC|ENOTDIR|EPERM|EROFS|vector_store_unavailable|state_store_unavailable)/

const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' ? code : ''
}

function remedy(file: string, what: string): string {
  if (file.length > LONGEST_PATH) return `Move the project to a shorter path: this one has ${file.length} characters`
  if (/FULL|ENOSPC|EDQUOT|is full/.test(what)) return 'Free space on its disk, then start again'
  if (/READONLY|PERM|EACCES|EROFS|CANTOPEN|IOERR|readonly|unable to open/.test(what))
    return 'Make the file and its folder readable and writable for this user, then start again'
  return 'Move the file away and ingest the corpus again, or run the ladder with a cold reset (--cold-reset)'
}
