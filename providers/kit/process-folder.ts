import { readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Beginning of a temporary folder's name that carries this process's id, for `mkdtemp`. */
export const processFolderPrefix = (prefix: string): string => join(tmpdir(), `${prefix}${process.pid}-`)

/** Removes the folders that processes left with that prefix when they were killed. */
export function removeAbandonedFolders(prefix: string, folder = tmpdir()): void {
  for (const name of readdirSync(folder)) {
    // A name without a process id is not of this version: its owner is unknown and may be running.
    const pid = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1]
    if (pid === undefined || isRunning(Number(pid))) continue
    try {
      rmSync(join(folder, name), { recursive: true, force: true })
    } catch {
      // It belongs to another user.
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
