import type { VariableName } from '../../../contract/settings/variables.ts'
import { createHttpClient, HttpFault } from '../../../core/http/http-client.ts'
import { messageOf } from '../../../core/json.ts'
import type { PlatformConfig } from './config.ts'
import { PROBE_TIMEOUT_MS } from './readiness.ts'

interface Asked {
  variable: VariableName
  url: string
  /** States what a caller loses while the service does not answer. */
  lost: string
  key?: { variable: VariableName; headers: Record<string, string> } | null
}

/**
 * Asks the services that single routes or one approach need, once. The platform starts without them, because they may start after it or be unused;
 * returns a warning for each that does not answer as it should, with the variable to correct.
 */
export async function startWarnings(config: PlatformConfig): Promise<string[]> {
  const found = await Promise.all(askedOf(config).map(problemOf))
  return found.filter((warning) => warning !== null)
}

function askedOf({ workflowApi, ray, research, media }: PlatformConfig): Asked[] {
  const asked: Asked[] = []
  if (workflowApi.url !== null) {
    const { apiKey } = workflowApi
    const route = apiKey === null ? '/healthz' : '/api/v1/workflows?limit=1'
    const key = apiKey === null ? null : { variable: 'WORKFLOW_API_KEY' as const, headers: { 'x-n8n-api-key': apiKey } }
    asked.push({ variable: 'WORKFLOW_URL', url: workflowApi.url + route, lost: 'workflow-adaptive-rag', key })
  }
  if (ray.url !== null) {
    const headers: Record<string, string> = ray.token === null ? {} : { authorization: `Bearer ${ray.token}` }
    const key = { variable: 'RAY_AUTH_TOKEN' as const, headers }
    asked.push({ variable: 'RAY_URL', url: `${ray.url}/api/version`, lost: 'jobs of Ray', key })
  }
  if (research.searxngUrl !== null)
    asked.push({ variable: 'SEARXNG_URL', url: `${research.searxngUrl}/healthz`, lost: 'web search of research' })
  if ('url' in media.local)
    asked.push({ variable: 'COMFYUI_URL', url: `${media.local.url}/system_stats`, lost: 'local images' })
  return asked
}

async function problemOf({ variable, url, lost, key }: Asked): Promise<string | null> {
  const without = `. Until it answers, ${lost} cannot be used`
  try {
    const answer = await createHttpClient(key?.headers).send(url, { timeoutMs: PROBE_TIMEOUT_MS })
    if (key && (answer.status === 401 || answer.status === 403))
      return `${key.variable}: the service at ${variable} refuses it (HTTP ${answer.status})${without}`
    const isPage = answer.headers['content-type']?.includes('text/html') === true
    if (answer.isOk && !isPage) return null
    return `${variable}: another program answers there (HTTP ${answer.status}${isPage ? ', a page' : ''})${without}`
  } catch (error) {
    const isLate = error instanceof HttpFault && error.fault === 'timeout'
    const reason = error instanceof HttpFault ? error.reason : messageOf(error)
    return `${variable}: ${isLate ? 'gave no answer in time' : `cannot be reached: ${reason}`}${without}`
  }
}
