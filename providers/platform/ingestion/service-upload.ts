import path from 'node:path'
import { z } from 'zod'
import { createHttpClient, HttpFault } from '../../../core/http/http-client.ts'
import { askedPauseMs, waitFor } from '../../../core/http/pauses.ts'
import { uploadOf } from '../../../core/http/bodies.ts'
import { saidBy } from '../../../core/http/said.ts'
import type { CorpusFile } from './corpus.ts'
import { ParserServiceError } from './errors.ts'

/** Such a service works on one file at a time; others may use it as well. */
const MOST_WAIT_MS = 15 * 60_000
const BUSY_PAUSE_MS = 1000
/** The service has a deadline of its own, longer than a client's usual ones. */
const ANSWER_WITHIN_MS = 24 * 60 * 60_000
const ANSWER_LIMIT_BYTES = 256 * 1024 * 1024

export interface ServiceAddress {
  url: string
  token: string | null
}

/** Sends corpus files to a service that reads them, and waits while it is busy. */
export interface ServiceUpload {
  /** The body of a successful answer. Throws `ParserServiceError` with the reason that the service gave. */
  send(route: string, file: CorpusFile, fields: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string>
  /** Returns what the service states of itself; null when it does not answer, or not in this form. */
  health(signal: AbortSignal): Promise<ParserServiceHealth | null>
  close(): Promise<void>
}

/** Fields of a service's `GET /health` that texts depend on. Services of others leave them out. */
const ParserServiceHealth = z.looseObject({
  revision: z.string().min(1).optional(),
  uses_prompt: z.boolean().optional(),
})
type ParserServiceHealth = z.infer<typeof ParserServiceHealth>

/** Limits how long a service that ended while it read a file may take to restart: its supervisor starts it again on the same port. */
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
  const client = createHttpClient(token === null ? {} : { authorization: `Bearer ${token}` })

  const askHealth = (signal: AbortSignal) =>
    client.send(`${url}/health`, { signal, timeoutMs: HEALTH_WITHIN_MS }).catch(() => null)

  /** Returns true when the service works again in time. */
  async function hasRestarted(signal: AbortSignal): Promise<boolean> {
    const until = Date.now() + restartMs
    while (Date.now() < until) {
      await waitFor(HEALTH_EVERY_MS, signal)
      const health = await askHealth(signal)
      if (health?.isOk === true) return true
    }
    return false
  }

  return {
    close: () => client.close(),
    async health(signal) {
      return ParserServiceHealth.safeParse((await askHealth(signal))?.json).data ?? null
    },
    async send(route, file, fields, signal) {
      const bytes = await file.read()
      const until = Date.now() + MOST_WAIT_MS
      for (let hasEnded = false; ;) {
        const form = uploadOf(bytes, path.posix.basename(file.path), fields)
        const call = { body: form, signal, timeoutMs: ANSWER_WITHIN_MS, limitBytes: ANSWER_LIMIT_BYTES }
        const answer = await client.send(`${url}${route}`, call).catch(async (cause: unknown) => {
          if (!(cause instanceof HttpFault)) throw cause
          if (!hasEnded && (await hasRestarted(signal).catch(() => false))) return null
          signal.throwIfAborted()
          const problem = `the ${name} service did not answer: ${cause.reason}`
          throw new ParserServiceError(name, null, problem, { cause })
        })
        if (answer === null) hasEnded = true
        else if (answer.status === 429 && Date.now() < until)
          await waitFor(askedPauseMs(answer.headers) ?? BUSY_PAUSE_MS, signal)
        else if (answer.isOk) return answer.text
        else throw new ParserServiceError(name, answer.status, saidBy(answer, 500).text)
      }
    },
  }
}
