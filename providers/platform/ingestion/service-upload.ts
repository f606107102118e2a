import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, fetch, FormData } from 'undici'
import type { CorpusFile } from './corpus.ts'
import { ParserServiceError } from './errors.ts'

/** Such a service works on one file at a time; others may use it as well. */
const MOST_WAIT_MS = 15 * 60_000
const ANSWER_LIMIT_BYTES = 256 * 1024 * 1024

export interface ServiceAddress {
  url: string
  token: string | null
}

/** Sends corpus files to a service that reads them, and waits while it is busy. */
export interface ServiceUpload {
  /** The body of a successful answer. Throws `ParserServiceError` with what the service said. */
  send(route: string, file: CorpusFile, fields: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string>
  close(): Promise<void>
}

/** `name` is the parser's, as errors tell it. */
export function serviceUpload(name: 'converter' | 'speech', { url, token }: ServiceAddress): ServiceUpload {
  // The service has a deadline of its own, longer than a client's usual ones.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, maxResponseSize: ANSWER_LIMIT_BYTES })
  return {
    close: () => dispatcher.destroy(),
    async send(route, file, fields, signal) {
      const bytes = await file.read()
      const until = Date.now() + MOST_WAIT_MS
      for (;;) {
        const form = new FormData()
        for (const [field, value] of Object.entries(fields)) form.append(field, value)
        form.append('file', new Blob([bytes]), path.posix.basename(file.path))
        const response = await fetch(`${url}${route}`, {
          method: 'POST',
          body: form,
          headers: token === null ? {} : { authorization: `Bearer ${token}` },
          signal,
          dispatcher,
        }).catch((error: unknown) => {
          signal.throwIfAborted()
          throw new ParserServiceError(name, null, `the ${name} service gave no answer: ${causeOf(error)}`, {
            cause: error,
          })
        })
        if (response.status === 429 && Date.now() < until) {
          await response.body?.cancel()
          await delay(Number(response.headers.get('retry-after') ?? '1') * 1000 || 1000, undefined, { signal })
          continue
        }
        const text = await response.text()
        if (!response.ok) throw new ParserServiceError(name, response.status, detailOf(text))
        return text
      }
    },
  }
}

const causeOf = (error: unknown): string => {
  const cause = error instanceof Error ? (error.cause ?? error) : error
  return cause instanceof Error ? cause.message : String(cause)
}

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    return typeof detail === 'string' ? detail : JSON.stringify(detail)
  } catch {
    return text.slice(0, 500)
  }
}
