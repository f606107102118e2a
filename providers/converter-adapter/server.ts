import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { uploadDeadline } from '../kit/deadlines.ts'
import { HttpError } from '../kit/http-error.ts'
import { createLogger } from '../kit/logger.ts'
import { acceptMultipart, FRAMING_BYTES, requiredFile, type MultipartForm } from '../kit/multipart-form.ts'
import { bearerMatches, secretsEqual } from '../kit/secrets.ts'
import { closeGracefully, createHttpServer, listen, type Listening } from '../kit/server.ts'
import { ServiceConfigError } from '../kit/service-config-error.ts'
import { neededBytes, SERVICE, type AdapterConfig } from './config.ts'
import { ConversionRefusedError, fetchBundle, type UnderWay } from './fetch-bundle.ts'
import { JobTable, type Slot } from './jobs.ts'

export interface RunningAdapter extends Listening {
  close(): Promise<void>
}

/** Longest that one poll is held open. */
const MOST_WAIT_MS = 60_000

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

/**
 * Starts the adapter: the part of docling-serve's asynchronous surface that the graph engine uses. Callers name the adapter's own token, as a bearer or in
 * `X-Api-Key` as docling-serve has it, and never see the converter's.
 */
export async function startAdapter(
  config: AdapterConfig,
  freeBytesOf: (folder: string) => Promise<number> = freeBytes,
): Promise<RunningAdapter> {
  await mkdir(config.tempDir, { recursive: true })
  const free = await freeBytesOf(config.tempDir)
  if (free < neededBytes(config))
    throw new ServiceConfigError(SERVICE, [
      `${config.tempDir}: ${free} bytes are free; ${config.maxJobs} jobs may need ${neededBytes(config)}`,
    ])
  const folder = await mkdtemp(join(config.tempDir, 'results-'))
  const logger = createLogger('converter-adapter', config.logLevel)
  const jobs = new JobTable(config.maxJobs, config.resultTtlMs)
  const closing = new AbortController()
  const underWay: UnderWay = new Set()
  const slots = new WeakMap<FastifyRequest, Slot>()
  const app = createHttpServer({
    logger,
    requestTimeoutMs: config.uploadTimeoutMs + 5000,
    // Unexposed: reached by name from the network that it shares with the graph engine.
    trusted: { hosts: ['host.docker.internal', 'converter-adapter'] },
    tooLarge: () => new HttpError(413, 'Upload is too large'),
    gate: async (request) => {
      if (request.routeOptions.config.open !== true) authenticate(config, request)
    },
  })
  if (config.authMode === 'required' && config.token === null)
    logger.warn(
      'DOCCONV_ADAPTER_API_TOKEN is not set: all but health is answered with 503. Set it, or DOCCONV_ADAPTER_AUTH_MODE=disabled',
    )
  const takeSlot = async (request: FastifyRequest): Promise<void> => {
    const slot = jobs.tryTake()
    if (slot === null) throw new HttpError(429, 'Adapter capacity is full', { headers: { 'retry-after': '1' } })
    slots.set(request, slot)
  }

  const run = async (id: string, form: MultipartForm): Promise<void> => {
    const file = join(folder, `${id}.zip`)
    try {
      jobs.started(id)
      await fetchBundle(config, form.files.get('files')!, file, underWay, closing.signal)
      jobs.succeeded(id, file)
    } catch (error) {
      if (closing.signal.aborted) return
      logger.warn({ err: error }, 'a conversion failed')
      jobs.failed(id, reasonOf(error))
    }
  }

  app.get('/health', { config: { open: true } }, async () => ({ status: 'healthy' }))
  await app.register(async (scope) => {
    acceptMultipart(scope)
    scope.post(
      '/v1/convert/file/async',
      {
        bodyLimit: config.maxUploadBytes + FRAMING_BYTES,
        onRequest: async (request, reply) => {
          await takeSlot(request)
          // A job that came to be has the slot; a refused or broken upload gives it back.
          reply.raw.once('close', () => slots.get(request)?.free())
        },
        preParsing: uploadDeadline(config.uploadTimeoutMs),
      },
      async (request, reply) => {
        const form = request.body as MultipartForm
        try {
          requiredFile(form, 'files', config.maxUploadBytes)
        } catch (error) {
          if (error instanceof HttpError)
            throw new HttpError(error.status, error.status === 400 ? 'Upload is empty' : 'Upload is too large')
          throw error
        }
        const id = jobs.add(slots.get(request)!)
        slots.delete(request)
        void run(id, form)
        return reply.code(202).send({ task_id: id })
      },
    )
  })
  app.get<{ Params: { id: string }; Querystring: { wait?: string } }>(
    '/v1/status/poll/:id',
    async ({ params: { id }, query: { wait } }) => {
      await jobs.ended(id, Math.min(MOST_WAIT_MS, (Number(wait ?? '0') || 0) * 1000))
      const state = jobs.state(id)
      if (state === null) throw new HttpError(404, 'Task not found')
      const task = { task_id: id, task_type: 'convert', task_status: state.status }
      return state.reason === null ? task : { ...task, error_message: state.reason }
    },
  )
  /** The size of a finished result. Throws 404 and 409 for others; null for a failed task, whose failure is answered. */
  const readyResult = async (id: string, reply: FastifyReply): Promise<number | null> => {
    const state = jobs.state(id)
    if (state === null) throw new HttpError(404, 'Task not found')
    if (state.reason !== null) {
      void reply.send({ failure: { task_id: id, error_message: state.reason } })
      return null
    }
    if (state.file === null) throw new HttpError(409, 'Task result is not ready')
    return (await stat(state.file)).size
  }
  // A result is read once: asking for its headers does not read it.
  app.head<{ Params: { id: string } }>('/v1/result/:id', async ({ params: { id } }, reply) => {
    const size = await readyResult(id, reply)
    return size === null ? reply : reply.type('application/zip').header('content-length', size).send()
  })
  app.get<{ Params: { id: string } }>(
    '/v1/result/:id',
    { exposeHeadRoute: false },
    async ({ params: { id } }, reply) => {
      const size = await readyResult(id, reply)
      if (size === null) return reply
      const result = jobs.takeResult(id)
      if (result === null) throw new HttpError(404, 'Task not found')
      const deadline = setTimeout(() => reply.raw.destroy(), config.downloadTimeoutMs)
      reply.raw.once('close', () => {
        clearTimeout(deadline)
        void rm(result.file, { force: true }).finally(() => result.slot.free())
      })
      return reply.type('application/zip').header('content-length', size).send(createReadStream(result.file))
    },
  )

  const listening = await listen(app, config.host, config.port)
  return {
    ...listening,
    async close() {
      closing.abort()
      jobs.close()
      await closeGracefully(app, 2000)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function authenticate({ authMode, token }: AdapterConfig, { headers }: FastifyRequest): void {
  if (authMode === 'disabled') return
  if (token === null) throw new HttpError(503, 'Adapter authentication is unavailable')
  const key = headers['x-api-key']
  if (bearerMatches(headers.authorization, token) || (typeof key === 'string' && secretsEqual(key, token))) return
  throw new HttpError(401, 'Authentication required', { headers: { 'www-authenticate': 'Bearer' } })
}

/** Returns what the sender may know: refusals have words for it, everything else stays in the log. */
function reasonOf(error: unknown): string {
  if (error instanceof ConversionRefusedError) return error.message
  if (error instanceof Error && error.name === 'TimeoutError') return 'The conversion took too long'
  return 'The converter cannot be reached'
}
