import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from '../kit/logger.ts'
import type { ClosingList } from './closing-list.ts'
import type { PlatformConfig } from './config.ts'
import { openPlatformDatabase } from './database/platform-database.ts'
import { ObjectStore } from './storage/object-store.ts'
import { registerStorageRoutes } from './storage/routes.ts'
import { registerTaskRoutes } from './tasks/routes.ts'
import { storedSigningSecret } from './tasks/task-settings.ts'
import { TaskStore } from './tasks/task-store.ts'
import { TaskWorker } from './tasks/task-worker.ts'

/** The platform's own records: background jobs and stored objects, in one database. */
export interface RecordsPart {
  /** Throws when the database cannot be read. */
  probe(): void
}

export interface RecordsOptions {
  app: FastifyInstance
  /** The database. */
  file: string
  config: Pick<PlatformConfig, 'stateDir' | 'tasks' | 'storage'>
  logger: Logger
  closing: ClosingList
}

/** Opens the database, registers the routes of its records and starts the worker of background jobs. */
export function openRecords({ app, file, config, logger, closing }: RecordsOptions): RecordsPart {
  const database = openPlatformDatabase(file)
  closing.add(async () => database.close())
  const { tasks: settings, storage, stateDir } = config
  const objects = new ObjectStore(database, join(stateDir, 'storage'), storage)
  registerStorageRoutes(app, objects, storage.maxUploadBytes)
  const tasks = new TaskStore(database, {
    secret: settings.signingSecret ?? storedSigningSecret(stateDir),
    visibilityTimeoutMs: settings.visibilityTimeoutMs,
  })
  const worker = new TaskWorker({ store: tasks, handlers: {}, settings, logger })
  closing.add(() => worker.stop())
  registerTaskRoutes(app, tasks)
  worker.start()
  return { probe: () => void database.prepare('SELECT count(*) FROM tasks').get() }
}
