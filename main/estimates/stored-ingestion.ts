import { join } from 'node:path'
import Database from 'better-sqlite3'
import { STATE_FOLDER } from '../manifests/project/project-folder.ts'
import { embeddedStateDir } from '../runner/platform/platform-source.ts'

const LATEST = `SELECT id FROM tasks JOIN ingestions ON task_id = id WHERE status = 'succeeded' ORDER BY seq DESC LIMIT 1`

/** Returns the job whose collections the embedded platform has stored for a profile; null where there are none. */
export function storedIngestion(root: string, profile: string): string | null {
  const file = join(embeddedStateDir(join(root, STATE_FOLDER), profile), 'ingestion.sqlite')
  let database: Database.Database | null = null
  try {
    database = new Database(file, { fileMustExist: true })
    return database.prepare<[], string>(LATEST).pluck().get() ?? null
  } catch {
    // The platform reports a file that cannot be used when the run starts.
    return null
  } finally {
    database?.close()
  }
}
