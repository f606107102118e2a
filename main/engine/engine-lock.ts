import { join } from 'node:path'
import { OsLock } from '../evidence/os-lock.ts'
import { EngineConfigError } from './engine-config.ts'

/**
 * The right to be a project's engine: two would start the same runs. The system frees it when the process dies. Throws `EngineConfigError`
 * while another has it. The folder must be there.
 */
export function lockProject(stateDir: string): OsLock {
  const file = join(stateDir, 'engine.lock')
  const lock = new OsLock(file)
  if (lock.tryLock()) return lock
  lock.close()
  throw new EngineConfigError(`another engine is at work on this project (${file} is held): use its window or its link`)
}
