import { Agent, request } from 'undici'
import type { Dispatcher } from 'undici'
import { z } from 'zod'
import { readLimited, readLimitedBytes } from '../read-limited.ts'

/** What became of a submission. `refused`: the provider has not taken it; `unknown`: it may have. */
export type Submission =
  | { outcome: 'accepted'; providerId: string }
  | { outcome: 'refused'; message: string; isTransient: boolean }
  | { outcome: 'unknown'; message: string }

/** What a provider reports about a request that it has. `gone`: it does not know it (any more). */
export type ProviderState =
  | { state: 'waiting'; position: number | null }
  | { state: 'running' | 'completed' | 'gone' }
  | { state: 'cancelled' | 'failed'; message: string }

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
/** fal keeps results here; nothing else that a reply names is opened. */
const FILE_HOSTS = /(?:^|\.)fal\.(?:media|run|ai)$/

const Accepted = z.object({ request_id: z.string().regex(/^[\w-]{1,128}$/) })
const State = z.object({
  status: z.enum(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED', 'FAILED', 'ERROR']),
  queue_position: z.number().nullish(),
  error: z.string().nullish(),
  error_type: z.string().nullish(),
})
const File = z.object({ url: z.string(), content_type: z.string().nullish() })
const Result = z.object({
  images: z.array(File).optional(),
  image: File.optional(),
  video: File.optional(),
  audio: File.optional(),
  audio_file: File.optional(),
})
/** Errors of a connection that was never made: nothing has been sent. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
])

/**
 * The queue of fal: `POST /{model}`, `GET /{app}/requests/{id}/status`, `GET /{app}/requests/{id}`, `PUT /{app}/requests/{id}/cancel`, where `app` is the
 * first two parts of the model's name. Redirects are not followed.
 */
export function falClient({ endpoint, apiKey }: { endpoint: string; apiKey: string }): HostedProvider {
  const agent = new Agent({ connections: 16 })
  const headers = { authorization: `Key ${apiKey}`, 'content-type': 'application/json', accept: 'application/json' }
  const requestUrl = (model: string, id: string): string =>
    `${endpoint}/${model.split('/').slice(0, 2).join('/')}/requests/${id}`

  return {
    async submit(model, input, signal) {
      let answer
      try {
        answer = await call('POST', `${endpoint}/${model}`, signal, input)
      } catch (error) {
        if (error instanceof ProviderCallError && isNotSent(error.cause))
          return { outcome: 'refused', message: error.message, isTransient: true }
        return { outcome: 'unknown', message: messageOf(error) }
      }
      const { status, body } = answer
      const accepted = Accepted.safeParse(body)
      if (status < 300 && accepted.success) return { outcome: 'accepted', providerId: accepted.data.request_id }
      if (status === 429) return { outcome: 'refused', message: 'The provider answered HTTP 429', isTransient: true }
      if (status >= 400 && status < 500 && status !== 408)
        return {
          outcome: 'refused',
          message: `The provider refused the request with HTTP ${status}`,
          isTransient: false,
        }
      return {
        outcome: 'unknown',
        message: `The provider answered the submission with HTTP ${status} and no request id`,
      }
    },
    async state(model, id, signal) {
      const { status, body } = await call('GET', `${requestUrl(model, id)}/status`, signal)
      if (status === 404) return { state: 'gone' }
      const reply = status < 300 ? State.safeParse(body) : null
      if (reply?.success !== true) throw unexpected('the state of a request', status)
      const { status: word, queue_position: position, error, error_type: type } = reply.data
      if (word === 'IN_QUEUE') return { state: 'waiting', position: position ?? null }
      if (word === 'IN_PROGRESS') return { state: 'running' }
      if (word === 'CANCELLED' || /cancel/i.test(type ?? '')) return { state: 'cancelled', message: 'cancelled' }
      const hasFailed = word !== 'COMPLETED' || isText(error) || isText(type)
      if (!hasFailed) return { state: 'completed' }
      return {
        state: 'failed',
        message: `The provider reports a failure${isText(type) ? ` (${type.slice(0, 64)})` : ''}`,
      }
    },
    async cancel(model, id, signal) {
      const { status } = await call('PUT', `${requestUrl(model, id)}/cancel`, signal)
      // 400 and 409: it has ended already; 404: it is gone. Its state shows which.
      if (status >= 300 && ![400, 404, 409].includes(status)) throw unexpected('a cancellation', status)
    },
    async result(model, id, signal) {
      const { status, body } = await call('GET', requestUrl(model, id), signal)
      const reply = status < 300 ? Result.safeParse(body) : null
      if (reply?.success !== true) throw unexpected('a result', status)
      const { images = [], ...single } = reply.data
      const files = [...images, single.image, single.video, single.audio, single.audio_file].flatMap((file) =>
        file === undefined ? [] : [{ url: file.url, mediaType: file.content_type ?? null }],
      )
      return { raw: body, files }
    },
    async download(url, maxBytes, signal) {
      if (!isOfProvider(url))
        throw new ProviderCallError('A result names a file that is not on the provider’s servers', false)
      const response = await send(url, { method: 'GET', signal })
      if (response.statusCode >= 300) {
        await response.body.dump()
        throw unexpected('a file', response.statusCode)
      }
      const bytes = await readLimitedBytes(response.body, maxBytes).catch((cause: unknown) => {
        throw new ProviderCallError('The provider’s answer ended early', true, { cause })
      })
      if (bytes === null) throw new ProviderCallError(`A generated file exceeds ${maxBytes} bytes`, false)
      return { bytes, mediaType: mediaTypeOf(response.headers['content-type']) }
    },
    close: () => agent.destroy(),
  }

  function isOfProvider(url: string): boolean {
    if (!URL.canParse(url)) return false
    const { origin, protocol, hostname } = new URL(url)
    return origin === new URL(endpoint).origin || (protocol === 'https:' && FILE_HOSTS.test(hostname))
  }

  async function call(method: 'GET' | 'POST' | 'PUT', url: string, signal: AbortSignal, body?: object) {
    const response = await send(url, {
      method,
      headers,
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    try {
      const text = await readLimited(response.body, REPLY_LIMIT_BYTES)
      if (text === null) throw new ProviderCallError('The provider sent more than the size limit', false)
      return { status: response.statusCode, body: parseJson(text) }
    } catch (cause) {
      if (cause instanceof ProviderCallError) throw cause
      throw new ProviderCallError('The provider’s answer ended early', true, { cause })
    }
  }

  async function send(url: string, options: Partial<Dispatcher.RequestOptions> & { signal: AbortSignal }) {
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(CALL_TIMEOUT_MS)])
    try {
      return await request(url, { ...options, signal, dispatcher: agent })
    } catch (cause) {
      throw new ProviderCallError('The provider cannot be reached', true, { cause })
    }
  }
}

/** Another attempt may get a better answer than a 5xx or 429; a credential that is refused may be corrected meanwhile. */
const unexpected = (what: string, status: number): ProviderCallError =>
  new ProviderCallError(
    `The provider answered a question for ${what} with ${status < 300 ? 'an unknown form' : `HTTP ${status}`}`,
    [401, 403, 408, 429].includes(status) || status >= 500,
  )

const isText = (value: string | null | undefined): value is string => typeof value === 'string' && value !== ''
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
const mediaTypeOf = (header: string | string[] | undefined): string | null =>
  [header].flat()[0]?.split(';')[0]?.trim().toLowerCase() ?? null

function isNotSent(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' && NOT_SENT.has(code)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
