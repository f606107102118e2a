import { createHttpClient, HttpFault } from '../../../../core/http/http-client.ts'
import { pauseHeader } from '../../../../core/http/pauses.ts'
import { step, traceHeaders } from '../../trace/trace.ts'
import { WAITED_HEADER } from '../../models/model-waits.ts'
import { RagError, SPENT_HEADERS } from '../rag-error.ts'

const RETRY_SOON = { headers: { 'retry-after': '1' } }

/** The webhook's reply, unchecked; `spent` is what a failed run reports of its cost, `again` the headers that say when to ask again, and whether. */
export interface WorkflowReply {
  status: number
  body: unknown
  again: Record<string, string>
  /** Time in which the classifier only waited for its turn, where the engine reports it. */
  waitedMs: number
  spent: { llmCalls: number; cloudCalls: number } | null
}

/** The workflow engine's webhook for adaptive answers. Throws `RagError` when it cannot be reached, is busy or takes too long. */
export interface WorkflowClient {
  ask(query: string, contextBudget: number | null, signal?: AbortSignal): Promise<WorkflowReply>
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
  const client = createHttpClient(token === null ? {} : { authorization: `Bearer ${token}` })
  return {
    async ask(query, contextBudget, signal) {
      if (underWay >= mostUnderWay)
        throw new RagError('workflow_busy', `${mostUnderWay} workflow runs are under way`, RETRY_SOON)
      underWay += 1
      try {
        const asked = { query, ...(contextBudget === null ? {} : { context_budget: contextBudget }) }
        const { status, headers, json } = await step(
          { kind: 'workflow', name: 'workflow webhook', request: () => asked },
          () => client.send(options.url(), { json: asked, signal, timeoutMs, headers: traceHeaders() }),
          (answer) => ({ response: answer.json, ...(answer.isOk ? {} : { error: `HTTP ${answer.status}` }) }),
        )
        return {
          status,
          body: json ?? null,
          again: {
            ...pauseHeader(headers),
            ...(headers['x-should-retry'] === 'false' ? { 'x-should-retry': 'false' } : {}),
          },
          waitedMs: countIn(headers, WAITED_HEADER) ?? 0,
          spent: spentOf(headers),
        }
      } catch (cause) {
        if (!(cause instanceof HttpFault)) throw cause
        if (cause.fault === 'timeout')
          throw new RagError('workflow_timeout', `the workflow gave no answer within ${timeoutMs} ms`, { cause })
        throw new RagError('workflow_failed', 'the workflow engine cannot be reached', { cause })
      } finally {
        underWay -= 1
      }
    },
    close: () => client.close(),
  }
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

function countIn(headers: Headers, name: string): number | null {
  const text = headers[name]
  return typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : null
}

function spentOf(headers: Headers): WorkflowReply['spent'] {
  const llmCalls = countIn(headers, SPENT_HEADERS.llmCalls)
  const cloudCalls = countIn(headers, SPENT_HEADERS.cloudCalls)
  return llmCalls === null || cloudCalls === null ? null : { llmCalls, cloudCalls }
}
