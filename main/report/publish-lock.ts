import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { OsLock } from '../lib/os-lock.ts'
import { openStateFolder } from '../supervisor/state-folder.ts'
import { ReportError } from './report-error.ts'

const WAIT_MS = 30_000
const LOOK_EVERY_MS = 20

/**
 * Runs `work` as the only publisher of a project: catalogue, index and page are read, changed and written back. The system frees the lock
 * when its process dies. Throws `ReportError` `publish_busy` when another publisher takes longer than the wait.
 */
export async function whilePublishing<Result>(
  root: string,
  work: () => Promise<Result>,
  waitMs = WAIT_MS,
): Promise<Result> {
  const folder = join(root, '.rag-ladder')
  await openStateFolder(folder)
  const file = join(folder, 'publish.lock')
  const lock = new OsLock(file)
  try {
    const giveUpAt = performance.now() + waitMs
    while (!lock.tryLock()) {
      if (performance.now() > giveUpAt)
        throw new ReportError('publish_busy', `another process publishes (${file} is held): publish again later`, {
          file,
        })
      await delay(LOOK_EVERY_MS)
    }
    try {
      return await work()
    } finally {
      lock.unlock()
    }
  } finally {
    lock.close()
  }
}
