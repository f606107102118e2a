import { Agent, request } from 'undici'
import { readLimited } from '../../read-limited.ts'
import { RagError, SPENT_HEADERS } from '../rag-error.ts'

const RESPONSE_LIMIT_BYTES = 16 * 1024 * 1024
const RETRY_SOON = { headers: { 'retry-after': '1' } }

/** The webhook's reply, unchecked; `spent` is what a failed run reports of its cost. */
export interface WorkflowReply {
  status: number
  body: unknown
  spent: { llmCalls: number; cloudCalls: number } | null
}

/** The workflow engine's webhook for adaptive answers. Throws `RagError` when it cannot be reached, is busy or takes too long. */
export interface WorkflowClient {
  ask(query: string, signal?: AbortSignal): Promise<WorkflowReply>
}

export interface HttpWorkflowOptions {
  /** Full address of the webhook; asked at each call, because an embedded engine knows its own only once it listens. */
  url: () => string
  /** Bearer token, where the webhook's door asks for one. */
  token: string | null
  timeoutMs?: number
  /** Runs at a time: a workflow that was changed to call itself ends here instead of never. */
  mostUnderWay?: number
}

/** The webhook over HTTP: the engine of this platform, or a real n8n. */
export function httpWorkflowClient(options: HttpWorkflowOptions): WorkflowClient & { close(): Promise<void> } {
  const { token, timeoutMs = 400_000, mostUnderWay = 64 } = options
  let underWay = 0
  const agent = new Agent({ connections: 128, headersTimeout: 0, bodyTimeout: 0 })
  return {
    async ask(query, signal) {
      if (underWay >= mostUnderWay)
        throw new RagError('workflow_busy', `${mostUnderWay} workflow runs are under way`, RETRY_SOON)
      const timeout = AbortSignal.timeout(timeoutMs)
      underWay += 1
      try {
        const response = await request(options.url(), {
          method: 'POST',
          dispatcher: agent,
          headers: {
            'content-type': 'application/json',
            accept: 'application/json',
            ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          },
          body: JSON.stringify({ query }),
          signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        })
        const text = await readLimited(response.body, RESPONSE_LIMIT_BYTES)
        return { status: response.statusCode, body: parseJson(text ?? ''), spent: spentOf(response.headers) }
      } catch (cause) {
        signal?.throwIfAborted()
        if (timeout.aborted)
          throw new RagError('workflow_timeout', `the workflow gave no answer within ${timeoutMs} ms`, { cause })
        throw new RagError('workflow_failed', 'the workflow engine cannot be reached', { cause })
      } finally {
        underWay -= 1
      }
    },
    close: () => agent.destroy(),
  }
}

function spentOf(headers: Readonly<Record<string, string | string[] | undefined>>): WorkflowReply['spent'] {
  const count = (name: string) => {
    const text = headers[name]
    return typeof text === 'string' && /^\d{1,6}$/.test(text) ? Number(text) : null
  }
  const llmCalls = count(SPENT_HEADERS.llmCalls)
  const cloudCalls = count(SPENT_HEADERS.cloudCalls)
  return llmCalls === null || cloudCalls === null ? null : { llmCalls, cloudCalls }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}
