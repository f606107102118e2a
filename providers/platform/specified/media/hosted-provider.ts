import { createHttpClient, HttpFault } from '../../../../core/http/http-client.ts'
import { bytesOf } from '../../../../core/http/bodies.ts'
import { messageOf } from '../../../../core/json.ts'

// This file describes a service with a queue of generations, and the calls to it: fal and ComfyUI are two of them. Redirects are not followed.

/** Describes what became of a submission. `refused`: the provider has not taken it; `unknown`: it may have. */
export type Submission =
  | { outcome: 'accepted'; providerId: string }
  | { outcome: 'refused'; message: string; isTransient: boolean }
  | { outcome: 'unknown'; message: string }

/** Describes what a provider reports about a request that it has. `open`: it waits or runs; `gone`: the provider does not know it (any more). */
export type ProviderState =
  | { state: 'open' | 'completed' | 'cancelled' | 'gone' }
  | { state: 'failed'; message: string }

/** A file that a result names. */
export interface RemoteFile {
  url: string
  mediaType: string | null
}

/** A call that failed; another attempt may succeed where `isTransient`. */
export class ProviderCallError extends Error {
  override readonly name = 'ProviderCallError'
  readonly isTransient: boolean

  constructor(message: string, isTransient: boolean, options?: ErrorOptions) {
    super(message, options)
    this.isTransient = isTransient
  }
}

/** A hosted provider with a queue. */
export interface HostedProvider {
  submit(model: string, input: object, signal: AbortSignal): Promise<Submission>
  /** Throws `ProviderCallError`. */
  state(model: string, providerId: string, signal: AbortSignal): Promise<ProviderState>
  /** Asks for cancellation, which its state confirms later. Throws `ProviderCallError`. */
  cancel(model: string, providerId: string, signal: AbortSignal): Promise<void>
  /** Throws `ProviderCallError`. */
  result(model: string, providerId: string, signal: AbortSignal): Promise<{ raw: unknown; files: RemoteFile[] }>
  /** Bytes of a file of a result. Throws `ProviderCallError`, also for an address that is not the provider's. */
  download(url: string, maxBytes: number, signal: AbortSignal): Promise<{ bytes: Buffer; mediaType: string | null }>
  close(): Promise<void>
}

const CALL_TIMEOUT_MS = 30_000
const REPLY_LIMIT_BYTES = 4 * 1024 * 1024

/** Errors of a connection that was never made: nothing has been sent. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/** Calls to one provider. `isOfProvider` names the addresses from which its files may be fetched. */
export function providerCalls(headers: Record<string, string>, isOfProvider: (url: URL) => boolean) {
  const client = createHttpClient()

  async function call(method: 'GET' | 'POST' | 'PUT', url: string, signal: AbortSignal, body?: object) {
    const limits = { timeoutMs: CALL_TIMEOUT_MS, limitBytes: REPLY_LIMIT_BYTES }
    const asked = { 'content-type': 'application/json', ...headers }
    const answer = await client.send(url, { method, headers: asked, signal, json: body, ...limits }).catch(callError)
    return { status: answer.status, body: answer.json ?? null }
  }

  return {
    call,
    /**
     * Submits once. What `read` makes of a 2xx or 4xx answer counts; without an answer, or with another, the provider may have taken the request.
     */
    submit: async (
      url: string,
      body: object,
      signal: AbortSignal,
      read: (status: number, body: unknown) => Submission | null,
    ): Promise<Submission> => {
      let answer
      try {
        answer = await call('POST', url, signal, body)
      } catch (error) {
        if (error instanceof ProviderCallError && isNotSent(error.cause))
          return { outcome: 'refused', message: error.message, isTransient: true }
        return { outcome: 'unknown', message: messageOf(error) }
      }
      const { status } = answer
      const known = read(status, answer.body)
      if (known !== null) return known
      if (status === 429) return { outcome: 'refused', message: 'The provider answered HTTP 429', isTransient: true }
      if (status >= 400 && status < 500 && status !== 408) {
        const message = `The provider refused the request with HTTP ${status}`
        return { outcome: 'refused', message, isTransient: false }
      }
      const message = `The provider answered the submission with HTTP ${status} and no request id`
      return { outcome: 'unknown', message }
    },
    download: async (url: string, maxBytes: number, signal: AbortSignal) => {
      if (!URL.canParse(url) || !isOfProvider(new URL(url)))
        throw new ProviderCallError('A result names a file that is not on the provider’s servers', false)
      return client
        .open(url, { signal, timeoutMs: CALL_TIMEOUT_MS }, async ({ status, headers: received, body }) => {
          if (status >= 300) throw unexpected('a file', status)
          return { bytes: await bytesOf(body, maxBytes), mediaType: mediaTypeOf(received['content-type']) }
        })
        .catch((cause: unknown) => {
          if (cause instanceof HttpFault && cause.fault === 'too_large')
            throw new ProviderCallError(`A generated file exceeds ${maxBytes} bytes`, false, { cause })
          return callError(cause)
        })
    },
    close: () => client.close(),
  }
}

/** Another attempt may get a better answer than a 5xx or 429; a credential that is refused may be corrected meanwhile. */
export const unexpected = (what: string, status: number): ProviderCallError =>
  new ProviderCallError(
    `The provider answered a question for ${what} with ${status < 300 ? 'an unknown form' : `HTTP ${status}`}`,
    [401, 403, 408, 429].includes(status) || status >= 500,
  )

const mediaTypeOf = (header: string | string[] | undefined): string | null =>
  [header].flat()[0]?.split(';')[0]?.trim().toLowerCase() ?? null

const isNotSent = (cause: unknown): boolean => cause instanceof HttpFault && NOT_SENT.has(cause.code ?? '')

function callError(cause: unknown): never {
  // A caller that went away may have been heard.
  const fault = cause instanceof HttpFault ? cause.fault : 'unreachable'
  if (cause instanceof ProviderCallError) throw cause
  if (fault === 'too_large') throw new ProviderCallError('The provider sent more than the size limit', false, { cause })
  const problem = fault === 'interrupted' ? 'The provider’s answer ended early' : 'The provider cannot be reached'
  throw new ProviderCallError(problem, true, { cause })
}
