import type Database from 'better-sqlite3'
import type { FastifyInstance } from 'fastify'
import type { Logger } from '../../kit/logger.ts'
import type { ClosingList } from '../closing-list.ts'
import { openPlatformDatabase } from '../database/platform-database.ts'
import type { ObjectStore } from '../storage/object-store.ts'
import type { TaskSettings } from '../tasks/task-settings.ts'
import type { TaskStore } from '../tasks/task-store.ts'
import { TaskWorker } from '../tasks/task-worker.ts'
import { BudgetLedger } from './budget-ledger.ts'
import { falClient } from './fal-client.ts'
import type { MediaSettings } from './media-settings.ts'
import { OperationStore } from './operation-store.ts'
import { registerMediaRoutes } from './routes.ts'
import { ARTIFACTS, MEDIA, runMedia } from './run-operation.ts'

export interface MediaPartOptions {
  app: FastifyInstance
  database: Database.Database
  tasks: TaskStore
  objects: ObjectStore
  settings: MediaSettings
  taskSettings: TaskSettings
  /** Largest generated file that is no image. */
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

/** Registers the routes of media operations and runs them, with a worker of their own. */
export function openMedia(options: MediaPartOptions): void {
  const { app, database, tasks, objects, settings, taskSettings, ownConsumer, logger, closing, pollMs } = options
  const { budget, fal } = settings
  const memory = budget.store === 'memory' ? openPlatformDatabase(':memory:') : null
  const ledger = new BudgetLedger(memory ?? database, budget)
  const operations = new OperationStore(database, ledger)
  const hosted = fal === null ? null : falClient(fal)
  const { imageMaxBytes } = settings
  const deps = { operations, objects, hosted, imageMaxBytes, fileMaxBytes: options.fileMaxBytes }
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
  const guarded = (act: () => void | Promise<void>) => async () => {
    try {
      await act()
    } catch (error) {
      logger.error({ err: error }, 'media operations cannot be read')
    }
  }
  const sweep = guarded(() => sweepMedia(operations))
  const prune = guarded(async () => {
    ledger.prune()
    await pruneMedia({ operations, objects, tasks }, Date.now() - settings.operationTtlMs)
  })
  void sweep()
  let pruning = prune()
  const pruneAgain = (): void => {
    pruning = prune()
  }
  const timers = [setInterval(() => void sweep(), SWEEP_MS), setInterval(pruneAgain, HOUR_MS)]
  closing.add(async () => {
    for (const timer of timers) clearInterval(timer)
    await worker.stop()
    await pruning
    await hosted?.close()
    memory?.close()
  })
  registerMediaRoutes(app, { operations, ledger, tasks, settings, ownConsumer, wake: () => worker.wake() })
  worker.start()
}

/**
 * Ends the operations whose background job is gone, such as after another TASK_SIGNING_SECRET: what no provider has is failed and released, and
 * the rest waits for a person, with its reservation.
 */
export function sweepMedia(operations: OperationStore): void {
  for (const { id, provider } of operations.sweep()) {
    const lost = { status: 'failed', settlement: { state: 'released' }, error: 'its background job was lost' } as const
    const isUnsent = operations.end(id, lost, provider === 'local' ? undefined : ['queued'])
    if (!isUnsent) operations.submissionUnknown(id)
  }
}

/** Removes operations that ended before a moment, with their artifacts and background jobs. */
export async function pruneMedia(
  { operations, objects, tasks }: { operations: OperationStore; objects: ObjectStore; tasks: TaskStore },
  beforeMs: number,
): Promise<void> {
  const removed = operations.removeEnded(beforeMs)
  for (const { artifacts } of removed) for (const { name } of artifacts) await objects.remove(ARTIFACTS, name)
  tasks.remove(removed.map(({ id }) => id))
}
