import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from '../../../kit/http-error.ts'
import type { ClosingList } from '../../jobs/closing-list.ts'
import type { WorkflowApiSettings } from '../../workflow/workflow-api-settings.ts'
import { createProxy, pathId } from './http-proxy.ts'

/** The public API of n8n for workflows, below `/workflows`. 503 without `WORKFLOW_URL` or `WORKFLOW_API_KEY`; then nothing is called. */
export function registerWorkflowRoutes(
  app: FastifyInstance,
  settings: WorkflowApiSettings,
  closing: ClosingList,
): void {
  const { url, apiKey, httpTimeoutMs: timeoutMs, maxResponseBytes } = settings
  const proxy =
    url === null || apiKey === null
      ? null
      : createProxy({
          name: 'The workflow engine',
          url: `${url}/api/v1`,
          headers: { 'x-n8n-api-key': apiKey },
          timeoutMs,
          maxResponseBytes,
        })
  if (proxy !== null) closing.add(() => proxy.close())
  const missing = url === null ? 'WORKFLOW_URL' : 'WORKFLOW_API_KEY'

  const passTo =
    (path: (request: FastifyRequest) => string) => async (request: FastifyRequest, reply: FastifyReply) => {
      const target = path(request)
      if (proxy === null) throw new HttpError(503, `The public API of a workflow engine is not configured (${missing})`)
      return proxy.forward(request, reply, target)
    }
  const workflow = (request: FastifyRequest): string => `/workflows/${pathId(request, 'workflow_id')}`

  app.get(
    '/workflows',
    passTo(() => '/workflows'),
  )
  app.post(
    '/workflows',
    passTo(() => '/workflows'),
  )
  app.get('/workflows/:workflow_id', passTo(workflow))
  app.put('/workflows/:workflow_id', passTo(workflow))
  app.delete('/workflows/:workflow_id', passTo(workflow))
  app.post(
    '/workflows/:workflow_id/activate',
    passTo((request) => `${workflow(request)}/activate`),
  )
  app.post(
    '/workflows/:workflow_id/deactivate',
    passTo((request) => `${workflow(request)}/deactivate`),
  )
}
