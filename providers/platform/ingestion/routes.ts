import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { IngestionRequest } from '../../../contract/http/ingestion.ts'
import type { IngestionAccepted, IngestionRecord } from '../../../contract/http/ingestion.ts'
import { HttpError } from '../../kit/http-error.ts'
import { parseRequest } from '../../kit/validate.ts'
import { CorpusError, StateStoreUnavailableError, UnknownIngestionError, UnknownProfileError } from './errors.ts'
import type { IngestionService, ProfileReset } from './ingestion-service.ts'

const SubmitQuery = z.object({ async_job: z.stringbool().default(true) })
const ListQuery = z.object({
  cursor: z.string().min(1).max(64).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(100),
})
const IdParams = z.object({ id: z.string().min(1).max(128) })
const ProfileParams = z.object({ profile: z.string().min(1).max(128) })

/**
 * The ingestion routes. All of them are for operators and services: register them in a scope that admits only those.
 * 400 bad corpus, 404 unknown profile or job, 422 malformed request, 503 without state store.
 */
export function registerIngestionRoutes(app: FastifyInstance, service: IngestionService): void {
  app.post('/api/rag/ingestions', async (request, reply): Promise<IngestionAccepted> => {
    const { async_job: asyncJob } = parseRequest(SubmitQuery, request.query, 'query')
    const body = parseRequest(IngestionRequest, request.body)
    const accepted = await translated(() => service.submit(body, { inRequest: !asyncJob }))
    void reply.code(202)
    return accepted
  })

  app.get('/api/rag/ingestions', async (request, reply): Promise<IngestionRecord[]> => {
    const query = parseRequest(ListQuery, request.query, 'query')
    const page = await translated(() => service.list(query))
    if (page === null) throw new HttpError(400, 'Invalid cursor')
    paginate(reply, page.nextCursor, query.limit)
    return page.records
  })

  app.get('/api/rag/ingestions/:id', async (request): Promise<IngestionRecord> => {
    const { id } = parseRequest(IdParams, request.params, 'path')
    return known(id, await translated(() => service.get(id)))
  })

  app.post('/api/rag/ingestions/:id/cancel', async (request): Promise<IngestionRecord> => {
    const { id } = parseRequest(IdParams, request.params, 'path')
    return known(id, await translated(() => service.cancel(id)))
  })

  app.delete('/api/rag/ingestions/profiles/:profile', async (request): Promise<ProfileReset> => {
    const { profile } = parseRequest(ProfileParams, request.params, 'path')
    return translated(() => service.resetProfile(profile))
  })
}

function paginate(reply: FastifyReply, nextCursor: string | null, limit: number): void {
  void reply.header('X-Rag-Ladder-Page-Limit', String(limit))
  if (nextCursor !== null) void reply.header('X-Rag-Ladder-Next-Cursor', nextCursor)
}

function known(id: string, record: IngestionRecord | null): IngestionRecord {
  if (record === null) throw new HttpError(404, new UnknownIngestionError(id).message)
  return record
}

async function translated<Result>(call: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    throw asHttpError(error)
  }
}

function asHttpError(error: unknown): unknown {
  if (error instanceof CorpusError) return new HttpError(400, error.message, { cause: error })
  if (error instanceof UnknownProfileError || error instanceof UnknownIngestionError) {
    return new HttpError(404, error.message, { cause: error })
  }
  if (error instanceof StateStoreUnavailableError) {
    return new HttpError(
      503,
      { code: error.code, message: `The ingestion state store is unavailable: ${error.message}` },
      { cause: error },
    )
  }
  return error
}
