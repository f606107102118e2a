import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import { callerSignal } from '../../../kit/caller-signal.ts'
import { HttpError } from '../../../kit/http-error.ts'
import { createPermits } from '../../../kit/permits.ts'
import { useErrorFamily } from '../../../kit/server.ts'
import { parseRequest } from '../../../kit/validate.ts'
import { subjectOf } from '../../identity/guard.ts'
import type { BeginOperation } from '../media/begin-operation.ts'
import type { MediaSettings } from '../media/media-settings.ts'
import { isEnded } from '../media/operation-store.ts'
import type { MediaOperation, OperationStore } from '../media/operation-store.ts'
import { checkpointOf, localProvider } from '../media/routes.ts'
import { ARTIFACTS } from '../media/run-operation.ts'
import { BytesUnavailableError } from '../storage/object-bytes.ts'
import type { ObjectStore } from '../storage/object-store.ts'

/**
 * The older form of image generation, which bundled workflows and the tools of a chat interface call: one request that waits for its image. It starts a
 * media operation of the local provider, whose id is the `prompt_id`. Its errors are 400, where newer routes answer 422.
 */

/** An answer of `POST /imagegen/generate`. */
export interface ImageAnswer {
  success: boolean
  prompt_id: string
  client_id: string
  message: string
  data: { status: MediaOperation['status']; images: { filename: string; url: string }[] }
  error: string | null
}

const Side = z.number().int().min(64).max(4096).default(512)
/** The fields of the reference; others are ignored, as it does. */
const ImageRequest = z.object({
  prompt: z.string().trim().min(1).max(4000),
  negative_prompt: z.string().max(4000).default(''),
  width: Side,
  height: Side,
  steps: z.number().int().min(1).max(150).default(20),
  cfg: z.number().min(0).max(30).default(7),
  seed: z.number().int().min(0).max(0xff_ff_ff_ff).nullish(),
  checkpoint: z.string().max(200).nullish(),
  wait_for_completion: z.boolean().default(true),
  timeout_seconds: z.number().positive().max(3600).nullish(),
})
const ImageParams = z.object({ filename: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/) })
const CONTENT = /^image\/(?:png|jpeg|webp|gif)$/
const POLL_MS = 50
/** Each waiting caller holds a connection. */
const MOST_WAITING = 32

export interface ImageRoutesDeps {
  operations: Pick<OperationStore, 'get'>
  objects: ObjectStore
  settings: Pick<MediaSettings, 'local' | 'imageTimeoutMs' | 'imageMaxBytes' | 'requestMaxBytes'>
  begin: BeginOperation
  /** The consumer that these operations count for. */
  ownConsumer: string
}

/**
 * `POST /imagegen/generate`: 400 invalid fields, 429 too many waiting callers, 502 the image was not made, 503 no ComfyUI, 504 with
 * `prompt_id` at the deadline. `GET /imagegen/image/:filename`: 404 unknown or of another user, 502 larger than the limit.
 */
export function registerImageRoutes(app: FastifyInstance, deps: ImageRoutesDeps): void {
  const { operations, objects, settings, begin, ownConsumer } = deps
  const waiting = createPermits(MOST_WAITING)
  const clientId = randomUUID()

  void app.register(async (scope) => {
    useErrorFamily(scope, 'detail_400')
    scope.post('/imagegen/generate', async (request, reply): Promise<ImageAnswer> => {
      const receivedMs = Date.now()
      const asked = parseRequest(ImageRequest, request.body)
      const model = checkpointOf(asked.checkpoint, localProvider(settings).checkpoint)
      const waitMs = Math.min((asked.timeout_seconds ?? Infinity) * 1000, settings.imageTimeoutMs)
      const permit = asked.wait_for_completion ? waiting.tryTake() : null
      if (asked.wait_for_completion && permit === null)
        throw new HttpError(429, 'Too many callers wait for images', { headers: { 'retry-after': '1' } })
      try {
        const { id } = await begin({
          subject: subjectOf(request),
          consumer: ownConsumer,
          project: null,
          provider: 'local',
          modality: 'image',
          model,
          license: null,
          price: 0,
          reserved: 0,
          input: {
            prompt: asked.prompt,
            negative_prompt: asked.negative_prompt,
            width: asked.width,
            height: asked.height,
            steps: asked.steps,
            cfg: asked.cfg,
            ...(asked.seed === null || asked.seed === undefined ? {} : { seed: asked.seed }),
          },
          // A caller that timed out earlier may fetch the image later.
          timeoutMs: settings.imageTimeoutMs,
        })
        const url = (name: string) => `${request.protocol}://${request.host}/imagegen/image/${name}`
        const answer = ({ status, artifacts }: MediaOperation, message: string): ImageAnswer => ({
          success: true,
          prompt_id: id,
          client_id: clientId,
          message,
          data: { status, images: artifacts.map(({ name }) => ({ filename: name, url: url(name) })) },
          error: null,
        })
        if (permit === null) return answer((await operations.get(id))!, `The image will be at ${url(`${id}-1.png`)}`)
        const ended = await endOf(id, receivedMs + waitMs, callerSignal(request, reply))
        if (ended === null || ended.status === 'timeout')
          throw new HttpError(504, {
            message: `The image was not finished within ${waitMs / 1000} seconds`,
            prompt_id: id,
          })
        if (ended.status !== 'succeeded')
          throw new HttpError(502, { message: `The image was not made: ${ended.error ?? ended.status}`, prompt_id: id })
        return answer(ended, `The image was drawn by ${model}`)
      } finally {
        permit?.release()
      }
    })
  })

  app.get('/imagegen/image/:filename', async (request, reply): Promise<FastifyReply> => {
    const parsed = ImageParams.safeParse(request.params)
    if (!parsed.success)
      throw new HttpError(400, 'Invalid filename: expected letters, digits, dots, hyphens and underscores')
    const object = await objects.find(ARTIFACTS, parsed.data.filename)
    const subject = subjectOf(request)
    if (object === null || (subject !== null && object.subject !== subject) || !CONTENT.test(object.mediaType ?? ''))
      throw new HttpError(404, 'Unknown image')
    if (object.sizeBytes > settings.imageMaxBytes)
      throw new HttpError(502, `The image exceeds ${settings.imageMaxBytes} bytes (IMAGEGEN_MAX_IMAGE_BYTES)`)
    const bytes = await objects.read(object).catch((cause: unknown) => {
      throw cause instanceof BytesUnavailableError ? new HttpError(503, 'Storage is unavailable', { cause }) : cause
    })
    return reply
      .type(object.mediaType!)
      .headers({
        'content-length': object.sizeBytes,
        'x-content-type-options': 'nosniff',
        etag: `"${object.sha256}"`,
      })
      .send(bytes)
  })

  /** The operation once it has ended; null at the deadline. Another process may end it, so its row is what counts. */
  async function endOf(id: string, deadlineMs: number, signal: AbortSignal): Promise<MediaOperation | null> {
    for (;;) {
      const operation = await operations.get(id)
      if (operation === null || isEnded(operation)) return operation
      const leftMs = deadlineMs - Date.now()
      if (leftMs <= 0) return null
      await wait(Math.min(POLL_MS, leftMs), undefined, { signal })
    }
  }
}
