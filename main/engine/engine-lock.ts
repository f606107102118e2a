import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { OsLock } from '../lib/files/os-lock.ts'
import { EngineConfigError } from './engine-config.ts'

/**
 * Locks a project for one engine: two would start the same runs. The system releases the lock when the process ends. Throws `EngineConfigError`
 * while another process has it. The folder must exist.
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
  throw new EngineConfigError(
    `another engine is running for this project (${file} is locked): use its window or its link`,
  )
}

const OUTSIDE =
  /^(?:EACCES|EDQUOT|EEXIST|EISDIR|ENAMETOOLONG|ENOSPC|ENOTDIR|EPERM|EROFS|SQLITE_(?:CANTOPEN|FULL|IOERR|READONLY))/

/** A system error below the state folder becomes an error of the set-up that names the path; any other error is returned as it is. */
export function asConfigError(stateDir: string, error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { code = '', path = stateDir } = error as NodeJS.ErrnoException
  if (!OUTSIDE.test(code)) return error
  const what = /^(?:EEXIST|EISDIR|ENOTDIR)/.test(code)
    ? 'move or rename what is there'
    : /^(?:EDQUOT|ENOSPC|SQLITE_FULL)/.test(code)
      ? 'the disk is full: free space'
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
