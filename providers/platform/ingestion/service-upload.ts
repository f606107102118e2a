import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, fetch, FormData } from 'undici'
import { z } from 'zod'
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
  /** The body of a successful answer. Throws `ParserServiceError` with the reason that the service gave. */
  send(route: string, file: CorpusFile, fields: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string>
  /** What the service states of itself; null when it does not answer, or not in this form. */
  health(signal: AbortSignal): Promise<ParserServiceHealth | null>
  close(): Promise<void>
}

/** Fields of a service's `GET /health` that texts depend on. Services of others leave them out. */
const ParserServiceHealth = z.looseObject({
  revision: z.string().min(1).optional(),
  uses_prompt: z.boolean().optional(),
})
type ParserServiceHealth = z.infer<typeof ParserServiceHealth>

/** How long a service that ended while it read a file may take to restart: its supervisor starts it again on the same port. */
const RESTART_MS = 30_000
const HEALTH_EVERY_MS = 250
const HEALTH_WITHIN_MS = 3000

/**
 * `name` is the parser's, for error messages. A service that ends while it reads a file receives that file once more after its restart:
 * another file, or a deadline, may have ended it.
 */
export function serviceUpload(
  name: 'converter' | 'speech',
  { url, token }: ServiceAddress,
  restartMs = RESTART_MS,
): ServiceUpload {
  // The service has a deadline of its own, longer than a client's usual ones.
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0, maxResponseSize: ANSWER_LIMIT_BYTES })

  async function upload(route: string, form: FormData, signal: AbortSignal): Promise<Answer> {
    try {
      const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
      const response = await fetch(`${url}${route}`, { method: 'POST', body: form, headers, signal, dispatcher })
      const retryAfterMs = Number(response.headers.get('retry-after') ?? '1') * 1000 || 1000
      return { status: response.status, retryAfterMs, text: await response.text() }
    } catch (cause) {
      signal.throwIfAborted()
      throw new ParserServiceError(name, null, `the ${name} service did not answer: ${causeOf(cause)}`, { cause })
    }
  }

  const askHealth = (signal: AbortSignal) =>
    fetch(`${url}/health`, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(HEALTH_WITHIN_MS)]),
      dispatcher,
    }).catch(() => null)

  /** Whether the service works again in time. */
  async function hasRestarted(signal: AbortSignal): Promise<boolean> {
    const until = Date.now() + restartMs
    while (Date.now() < until) {
      await delay(HEALTH_EVERY_MS, undefined, { signal })
      const health = await askHealth(signal)
      await health?.body?.cancel()
      if (health?.ok === true) return true
    }
    return false
  }

  return {
    close: () => dispatcher.destroy(),
    async health(signal) {
      const answer = await askHealth(signal)
      const body = answer?.ok === true ? await answer.json().catch(() => null) : null
      return ParserServiceHealth.safeParse(body).data ?? null
    },
    async send(route, file, fields, signal) {
      const bytes = await file.read()
      const until = Date.now() + MOST_WAIT_MS
      for (let hasEnded = false; ;) {
        const form = new FormData()
        for (const [field, value] of Object.entries(fields)) form.append(field, value)
        form.append('file', new Blob([bytes]), path.posix.basename(file.path))
        const answer = await upload(route, form, signal).catch(async (error: unknown) => {
          if (hasEnded || !(error instanceof ParserServiceError)) throw error
          if (!(await hasRestarted(signal).catch(() => false))) {
            signal.throwIfAborted()
            throw error
          }
          hasEnded = true
          return null
        })
        if (answer === null) continue
        if (answer.status === 429 && Date.now() < until) {
          await delay(answer.retryAfterMs, undefined, { signal })
          continue
        }
        if (answer.status < 200 || answer.status > 299)
          throw new ParserServiceError(name, answer.status, detailOf(answer.text))
        return answer.text
      }
    },
  }
}

interface Answer {
  status: number
  retryAfterMs: number
  text: string
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
