import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type HostedProvider, providerCalls, type ProviderState, unexpected } from './hosted-provider.ts'

/** Describes what the local provider draws. */
export const LocalInput = z.strictObject({
  prompt: z.string().trim().min(1).max(4000),
  negative_prompt: z.string().max(4000).default(''),
  width: z.number().int().min(64).max(4096).default(512),
  height: z.number().int().min(64).max(4096).default(512),
  steps: z.number().int().min(1).max(150).default(20),
  cfg: z.number().min(0).max(30).default(7),
  seed: z.number().int().min(0).max(0xff_ff_ff_ff).optional(),
})
export type LocalInput = z.infer<typeof LocalInput>

/** The seed of a prompt that names none: the same prompt gives the same picture. */
export const seedOf = ({ prompt, seed }: Pick<LocalInput, 'prompt' | 'seed'>): number =>
  seed ?? createHash('sha256').update(prompt).digest().readUInt32BE(0)

/** File name of a checkpoint, which may be in a folder below ComfyUI's own. */
export const CHECKPOINT = /^[\w][\w .()+/\\-]{0,199}$/

const Accepted = z.object({ prompt_id: z.string().regex(/^[\w-]{1,128}$/) })
const Refused = z.object({
  error: z.object({ message: z.string() }),
  node_errors: z
    .record(z.string(), z.object({ errors: z.array(z.object({ message: z.string() })) }))
    .catch({})
    .default({}),
})
const Image = z.object({ filename: z.string(), subfolder: z.string().default(''), type: z.string().default('output') })
const Entry = z.object({
  outputs: z.record(z.string(), z.looseObject({ images: z.array(Image).optional() })).default({}),
  status: z
    .object({ status_str: z.string(), messages: z.array(z.tuple([z.string(), z.unknown()])).default([]) })
    .nullish(),
})
const History = z.record(z.string(), Entry)
/** A place in the queue: its number, the prompt's id, and what it draws. */
const Place = z.tuple([z.number(), z.string()]).rest(z.unknown())
const Queue = z.object({ queue_running: z.array(Place), queue_pending: z.array(Place) })

/**
 * A ComfyUI server: `POST /prompt` with a graph that draws text to an image, `GET /history/{id}` and `GET /queue` for its state, `POST /queue` with
 * `delete` and `POST /interrupt` to cancel, `GET /view` for the picture. The model is the name of a checkpoint.
 */
export function comfyUiClient(base: string): HostedProvider {
  const { origin } = new URL(base)
  const { call, submit, download, close } = providerCalls({}, (url) => url.origin === origin)
  const at = (path: string): string => `${base.replace(/\/+$/, '')}${path}`

  async function entryOf(id: string, signal: AbortSignal) {
    const { status, body } = await call('GET', at(`/history/${encodeURIComponent(id)}`), signal)
    const reply = status < 300 ? History.safeParse(body) : null
    if (reply?.success !== true) throw unexpected('the state of a request', status)
    return reply.data[id] ?? null
  }

  async function queueOf(signal: AbortSignal) {
    const { status, body } = await call('GET', at('/queue'), signal)
    const reply = status < 300 ? Queue.safeParse(body) : null
    if (reply?.success !== true) throw unexpected('the queue', status)
    return reply.data
  }

  return {
    submit: (model, input, signal) =>
      submit(at('/prompt'), { prompt: graphOf(model, LocalInput.parse(input)) }, signal, (status, body) => {
        const accepted = Accepted.safeParse(body)
        if (status < 300 && accepted.success) return { outcome: 'accepted', providerId: accepted.data.prompt_id }
        const refused = Refused.safeParse(body)
        if (status !== 400 || !refused.success) return null
        const { error, node_errors: nodes } = refused.data
        const reasons = Object.values(nodes).flatMap(({ errors }) => errors.map(({ message }) => message))
        const why = [error.message, ...new Set(reasons)].join('; ').slice(0, 300)
        return { outcome: 'refused', message: `ComfyUI refused the request: ${why}`, isTransient: false }
      }),
    async state(_model, id, signal) {
      const before = await entryOf(id, signal)
      if (before !== null) return endOf(before)
      const { queue_running: running, queue_pending: pending } = await queueOf(signal)
      if ([...running, ...pending].some(([, place]) => place === id)) return { state: 'open' }
      // It may have ended between the two questions.
      const after = await entryOf(id, signal)
      return after === null ? { state: 'gone' } : endOf(after)
    },
    async cancel(_model, id, signal) {
      const removal = await call('POST', at('/queue'), signal, { delete: [id] })
      if (removal.status >= 300) throw unexpected('a cancellation', removal.status)
      // Older servers interrupt whatever runs, so it is asked for only while this request does.
      if (!(await queueOf(signal)).queue_running.some(([, place]) => place === id)) return
      const stop = await call('POST', at('/interrupt'), signal, { prompt_id: id })
      if (stop.status >= 300) throw unexpected('a cancellation', stop.status)
    },
    async result(_model, id, signal) {
      const entry = await entryOf(id, signal)
      const images = Object.values(entry?.outputs ?? {}).flatMap((node) => node.images ?? [])
      const files = images
        .filter(({ type }) => type === 'output')
        .map(({ filename, subfolder, type }) => ({
          url: at(`/view?${new URLSearchParams({ filename, subfolder, type }).toString()}`),
          mediaType: null,
        }))
      return { raw: { prompt_id: id, images }, files }
    },
    download,
    close,
  }
}

function endOf({ status }: z.infer<typeof Entry>): ProviderState {
  if (status?.status_str !== 'error') return { state: 'completed' }
  const events = new Map(status.messages)
  if (events.has('execution_interrupted')) return { state: 'cancelled' }
  const failure = z.object({ node_type: z.string() }).safeParse(events.get('execution_error'))
  const where = failure.success ? ` in its step ${failure.data.node_type.slice(0, 64)}` : ''
  return { state: 'failed', message: `ComfyUI reports a failure${where}` }
}

/** The usual graph from text to an image, in ComfyUI's API format: links are [node, output]. */
function graphOf(checkpoint: string, input: LocalInput): object {
  const { prompt, negative_prompt: negative, width, height, steps, cfg } = input
  const node = (class_type: string, inputs: object): object => ({ class_type, inputs })
  return {
    model: node('CheckpointLoaderSimple', { ckpt_name: checkpoint }),
    wanted: node('CLIPTextEncode', { text: prompt, clip: ['model', 1] }),
    unwanted: node('CLIPTextEncode', { text: negative, clip: ['model', 1] }),
    empty: node('EmptyLatentImage', { width, height, batch_size: 1 }),
    drawn: node('KSampler', {
      seed: seedOf(input),
      steps,
      cfg,
      sampler_name: 'euler',
      scheduler: 'normal',
      denoise: 1,
      model: ['model', 0],
      positive: ['wanted', 0],
      negative: ['unwanted', 0],
      latent_image: ['empty', 0],
    }),
    image: node('VAEDecode', { samples: ['drawn', 0], vae: ['model', 2] }),
    saved: node('SaveImage', { images: ['image', 0], filename_prefix: 'rag-ladder' }),
  }
}
