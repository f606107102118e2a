import { createHttpClient, HttpFault } from '../../../core/http/http-client.ts'
import { step, traceHeaders } from '../trace/trace.ts'
import { NodeFailure } from './node-type.ts'
import type { NodeReply, NodeRequest } from './node-type.ts'

const RESPONSE_LIMIT_BYTES = 16 * 1024 * 1024

/** Marks requests of a workflow: what a workflow asks for must not start a workflow again. */
export const WORKFLOW_HEADER = 'x-rag-ladder-workflow'

/** HTTP for the nodes of running workflows. */
export interface NodeHttp {
  /** One request as the workflow of that id; throws `NodeFailure` without an answer in time. */
  fetch(workflow: string, asked: NodeRequest, signal?: AbortSignal): Promise<NodeReply>
  close(): Promise<void>
}

/** Opens a client with its own connections. */
export function createNodeHttp(): NodeHttp {
  const client = createHttpClient()
  return {
    async fetch(workflow, { method, url, headers, body, timeoutMs }, signal) {
      const type: Record<string, string> = body === null ? {} : { 'content-type': 'application/json' }
      const sent = { ...type, ...headers, [WORKFLOW_HEADER]: workflow }
      const call = { method, headers: sent, body, signal, timeoutMs, limitBytes: RESPONSE_LIMIT_BYTES }
      const tried = step(
        { kind: 'tool', name: `HTTP request of the workflow: ${method} ${pathOf(url)}`, request: () => body },
        () => client.send(address(url), { ...call, headers: { ...sent, ...traceHeaders() } }),
        ({ status, isOk, text }) => ({ response: text, ...(isOk ? {} : { error: `HTTP ${status}` }) }),
      )
      const answer = await tried.catch((cause: unknown) => {
        if (!(cause instanceof HttpFault)) throw cause
        if (cause.fault === 'too_large') throw new NodeFailure('the answer is larger than the limit')
        const why =
          cause.fault === 'timeout' ? `there was no answer within ${timeoutMs} ms` : 'the address cannot be reached'
        throw new NodeFailure(why, { cause })
      })
      return { status: answer.status, headers: flat(answer.headers), body: answer.json ?? answer.text }
    },
    close: () => client.close(),
  }
}

const pathOf = (url: string): string => (URL.canParse(url) ? new URL(url).pathname : '')

function address(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new NodeFailure('the address is not an http or https address')
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}
