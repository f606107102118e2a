import { Agent, request } from 'undici'
import { readLimited } from '../read-limited.ts'
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
  const agent = new Agent({ connections: 128, headersTimeout: 0, bodyTimeout: 0 })
  return {
    async fetch(workflow, { method, url, headers, body, timeoutMs }, signal) {
      const timeout = AbortSignal.timeout(timeoutMs)
      try {
        const response = await request(address(url), {
          method,
          dispatcher: agent,
          headers: {
            accept: 'application/json',
            ...(body === null ? {} : { 'content-type': 'application/json' }),
            ...headers,
            [WORKFLOW_HEADER]: workflow,
          },
          body,
          signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        })
        const text = await readLimited(response.body, RESPONSE_LIMIT_BYTES)
        if (text === null) throw new NodeFailure('the answer is larger than the limit')
        return { status: response.statusCode, headers: flat(response.headers), body: jsonOrText(text) }
      } catch (cause) {
        if (cause instanceof NodeFailure) throw cause
        signal?.throwIfAborted()
        throw new NodeFailure(
          timeout.aborted ? `there was no answer within ${timeoutMs} ms` : 'the address cannot be reached',
          {
            cause,
          },
        )
      }
    },
    close: () => agent.destroy(),
  }
}

function address(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url
  throw new NodeFailure('the address is not an http or https address')
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
