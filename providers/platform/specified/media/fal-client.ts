import { z } from 'zod'
import { type HostedProvider, providerCalls, unexpected } from './hosted-provider.ts'

/** fal keeps results here; nothing else that a reply names is opened. */
const FILE_HOSTS = /(?:^|\.)fal\.(?:media|run|ai)$/

const Accepted = z.object({ request_id: z.string().regex(/^[\w-]{1,128}$/) })
const State = z.object({
  status: z.enum(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'CANCELLED', 'FAILED', 'ERROR']),
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

/**
 * The queue of fal: `POST /{model}`, `GET /{app}/requests/{id}/status`, `GET /{app}/requests/{id}`, `PUT /{app}/requests/{id}/cancel`, where `app` is the
 * first two parts of the model's name.
 */
export function falClient({ endpoint, apiKey }: { endpoint: string; apiKey: string }): HostedProvider {
  const { origin } = new URL(endpoint)
  const isOfProvider = (url: URL): boolean =>
    url.origin === origin || (url.protocol === 'https:' && FILE_HOSTS.test(url.hostname))
  const { call, submit, download, close } = providerCalls({ authorization: `Key ${apiKey}` }, isOfProvider)
  const requestUrl = (model: string, id: string): string =>
    `${endpoint}/${model.split('/').slice(0, 2).join('/')}/requests/${id}`

  return {
    submit: (model, input, signal) =>
      submit(`${endpoint}/${model}`, input, signal, (status, body) => {
        const accepted = Accepted.safeParse(body)
        if (status >= 300 || !accepted.success) return null
        return { outcome: 'accepted', providerId: accepted.data.request_id }
      }),
    async state(model, id, signal) {
      const { status, body } = await call('GET', `${requestUrl(model, id)}/status`, signal)
      if (status === 404) return { state: 'gone' }
      const reply = status < 300 ? State.safeParse(body) : null
      if (reply?.success !== true) throw unexpected('the state of a request', status)
      const { status: word, error, error_type: type } = reply.data
      if (word === 'IN_QUEUE' || word === 'IN_PROGRESS') return { state: 'open' }
      if (word === 'CANCELLED' || /cancel/i.test(type ?? '')) return { state: 'cancelled' }
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
    download,
    close,
  }
}

const isText = (value: string | null | undefined): value is string => typeof value === 'string' && value !== ''
