import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import Database from 'better-sqlite3'

const LOOK_AGAIN_MS = 250

const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')

/**
 * Runs `work` while no other process does so with this folder. The lock is the operating system's, by way of an empty SQLite file, and is
 * freed when its holder dies in whatever way. Rejects with the signal's reason when it aborts while waiting.
 */
export async function withDownloadLock<Result>(
  folder: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  await mkdir(folder, { recursive: true })
  const database = new Database(join(folder, '.download.lock'), { timeout: 0 })
  try {
    database.pragma('journal_mode = MEMORY')
    while (!tryBegin(database)) await delay(LOOK_AGAIN_MS, undefined, { signal })
    return await work()
  } finally {
    database.close()
  }
}

function tryBegin(database: Database.Database): boolean {
  try {
    database.exec('BEGIN IMMEDIATE')
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}
