import { ORPCError } from '@orpc/client'
import type { AnyRouter } from '@orpc/server'
import { RPCHandler } from '@orpc/server/fastify'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ControlError } from '../../../contract/control/control-error.ts'
import { CONTROL_PREFIX } from '../../../contract/control/router.ts'
import { isUnexpected, toControlError } from '../control-failure.ts'
import { checkControlCall, type AccessRules, type Caller } from './access.ts'

/** Describes what procedures know of their caller. */
export interface ControlContext {
  caller: Caller
}

/** Largest answer: pages stay responsive. */
const MAX_MESSAGE_BYTES = 1_000_000

/** As the contract declares it: the error's own code is more specific than an HTTP status. */
const REFUSED_STATUS = 422

/** A control error in the transport's form: its `data` is the error, everything else repeats it. */
function asTransportError(error: ControlError, status = REFUSED_STATUS) {
  return new ORPCError('CONTROL', { defined: true, status, message: error.message, data: error })
}

/** Any failure of a procedure, returned as a control error; an unexpected one is reported with its stack. */
export function transportErrorOf(error: unknown, report: (error: unknown) => void): Error {
  if (error instanceof ORPCError && error.code === 'CONTROL') return error
  if (isUnexpected(error)) report(error)
  return asTransportError(toControlError(error))
}

const refusalBody = (error: ControlError, status: number): string =>
  JSON.stringify({ json: asTransportError(error, status).toJSON() })

/** Sends a refusal without calling a procedure, or instead of its result. */
export function sendRefusal(reply: FastifyReply, error: ControlError, status: number): FastifyReply {
  return reply
    .code(status)
    .type('application/json')
    .header('cache-control', 'no-store')
    .send(refusalBody(error, status))
}

interface ControlRouteOptions {
  router: AnyRouter
  rules: AccessRules
  report: (error: unknown) => void
}

/** Mounts the control API: access is checked before a byte of the body is read. */
export function registerControlRoute(app: FastifyInstance, { router, rules, report }: ControlRouteOptions): void {
  const failing = async <Result>(options: { next: () => Promise<Result> }): Promise<Result> => {
    try {
      return await options.next()
    } catch (error) {
      throw transportErrorOf(error, report)
    }
  }
  const handler = new RPCHandler(router, {
    interceptors: [failing],
    clientInterceptors: [failing],
    strictGetMethodPluginEnabled: false,
    eventIteratorKeepAliveInterval: 15_000,
  })
  const callers = new WeakMap<object, Caller>()
  void app.register(async (scope) => {
    scope.addHook('onRequest', async (request, reply) => {
      const access = checkControlCall(request.method, request.headers, rules)
      if (!access.ok) return sendRefusal(reply, access.error, access.status)
      callers.set(request, access.caller)
    })
    scope.addHook('onSend', async (_request, reply, payload) => {
      if (typeof payload !== 'string' || Buffer.byteLength(payload) <= MAX_MESSAGE_BYTES) return payload
      const message = `the answer has ${Buffer.byteLength(payload)} bytes: ask for less at once`
      reply.code(500)
      return refusalBody({ code: 'answer_too_large', message, retryable: false }, 500)
    })
    scope.all(`${CONTROL_PREFIX}/*`, async (request, reply) => {
      reply.header('cache-control', 'no-store')
      const context: ControlContext = { caller: callers.get(request)! }
      const { matched } = await handler.handle(request, reply, { prefix: CONTROL_PREFIX, context })
      if (matched) return reply
      return sendRefusal(reply, { code: 'not_found', message: 'there is no such procedure', retryable: false }, 404)
    })
  })
}
