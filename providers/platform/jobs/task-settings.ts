import { randomBytes, randomUUID } from 'node:crypto'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EnvReader } from '../../kit/env-reader.ts'

export interface TaskSettings {
  /** Tasks that run at once in this process. */
  concurrency: number
  /** Tasks that this process reserves for each one that it can run. */
  prefetchMultiplier: number
  /** After this time a task's signal aborts. */
  softLimitMs: number
  /** After this time a task has failed, whatever its handler does. */
  hardLimitMs: number
  /** Limits how long one process may keep a reserved task before others may take it. */
  visibilityTimeoutMs: number
  /** Null: the state folder keeps a random one. */
  signingSecret: string | null
}

const MIN_SECRET_BYTES = 32

/** Reads `TASK_*`: the soft limit is below the hard one, which is below the visibility timeout. */
export function readTaskSettings(reader: EnvReader): TaskSettings {
  const soft = reader.integer('TASK_SOFT_TIME_LIMIT_SECONDS', { min: 1, max: 86_399 })
  const hard = reader.integer('TASK_TIME_LIMIT_SECONDS', { min: 2, max: 86_400 })
  const visibility = reader.integer('TASK_BROKER_VISIBILITY_TIMEOUT_SECONDS', { min: 3, max: 604_800 })
  if (hard <= soft)
    reader.problems.push(`TASK_TIME_LIMIT_SECONDS: ${hard} must be greater than TASK_SOFT_TIME_LIMIT_SECONDS (${soft})`)
  if (visibility <= hard)
    reader.problems.push(
      `TASK_BROKER_VISIBILITY_TIMEOUT_SECONDS: ${visibility} must be greater than TASK_TIME_LIMIT_SECONDS (${hard})`,
    )
  const signingSecret = reader.optional('TASK_SIGNING_SECRET')
  if (signingSecret !== null && Buffer.byteLength(signingSecret) < MIN_SECRET_BYTES)
    reader.problems.push(`TASK_SIGNING_SECRET: shorter than ${MIN_SECRET_BYTES} bytes`)
  return {
    concurrency: reader.integer('TASK_WORKER_CONCURRENCY', { min: 1, max: 1024 }),
    prefetchMultiplier: reader.integer('TASK_WORKER_PREFETCH_MULTIPLIER', { min: 1, max: 1024 }),
    softLimitMs: soft * 1000,
    hardLimitMs: hard * 1000,
    visibilityTimeoutMs: visibility * 1000,
    signingSecret,
  }
}

/** The secret that the state folder keeps for itself, made at the first start. */
export function storedSigningSecret(stateDir: string): string {
  const file = join(stateDir, 'task-signing-secret')
  // An earlier version wrote the file in place, where a kill left it empty.
  if (statSync(file, { throwIfNoEntry: false })?.size === 0) rmSync(file)
  if (!existsSync(file)) nameSecret(file)
  return readFileSync(file, 'utf8')
}

/** Stores a new secret whole or not at all; of two processes that start at once, the first one stores it. */
function nameSecret(file: string): void {
  const aside = `${file}.${randomUUID()}.new`
  writeFileSync(aside, randomBytes(32).toString('hex'), { flag: 'wx', mode: 0o600, flush: true })
  try {
    linkSync(aside, file)
  } catch (error) {
    // There are file systems without hard links.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') renameSync(aside, file)
  } finally {
    rmSync(aside, { force: true })
  }
}
