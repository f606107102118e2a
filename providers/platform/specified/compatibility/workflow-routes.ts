import type { FastifyInstance } from 'fastify'
import type { ClosingList } from '../../jobs/closing-list.ts'
import type { WorkflowApiSettings } from '../../workflow/workflow-api-settings.ts'
import { registerProxy } from './http-proxy.ts'
import type { ProxiedRoute } from './http-proxy.ts'

const ROUTES: readonly ProxiedRoute[] = [
  ['GET', '/workflows', '/workflows'],
  ['POST', '/workflows', '/workflows'],
  ['GET', '/workflows/:workflow_id', '/workflows/:workflow_id'],
  ['PUT', '/workflows/:workflow_id', '/workflows/:workflow_id'],
  ['DELETE', '/workflows/:workflow_id', '/workflows/:workflow_id'],
  ['POST', '/workflows/:workflow_id/activate', '/workflows/:workflow_id/activate'],
  ['POST', '/workflows/:workflow_id/deactivate', '/workflows/:workflow_id/deactivate'],
]

/** The public API of n8n for workflows, below `/workflows`. 503 without `WORKFLOW_URL` or `WORKFLOW_API_KEY`; then nothing is called. */
export function registerWorkflowRoutes(
  app: FastifyInstance,
  { url, apiKey, httpTimeoutMs: timeoutMs, maxResponseBytes }: WorkflowApiSettings,
  closing: ClosingList,
): void {
  const target =
    url === null || apiKey === null
      ? `The public API of a workflow engine is not configured (${url === null ? 'WORKFLOW_URL' : 'WORKFLOW_API_KEY'})`
      : {
          name: 'The workflow engine',
          url: `${url}/api/v1`,
          headers: { 'x-n8n-api-key': apiKey },
          timeoutMs,
          maxResponseBytes,
        }
  registerProxy(app, ROUTES, target, closing)
}
