import type { FastifyInstance } from 'fastify'
import type { Logger } from '../../../kit/logger.ts'
import type { ClosingList } from '../../jobs/closing-list.ts'
import type { Database } from '../../stores/database/database.ts'
import { openSqliteDatabase } from '../../stores/database/sqlite-database.ts'
import { quietly, repeat } from '../../jobs/repeat.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import type { TaskSettings } from '../../jobs/task-settings.ts'
import type { TaskStore } from '../../jobs/task-store.ts'
import { TaskWorker } from '../../jobs/task-worker.ts'
import { operationStarter } from './begin-operation.ts'
import { BudgetLedger } from './budget-ledger.ts'
import { comfyUiClient } from './comfyui-client.ts'
import { falClient } from './fal-client.ts'
import type { MediaSettings } from './media-settings.ts'
import { OperationStore } from './operation-store.ts'
import { registerMediaRoutes } from './routes.ts'
import { ARTIFACTS, MEDIA, runMedia } from './run-operation.ts'

export interface MediaPartOptions {
  app: FastifyInstance
  database: Database
  tasks: TaskStore
  objects: ObjectStore
  settings: MediaSettings
  taskSettings: TaskSettings
  /** Largest generated file that is not an image. */
  fileMaxBytes: number
  /** Counts for operations that name no consumer. */
  ownConsumer: string
  logger: Logger
  closing: ClosingList
  /** Between two questions for the state of a hosted request. */
  pollMs?: number
}

const HOUR_MS = 60 * 60_000
const SWEEP_MS = 10_000
const LOOK_MS = 250
/** An operation has a deadline of its own, at most an hour: the time limits of other background jobs are not for it. */
const SOFT_LIMIT_MS = 2 * HOUR_MS

/** Registers the routes of media operations, runs operations with a worker of their own, and returns what other routes to them need. */
export async function openMedia(options: MediaPartOptions) {
  const { app, database, tasks, objects, settings, taskSettings, ownConsumer, logger, closing, pollMs } = options
  const { budget, fal, local } = settings
  const memory = budget.store === 'memory' ? openSqliteDatabase(':memory:') : null
  const ledger = new BudgetLedger(memory ?? database, budget, { isApart: memory !== null })
  const operations = new OperationStore(database, ledger)
  const providers = {
    fal: fal === null ? null : falClient(fal),
    local: 'url' in local ? comfyUiClient(local.url) : null,
  }
  const { imageMaxBytes } = settings
  const deps = { operations, objects, providers, imageMaxBytes, fileMaxBytes: options.fileMaxBytes }
  const worker = new TaskWorker({
    store: tasks,
    handlers: { [MEDIA]: runMedia(pollMs === undefined ? deps : { ...deps, pollMs }) },
    settings: {
      ...taskSettings,
      prefetchMultiplier: 1,
      softLimitMs: SOFT_LIMIT_MS,
      hardLimitMs: SOFT_LIMIT_MS + 60_000,
    },
    logger,
    pollMs: Math.min(LOOK_MS, pollMs ?? LOOK_MS),
  })
  const failure = 'media operations cannot be read'
  const sweep = quietly(logger, failure, () => sweepMedia(operations))
  const prune = quietly(logger, failure, async () => {
    await ledger.prune()
    await pruneMedia({ operations, objects, tasks }, Date.now() - settings.operationTtlMs)
  })
  await sweep()
  await prune()
  const stops = [repeat(sweep, SWEEP_MS), repeat(prune, HOUR_MS)]
  closing.add(async () => {
    await worker.stop()
    for (const stop of stops) await stop()
    await providers.fal?.close()
    await providers.local?.close()
    await memory?.close()
  })
  const wake = () => worker.wake()
  const begin = operationStarter(operations, tasks, wake)
  registerMediaRoutes(app, { operations, ledger, tasks, settings, begin, ownConsumer, wake })
  worker.start()
  return { operations, objects, settings, begin, ownConsumer }
}

/**
 * Ends the operations whose background job is gone, such as after another TASK_SIGNING_SECRET: what no provider has is failed and released, and
 * the rest waits for a person, with its reservation.
 */
async function sweepMedia(operations: OperationStore): Promise<void> {
  for (const { id } of await operations.sweep()) {
    const lost = { status: 'failed', settlement: { state: 'released' }, error: 'its background job was lost' } as const
    const isUnsent = await operations.end(id, lost, ['queued'])
    if (!isUnsent) await operations.submissionUnknown(id)
  }
}

/** Removes operations that ended before a moment, with their artifacts and background jobs. */
export async function pruneMedia(
  { operations, objects, tasks }: { operations: OperationStore; objects: ObjectStore; tasks: TaskStore },
  beforeMs: number,
): Promise<void> {
  const removed = await operations.removeEnded(beforeMs)
  for (const { artifacts } of removed) for (const { name } of artifacts) await objects.remove(ARTIFACTS, name)
  await tasks.remove(removed.map(({ id }) => id))
}
