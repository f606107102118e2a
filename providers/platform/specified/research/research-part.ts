import type { FastifyInstance } from 'fastify'
import type { Logger } from '../../../kit/logger.ts'
import type { ClosingList } from '../../jobs/closing-list.ts'
import type { TaskSettings } from '../../jobs/task-settings.ts'
import type { TaskStore } from '../../jobs/task-store.ts'
import { TaskWorker } from '../../jobs/task-worker.ts'
import { quietly, repeat } from '../../jobs/repeat.ts'
import { Admission, registerResearchRoutes } from './routes.ts'
import type { ResearchSettings } from './routes.ts'
import { RESEARCH, research } from './run-research.ts'
import { corpusSearch, webSearch } from './sources.ts'
import type { CorpusSearchDeps } from './sources.ts'
import type { ModelHost } from '../../models/model-host.ts'

export interface ResearchPartOptions {
  app: FastifyInstance
  tasks: TaskStore
  settings: ResearchSettings
  taskSettings: TaskSettings
  models: ModelHost
  corpora: Omit<CorpusSearchDeps, 'models'>
  logger: Logger
  closing: ClosingList
}

/** Sets how soon the end of a session frees its place. */
const REFRESH_MS = 500
/** Heartbeats of waiting sessions per lease. */
const BEATS = 6

/** Registers the routes of research and runs its sessions, with a worker of their own: they do not hold up other background jobs. */
export async function openResearch(options: ResearchPartOptions): Promise<void> {
  const { app, tasks, settings, taskSettings, models, corpora, logger, closing } = options
  const web = settings.searxngUrl === null ? null : webSearch(settings.searxngUrl)
  if (web !== null) closing.add(() => web.close())
  const admission = await Admission.open(settings.maxConcurrent, () => tasks.openCount(RESEARCH))
  const worker = new TaskWorker({
    store: tasks,
    handlers: {
      [RESEARCH]: research({ models, corpora: corpusSearch({ ...corpora, models }), web: web?.search ?? null }),
    },
    settings: { ...taskSettings, concurrency: settings.maxConcurrent, prefetchMultiplier: 1 },
    logger,
  })
  const beat = quietly(logger, 'research sessions cannot be read', async () => {
    const failed = await tasks.failAbandoned(RESEARCH, settings.leaseMs)
    if (failed > 0) logger.warn({ sessions: failed }, 'research sessions were abandoned')
  })
  const refresh = quietly(logger, 'research sessions cannot be read', () => admission.refresh())
  // Before the worker looks for sessions: it must not run one that has failed.
  await beat()
  const stops = [repeat(beat, settings.leaseMs / BEATS), repeat(refresh, REFRESH_MS)]
  closing.add(async () => {
    await worker.stop()
    for (const stop of stops) await stop()
  })
  registerResearchRoutes(app, {
    tasks,
    admission,
    searchesWeb: web !== null,
    wake: () => worker.wake(),
    stop: (id) => worker.cancel(id),
  })
  worker.start()
}
