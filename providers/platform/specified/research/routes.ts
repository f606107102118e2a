import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { UserPage } from '../../http/user-page.ts'
import type { EnvReader } from '../../../kit/env-reader.ts'
import { HttpError } from '../../../kit/http-error.ts'
import { parseRequest } from '../../../kit/validate.ts'
import { namedUser, subjectOf } from '../../identity/guard.ts'
import { taskOf } from '../../jobs/routes.ts'
import type { Task, TaskStore } from '../../jobs/task-store.ts'
import { RESEARCH, ResearchTask } from './run-research.ts'

export interface ResearchSettings {
  /** Most sessions that are open at once. */
  maxConcurrent: number
  /** A session without a heartbeat since then has failed. */
  leaseMs: number
  /** Address of a SearXNG server; null searches the ingested corpora only. */
  searxngUrl: string | null
}

/** Reads `RESEARCH_*` and `SEARXNG_URL`. */
export function readResearchSettings(reader: EnvReader): ResearchSettings {
  return {
    maxConcurrent: reader.integer('RESEARCH_MAX_CONCURRENT', { min: 1, max: 1024 }),
    leaseMs: reader.integer('RESEARCH_SESSION_LEASE_SECONDS', { min: 60, max: 86_400 }) * 1000,
    searxngUrl: reader.url('SEARXNG_URL'),
  }
}

/** A session as its routes show it. */
export interface ResearchSession {
  session_id: string
  user_id: string | null
  query: string
  status: 'pending' | 'running' | 'failed' | 'cancelled' | 'done'
  cancel_requested: boolean
  error: string | null
  created_at: string
  updated_at: string
  heartbeat_at: string
}

export interface ResearchRoutesDeps {
  tasks: TaskStore
  /** The sessions that are open, as this process knows: no database is asked. */
  admission: Admission
  /** True with a SearXNG server. */
  searchesWeb: boolean
  /** Starts looking for sessions to run. */
  wake: () => void
  /** Asks a session of this process to stop. */
  stop: (id: string) => void
}

const Start = z.strictObject({
  query: z.string().trim().min(1).max(4000),
  max_loops: z.number().int().min(1).max(10).default(3),
  search_api: z.enum(['duckduckgo', 'searxng']).optional(),
  user_id: z.string().max(256).optional(),
})
const Params = z.object({ session_id: z.string().min(1).max(128) })

/** Counts open sessions in memory, so that one too many is refused before its body is read. */
export class Admission {
  readonly #most: number
  readonly #count: () => Promise<number>
  #open = 0
  #starting = 0
  #started = 0

  private constructor(most: number, count: () => Promise<number>) {
    this.#most = most
    this.#count = count
  }

  static async open(most: number, count: () => Promise<number>): Promise<Admission> {
    const admission = new Admission(most, count)
    await admission.refresh()
    return admission
  }

  /** Reads how many sessions are open. One that is started meanwhile may count twice until the next time, and never not at all. */
  async refresh(): Promise<void> {
    const before = this.#started
    this.#open = (await this.#count()) + this.#started - before
  }

  /** Takes a place for a request; false when there is none. */
  enter(): boolean {
    if (this.#open + this.#starting >= this.#most) return false
    this.#starting += 1
    return true
  }

  /** The request has started a session. */
  start(): void {
    this.#started += 1
    this.#open += 1
  }

  /** The request has ended. */
  leave(): void {
    this.#starting -= 1
  }
}

/**
 * Research sessions. A user has its own; a service has all and may name a user. 400 invalid `user_id` or a search that is not configured, 403
 * another user, 404 unknown session or one of another user, 409 no result yet or ended already, 422 malformed request, 429 too many sessions.
 */
export function registerResearchRoutes(app: FastifyInstance, deps: ResearchRoutesDeps): void {
  const { tasks, admission, searchesWeb, wake, stop } = deps

  app.post(
    '/research/start',
    {
      // Runs after the guard and before the body is read.
      onRequest: async (request, reply) => {
        if (!admission.enter())
          throw new HttpError(429, 'Too many research sessions are open (RESEARCH_MAX_CONCURRENT): try again later', {
            headers: { 'retry-after': '1' },
          })
        // Also when the caller leaves before its body has arrived, or has left already: no event comes then.
        const leave = (): void => {
          reply.raw.off('close', leave)
          admission.leave()
        }
        if (request.raw.socket.destroyed) leave()
        else reply.raw.once('close', leave)
      },
    },
    async (request) => {
      const { query, max_loops: loops, search_api: api, user_id: given } = parseRequest(Start, request.body)
      const subject = namedUser(request, given)
      const payload: ResearchTask = { query, max_loops: loops, search_api: searchOf(api) }
      const task = await tasks.add({ kind: RESEARCH, subject, payload })
      admission.start()
      wake()
      const data = sessionView(task)
      return { session_id: task.id, status: data.status, message: 'Research session started', data }
    },
  )

  app.get('/research/sessions', async (request): Promise<{ sessions: ResearchSession[] }> => {
    const { user_id: given, limit, offset } = parseRequest(UserPage, request.query, 'query')
    const found = await tasks.list(RESEARCH, namedUser(request, given), limit, offset)
    return { sessions: found.map(sessionView) }
  })

  app.get('/research/:session_id/status', async (request): Promise<ResearchSession> =>
    sessionView(await sessionOf(request)),
  )

  app.get('/research/:session_id/result', async (request) => {
    const task = await sessionOf(request)
    const session = sessionView(task)
    if (session.status !== 'done') {
      const why = session.error === null ? '' : `: ${session.error}`
      throw new HttpError(409, `The research session has no result: it is ${session.status}${why}`)
    }
    return { session_id: task.id, status: session.status, result: task.result }
  })

  app.get('/research/:session_id/logs', async (request) => {
    const { id } = await sessionOf(request)
    return { session_id: id, logs: await tasks.logOf(id) }
  })

  app.post('/research/:session_id/cancel', async (request, reply) => {
    const { id, status } = await sessionOf(request)
    if (status !== 'pending' && status !== 'running')
      throw new HttpError(409, `The research session has ended: it is ${STATUS[status]}`)
    await tasks.cancel(id)
    stop(id)
    await admission.refresh()
    void reply.code(202)
    return { session_id: id, status: 'cancel_requested' }
  })

  /** The web search that a request asks for; without one, the server's where it has one. */
  function searchOf(api: 'duckduckgo' | 'searxng' | undefined): 'searxng' | null {
    if (api === 'duckduckgo')
      throw new HttpError(400, 'search_api "duckduckgo" is not supported: use "searxng" (SEARXNG_URL), or leave it out')
    if (api === 'searxng' && !searchesWeb)
      throw new HttpError(400, 'search_api "searxng" is not configured: set SEARXNG_URL, or leave it out')
    return searchesWeb ? 'searxng' : null
  }

  async function sessionOf(request: FastifyRequest): Promise<Task> {
    const { session_id: id } = parseRequest(Params, request.params, 'path')
    const task = await taskOf(tasks, id)
    const subject = subjectOf(request)
    if (task === null || task.kind !== RESEARCH || (subject !== null && task.subject !== subject))
      throw new HttpError(404, 'Unknown research session')
    return task
  }
}

const STATUS = {
  pending: 'pending',
  running: 'running',
  succeeded: 'done',
  failed: 'failed',
  cancelled: 'cancelled',
} as const satisfies Record<Task['status'], ResearchSession['status']>

function sessionView(task: Task): ResearchSession {
  const at = (ms: number): string => new Date(ms).toISOString()
  return {
    session_id: task.id,
    user_id: task.subject,
    query: ResearchTask.parse(task.payload).query,
    status: STATUS[task.status],
    cancel_requested: task.cancelRequested,
    error: task.error,
    created_at: at(task.createdMs),
    updated_at: at(task.updatedMs),
    heartbeat_at: at(task.heartbeatMs),
  }
}
