import type { FastifyInstance } from 'fastify'
import { HttpError } from '../../kit/http-error.ts'
import { WORKFLOW_HEADER } from './node-http.ts'

/** Refuses, on every route, that a workflow asks one of these aliases: they start a workflow themselves. */
export function guardWorkflowLoops(app: FastifyInstance, aliases: ReadonlySet<string>): void {
  app.addHook('preHandler', async (request) => {
    if (request.headers[WORKFLOW_HEADER] === undefined) return
    const model = (request.body as { model?: unknown } | null | undefined)?.model
    if (typeof model !== 'string' || !aliases.has(model)) return
    throw new HttpError(508, `A workflow may not ask the alias "${model}": it starts a workflow`, {
      code: 'delegation_loop',
      param: 'model',
    })
  })
}
