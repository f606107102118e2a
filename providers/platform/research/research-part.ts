import type { FastifyInstance } from 'fastify'
import type { Logger } from '../../kit/logger.ts'
import type { ClosingList } from '../closing-list.ts'
import type { TaskSettings } from '../tasks/task-settings.ts'
import type { TaskStore } from '../tasks/task-store.ts'
import { TaskWorker } from '../tasks/task-worker.ts'
import { Admission, registerResearchRoutes } from './routes.ts'
import type { ResearchSettings } from './routes.ts'
import { RESEARCH, research } from './run-research.ts'
import { corpusSearch, webSearch } from './sources.ts'
import type { CorpusSearchDeps } from './sources.ts'
import type { ModelHost } from '../models/model-host.ts'

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

/** How soon the end of a session frees its place. */
const REFRESH_MS = 500
/** Heartbeats of waiting sessions per lease. */
const BEATS = 6

/** Registers the routes of research and runs its sessions, with a worker of their own: they do not hold up other background jobs. */
export function openResearch(options: ResearchPartOptions): void {
  const { app, tasks, settings, taskSettings, models, corpora, logger, closing } = options
  const web = settings.searxngUrl === null ? null : webSearch(settings.searxngUrl)
  if (web !== null) closing.add(() => web.close())
  const admission = new Admission(settings.maxConcurrent, () => tasks.openCount(RESEARCH))
  const worker = new TaskWorker({
    store: tasks,
    handlers: {
      [RESEARCH]: research({ models, corpora: corpusSearch({ ...corpora, models }), web: web?.search ?? null }),
    },
    settings: { ...taskSettings, concurrency: settings.maxConcurrent, prefetchMultiplier: 1 },
    logger,
  })
  const guarded = (act: () => void) => () => {
    try {
      act()
    } catch (error) {
      logger.error({ err: error }, 'research sessions cannot be read')
    }
  }
  const beat = guarded(() => {
    const failed = tasks.failAbandoned(RESEARCH, settings.leaseMs)
    if (failed > 0) logger.warn({ sessions: failed }, 'research sessions were abandoned')
  })
  // Before the worker looks for sessions: it must not run one that has failed.
  beat()
  const timers = [
    setInterval(beat, settings.leaseMs / BEATS),
    setInterval(
      guarded(() => admission.refresh()),
      REFRESH_MS,
    ),
  ]
  closing.add(async () => {
    for (const timer of timers) clearInterval(timer)
    await worker.stop()
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
