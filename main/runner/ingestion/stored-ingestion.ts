import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { STATE_FOLDER } from '../../manifests/project/project-folder.ts'
import { embeddedStateDir } from '../platform/platform-source.ts'

const LATEST = `SELECT id FROM tasks JOIN ingestions ON task_id = id WHERE status = 'succeeded' ORDER BY seq DESC LIMIT 1`

/** File in which the embedded platform keeps the jobs of a profile; it is removed together with the collections. */
export const ingestionFile = (root: string, profile: string): string =>
  join(embeddedStateDir(join(root, STATE_FOLDER), profile), 'ingestion.sqlite')

/** Returns the job whose collections the embedded platform has stored for a profile; null where there are none, undefined where they cannot be read. */
export const storedIngestion = (root: string, profile: string): string | null | undefined =>
  jobIn(ingestionFile(root, profile))

/** The last job of a file that made its collections, in the same way. */
export const jobIn = (file: string): string | null | undefined =>
  askFile(file, (database) => database.prepare<[], string>(LATEST).pluck().get() ?? null)

/** The result of a query on a file of the embedded platform; null for a missing file, undefined for one that cannot be read. */
export function askFile<Result>(
  file: string,
  query: (database: Database.Database) => Result,
): Result | null | undefined {
  if (!existsSync(file)) return null
  let database: Database.Database | null = null
  try {
    database = new Database(file, { fileMustExist: true })
    return query(database)
  } catch {
    return undefined
  } finally {
    database?.close()
  }
}
