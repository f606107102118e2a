import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { UserPage } from '../../http/user-page.ts'
import { callerSignal } from '../../../kit/caller-signal.ts'
import { HttpError } from '../../../kit/http-error.ts'
import { parseRequest } from '../../../kit/validate.ts'
import { namedUser, subjectOf } from '../../identity/guard.ts'
import type { Task } from '../../jobs/task-store.ts'
import type { ConsolidationTask } from './consolidate.ts'
import type { MemoryIndex } from './memory-index.ts'
import type { Fact, MemoryStore, Session } from './memory-store.ts'

export interface MemoryDeps {
  store: MemoryStore
  index: MemoryIndex
  /** Queues a consolidation as a background job. */
  consolidate: (order: ConsolidationTask) => Promise<Task>
}

const User = { user_id: z.string().max(256).optional() }
const NewFact = z.strictObject({ ...User, text: z.string().trim().min(1).max(2000) })
const Search = z.strictObject({
  ...User,
  query: z.string().trim().min(1).max(4000),
  limit: z.number().int().min(1).max(50).default(5),
})
const NewSession = z.strictObject({ ...User, title: z.string().trim().min(1).max(200).nullable().default(null) })
const NewMessage = z.strictObject({ role: z.enum(['user', 'assistant']), content: z.string().min(1).max(16_000) })
const Consolidate = z.strictObject({ ...User, session_id: z.string().max(128).nullable().default(null) })
const FactParams = z.object({ fact_id: z.string().max(128) })
const SessionParams = z.object({ session_id: z.string().max(128) })

/**
 * Memory of users. A user token reads and writes its own records; a service names the user in `user_id`. 400 invalid or missing `user_id`,
 * 403 that of another user, 404 unknown record or one of another user, 409 as many facts as one user may have, 422 malformed request.
 */
export function registerMemoryRoutes(app: FastifyInstance, { store, index, consolidate }: MemoryDeps): void {
  app.post('/memory/facts', async (request, reply): Promise<Fact> => {
    const { user_id: given, text } = parseRequest(NewFact, request.body)
    const added = await store.addFact(userOf(request, given), text)
    if (added.outcome === 'full')
      throw new HttpError(409, 'This user has as many facts as allowed (MEMORY_MAX_FACTS): delete some first')
    void reply.code(added.outcome === 'added' ? 201 : 200)
    return added.fact
  })

  app.get('/memory/facts', async (request): Promise<{ facts: Fact[]; total: number }> => {
    const { user_id: given, limit, offset } = parseRequest(UserPage, request.query, 'query')
    const user = userOf(request, given)
    return { facts: await store.facts(user, limit, offset), total: await store.factCount(user) }
  })

  app.delete('/memory/facts/:fact_id', async (request, reply) => {
    const { fact_id: id } = parseRequest(FactParams, request.params, 'path')
    return removed(reply, await store.removeFact(id, subjectOf(request)), 'Unknown fact')
  })

  app.post('/memory/search', async (request, reply) => {
    const { user_id: given, query, limit } = parseRequest(Search, request.body)
    return { results: await index.search(userOf(request, given), query, limit, callerSignal(request, reply)) }
  })

  app.post('/memory/sessions', async (request, reply): Promise<Session> => {
    const { user_id: given, title } = parseRequest(NewSession, request.body)
    void reply.code(201)
    return store.addSession(userOf(request, given), title)
  })

  app.get('/memory/sessions', async (request): Promise<{ sessions: Session[] }> => {
    const { user_id: given, limit, offset } = parseRequest(UserPage, request.query, 'query')
    return { sessions: await store.sessions(userOf(request, given), limit, offset) }
  })

  app.get('/memory/sessions/:session_id', async (request) => {
    const session = await sessionOf(request)
    return { ...session, messages: await store.messages(session.id) }
  })

  app.post('/memory/sessions/:session_id/messages', async (request, reply) => {
    const { role, content } = parseRequest(NewMessage, request.body)
    const message = await store.addMessage((await sessionOf(request)).id, role, content)
    if (message === null) throw new HttpError(404, 'Unknown session')
    void reply.code(201)
    return message
  })

  app.delete('/memory/sessions/:session_id', async (request, reply) => {
    const { session_id: id } = parseRequest(SessionParams, request.params, 'path')
    return removed(reply, await store.removeSession(id, subjectOf(request)), 'Unknown session')
  })

  app.post('/memory/consolidate', async (request, reply) => {
    const { user_id: given, session_id: sessionId } = parseRequest(Consolidate, request.body)
    const user = userOf(request, given)
    if (sessionId !== null && (await store.session(sessionId, user)) === null)
      throw new HttpError(404, 'Unknown session')
    const { id } = await consolidate({ user_id: user, session_id: sessionId })
    void reply.code(202)
    return { job_id: id, status: 'pending', message: `Consolidation queued: GET /jobs/${id} shows its state and log` }
  })

  async function sessionOf(request: FastifyRequest): Promise<Session> {
    const { session_id: id } = parseRequest(SessionParams, request.params, 'path')
    const session = await store.session(id, subjectOf(request))
    if (session === null) throw new HttpError(404, 'Unknown session')
    return session
  }
}

/** The user that a request is about; a service must name one. */
function userOf(request: FastifyRequest, given: string | undefined): string {
  const user = namedUser(request, given)
  if (user === null) throw new HttpError(400, 'user_id is required with a service token')
  return user
}

function removed(reply: FastifyReply, found: boolean, unknown: string): FastifyReply {
  if (!found) throw new HttpError(404, unknown)
  return reply.code(204).send()
}
