import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify'
import { callerSignal } from '../../kit/caller-signal.ts'
import { isRecord } from '../../../core/json.ts'
import { HttpError } from '../../kit/http-error.ts'
import { TRACE_HEADER } from '../../../contract/evidence/trace.ts'
import { continued } from '../trace/trace.ts'
import { SPENT_HEADERS } from '../rag/rag-error.ts'
import type { WorkflowEngine } from './workflow-engine.ts'
import { WorkflowRunError } from './workflow-error.ts'

const METHODS: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
/** Credentials are the door's affair: no expression may read them. */
const HIDDEN_HEADERS = new Set(['authorization', 'cookie', 'proxy-authorization', 'apikey', 'x-api-key'])

/** `/webhook/:path` with n8n's answers: 404 with a hint for what is not registered, 500 `{code: 0, message}` for a run that failed, 422
 * where the caller's body lacks a field that the first node reads (n8n answers 500 "Error in workflow" there). */
export function registerWebhookRoutes(app: FastifyInstance, engine: WorkflowEngine): void {
  void app.register(async (scope) => {
    scope.setErrorHandler((error: Error, request, reply) => {
      const status = statusOf(error)
      if (status >= 500) request.log.error({ err: error, path: request.url.split('?', 1)[0] }, 'webhook failed')
      if (error instanceof HttpError) void reply.headers(error.headers)
      return reply.code(status).send({ code: status, message: status < 500 ? error.message : 'Internal Server Error' })
    })
    scope.route({
      method: METHODS,
      url: '/webhook/:path',
      handler: (request, reply) => answer(engine, request, reply),
    })
  })
}

async function answer(engine: WorkflowEngine, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { path } = request.params as { path: string }
  const match = engine.match(request.method, path)
  if (!match.found) return reply.code(404).send(notRegistered(request.method, path, match.otherMethods))
  const received = {
    headers: Object.fromEntries(Object.entries(request.headers).filter(([name]) => !HIDDEN_HEADERS.has(name))),
    params: {},
    query: request.query,
    body: request.body ?? {},
    webhookUrl: `${request.protocol}://${request.host}/webhook/${path}`,
    executionMode: 'production',
  }
  try {
    const { status, headers, body } = await continued(request.headers[TRACE_HEADER], () =>
      engine.run(match.workflow, received, callerSignal(request, reply)),
    )
    return await reply.code(status).headers(headers).send(body)
  } catch (error) {
    if (!(error instanceof WorkflowRunError)) throw error
    request.log.warn({ err: error, workflow: match.workflow.name }, 'workflow failed')
    const code = error.status === 500 ? 0 : error.status
    return reply
      .code(error.status)
      .headers(passedHeaders(error))
      .send({ code, message: error.message, ...passedError(error) })
  }
}

function notRegistered(method: string, path: string, otherMethods: readonly string[]) {
  const [other] = otherMethods
  if (other !== undefined)
    return {
      code: 404,
      message: `This webhook is not registered for ${method} requests. Did you mean to make a ${other} request?`,
    }
  return {
    code: 404,
    message: `The requested webhook "${method} ${path}" is not registered.`,
    hint: 'The workflow must be active for a production URL to run successfully.',
  }
}

/** Headers of the answer on which a node failed that its caller gets too: what it has cost, and when or whether to come again. */
const PASSED_HEADERS = [...Object.values(SPENT_HEADERS), 'retry-after', 'x-should-retry']

const passedHeaders = ({ reply }: WorkflowRunError): Record<string, string> =>
  Object.fromEntries(Object.entries(reply?.headers ?? {}).filter(([name]) => PASSED_HEADERS.includes(name)))

/** The error in the answer on which a node failed, which has the code and the words of what failed there. */
function passedError({ reply }: WorkflowRunError): { error?: object } {
  const error = isRecord(reply?.body) ? reply.body['error'] : undefined
  return isRecord(error) ? { error } : {}
}

function statusOf(error: Error): number {
  if (error instanceof HttpError) return error.status
  const { statusCode } = error as { statusCode?: number }
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500 ? statusCode : 500
}
