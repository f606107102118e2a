import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Logger } from '../../kit/logger.ts'
import type { ClosingList } from '../jobs/closing-list.ts'
import { registerImageRoutes } from '../specified/compatibility/image-routes.ts'
import { openAssets } from '../specified/compatibility/assets/assets-part.ts'
import { PlatformConfigError } from './config.ts'
import type { PlatformConfig } from './config.ts'
import type { Database } from '../stores/database/database.ts'
import type { PostgresSettings } from '../stores/database/database-settings.ts'
import { openSqliteDatabase } from '../stores/database/sqlite-database.ts'
import { CONSOLIDATION, consolidation } from '../specified/memory/consolidate.ts'
import { openMedia } from '../specified/media/media-part.ts'
import { MEDIA } from '../specified/media/run-operation.ts'
import { MemoryIndex } from '../specified/memory/memory-index.ts'
import { MemoryStore } from '../specified/memory/memory-store.ts'
import { registerMemoryRoutes } from '../specified/memory/routes.ts'
import type { ModelHost } from '../models/model-host.ts'
import { openStore, startsWith } from './open-store.ts'
import { quietly, repeat } from '../jobs/repeat.ts'
import { openResearch } from '../specified/research/research-part.ts'
import { RESEARCH } from '../specified/research/run-research.ts'
import type { CorpusSearchDeps } from '../specified/research/sources.ts'
import { folderBytes } from '../specified/storage/object-bytes.ts'
import type { ObjectBytes } from '../specified/storage/object-bytes.ts'
import { ObjectStore } from '../specified/storage/object-store.ts'
import { registerStorageRoutes } from '../specified/storage/routes.ts'
import type { StorageSettings } from '../specified/storage/storage-settings.ts'
import { registerTaskRoutes } from '../jobs/routes.ts'
import { storedSigningSecret } from '../jobs/task-settings.ts'
import { TaskStore } from '../jobs/task-store.ts'
import { TaskWorker } from '../jobs/task-worker.ts'
import { openSqliteVectorStore } from '../stores/vector-store/sqlite-vector-store.ts'

/** The platform's own records: background jobs, stored objects, memory, research and media, in one database. */
export interface RecordsPart {
  /** Rejects when the database cannot be read. */
  probe(): Promise<void>
  /** Rejects when the bytes of objects cannot be reached. */
  probeObjects(): Promise<void>
}

export interface RecordsOptions {
  app: FastifyInstance
  /** Of the database, unless the settings name another one. */
  file: string
  config: Pick<
    PlatformConfig,
    'stateDir' | 'database' | 'tasks' | 'storage' | 'memory' | 'research' | 'media' | 'assets' | 'consumer'
  >
  models: ModelHost
  /** Holds what research searches. */
  corpora: Omit<CorpusSearchDeps, 'models'>
  logger: Logger
  closing: ClosingList
}

/** Opens the database, registers the routes of its records and starts the worker of background jobs. */
export async function openRecords(options: RecordsOptions): Promise<RecordsPart> {
  const { app, file, config, models, corpora, logger, closing } = options
  const database = await openDatabase(config.database, file)
  closing.add(() => database.close())
  const { tasks: settings, storage, stateDir } = config
  // Before anything works in the background: a store that cannot be used ends the start.
  const vectorsFile = join(stateDir, 'memory-vectors.sqlite')
  const vectors = await openStore(vectorsFile, () => openSqliteVectorStore(vectorsFile))
  closing.add(() => vectors.close())
  await openStore(vectorsFile, () => vectors.list())
  const folder = join(stateDir, 'storage')
  const bytes = await openBytes(storage, folder)
  closing.add(async () => bytes.close())
  const objects = new ObjectStore({ database, bytes, incoming: join(folder, '.incoming'), settings: storage })
  const sweep = quietly(logger, 'abandoned uploads cannot be removed', () => objects.sweep())
  void sweep()
  closing.add(repeat(sweep, HOUR_MS))
  registerStorageRoutes(app, objects, storage.maxUploadBytes)
  openAssets({ app, objects, settings: config.assets, logger, closing })
  const tasks = new TaskStore(database, {
    secret: settings.signingSecret ?? storedSigningSecret(stateDir),
    visibilityTimeoutMs: settings.visibilityTimeoutMs,
  })
  const memory = new MemoryStore(database, config.memory)
  const index = new MemoryIndex({
    store: memory,
    vectors,
    embed: (texts, side, signal) => models.embed('embed', texts, side, signal),
    embeddingSpace: models.embeddingSpace(),
  })
  const handlers = { [CONSOLIDATION]: consolidation({ store: memory, index }) }
  const worker = new TaskWorker({ store: tasks, handlers, settings, logger })
  closing.add(() => worker.stop())
  registerTaskRoutes(app, tasks, [RESEARCH, MEDIA], (id) => worker.cancel(id))
  registerMemoryRoutes(app, {
    store: memory,
    index,
    consolidate: async (order) => {
      const task = await tasks.add({ kind: CONSOLIDATION, subject: order.user_id, payload: order })
      worker.wake()
      return task
    },
  })
  const { research } = config
  await openResearch({ app, tasks, settings: research, taskSettings: settings, models, corpora, logger, closing })
  const media = await openMedia({
    app,
    database,
    tasks,
    objects,
    settings: config.media,
    taskSettings: settings,
    fileMaxBytes: storage.maxUploadBytes,
    ownConsumer: config.consumer.project,
    logger,
    closing,
  })
  registerImageRoutes(app, media)
  worker.start()
  return {
    probe: async () => void (await database.get('SELECT 1 FROM tasks LIMIT 1')),
    probeObjects: () => bytes.probe(),
  }
}

/** The client of PostgreSQL is loaded only where it is used. */
async function openDatabase(settings: PostgresSettings | null, file: string): Promise<Database> {
  if (settings === null) return openSqliteDatabase(file)
  const { openPostgresDatabase } = await import('../stores/database/postgres-database.ts')
  try {
    return await openPostgresDatabase(settings)
  } catch (error) {
    const reason =
      error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error)
    throw new PlatformConfigError([
      `DATABASE_URL: the database cannot be used: ${reason.replace(/^DATABASE_URL: /, '')}`,
    ])
  }
}

/** The AWS SDK takes a while to load: only who uses S3 waits for it. */
async function openBytes({ s3 }: StorageSettings, folder: string): Promise<ObjectBytes> {
  if (s3 === null) return folderBytes(folder)
  const { s3Bytes } = await import('../specified/storage/s3-bytes.ts')
  const bytes = s3Bytes(s3)
  await startsWith('S3_ENDPOINT', () => bytes.probe())
  return bytes
}

const HOUR_MS = 60 * 60_000
