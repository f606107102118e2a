import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { OsLock } from '../lib/os-lock.ts'
import { EngineConfigError } from './engine-config.ts'

/**
 * The right to be a project's engine: two would start the same runs. The system frees it when the process dies. Throws `EngineConfigError`
 * while another has it. The folder must be there.
 */
export function lockProject(stateDir: string): OsLock {
  const file = join(stateDir, 'engine.lock')
  const lock = orConfigError(stateDir, () => {
    // A lock on what cannot be written excludes no other process.
    closeSync(openSync(file, 'a', 0o600))
    return new OsLock(file)
  })
  if (lock.tryLock()) return lock
  lock.close()
  throw new EngineConfigError(`another engine is at work on this project (${file} is held): use its window or its link`)
}

const OUTSIDE =
  /^(?:EACCES|EDQUOT|EEXIST|EISDIR|ENAMETOOLONG|ENOSPC|ENOTDIR|EPERM|EROFS|SQLITE_(?:CANTOPEN|FULL|IOERR|READONLY))/

/** What the system refuses below the state folder, as a fault of the set-up that names the path; any other error as it is. */
export function asConfigError(stateDir: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { code = '', path = stateDir } = error as NodeJS.ErrnoException
  if (!OUTSIDE.test(code)) return error
  const what = /^(?:EEXIST|EISDIR|ENOTDIR)/.test(code)
    ? 'something else has its name: move that away'
    : /^(?:EDQUOT|ENOSPC|SQLITE_FULL)/.test(code)
      ? 'its disk is full: free space'
      : 'make it and its folder readable and writable for this user, or choose another project folder'
  return new EngineConfigError(`${path} cannot be used (${code}): ${what}, then start again`, { cause: error })
}

function orConfigError<Result>(stateDir: string, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    throw asConfigError(stateDir, error)
  }
}
