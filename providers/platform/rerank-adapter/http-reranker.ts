import { Agent, request } from 'undici'
import { HttpError } from '../../kit/http-error.ts'
import { readLimited } from '../read-limited.ts'
import type { Reranker } from './reranker.ts'

/** 32 scores take a few kilobytes. */
const RESPONSE_LIMIT_BYTES = 1024 * 1024

/** TEI's `POST /rerank` at an address. Never tries twice: a failed batch fails the whole request. */
export function httpReranker(url: string, apiKey: string | null): Reranker & { close(): Promise<void> } {
  const agent = new Agent({ connections: 16, headersTimeout: 0, bodyTimeout: 0 })
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  }
  return {
    async rank(query, texts, signal) {
      const { status, text } = await send(JSON.stringify({ query, texts }), signal)
      if (status !== 200) throw new HttpError(502, `The reranker answered HTTP ${status}`)
      if (text === null) throw new HttpError(502, 'The reranker sent more than the size limit')
      try {
        return JSON.parse(text) as unknown
      } catch (cause) {
        throw new HttpError(502, 'The reranker did not answer with JSON', { cause })
      }
    },
    close: () => agent.destroy(),
  }

  async function send(body: string, signal: AbortSignal): Promise<{ status: number; text: string | null }> {
    let status: number | null = null
    try {
      const response = await request(`${url}/rerank`, { method: 'POST', dispatcher: agent, headers, body, signal })
      status = response.statusCode
      return { status, text: await readLimited(response.body, RESPONSE_LIMIT_BYTES) }
    } catch (cause) {
      signal.throwIfAborted()
      // Once there was a status, somebody is there and broke off.
      if (status !== null) throw new HttpError(502, 'The reranker broke off its answer', { cause })
      throw new HttpError(503, 'The reranker cannot be reached', { cause })
    }
  }
}
