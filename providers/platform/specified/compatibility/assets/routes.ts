import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { callerSignal } from '../../../../kit/caller-signal.ts'
import { withWorkDeadline } from '../../../../kit/deadlines.ts'
import { HttpError } from '../../../../kit/http-error.ts'
import { FRAMING_BYTES } from '../../../../kit/multipart-form.ts'
import { createPermits, permitHook, permitOf } from '../../../../kit/permits.ts'
import { parseRequest } from '../../../../kit/validate.ts'
import type { ObjectStore } from '../../storage/object-store.ts'
import { receiveFile } from '../../storage/receive-file.ts'
import { isReceived, orUnavailable, sendObject } from '../../storage/routes.ts'
import type { AssetProcessor } from './asset-processor.ts'
import type { ProcessorSettings } from './asset-settings.ts'
import type { AssetAnswer, AssetCommand } from './protocol.ts'

/** A result of a processor in the object store. */
export interface AssetArtifact {
  storage: 'local'
  bucket: string
  key: string
  content_type: typeof GLB
  size_bytes: number
}

/** One of the two processors: its routes, its limits, and what it makes of a request's fields. */
export interface Processor {
  /** In messages: "The asset baker". */
  title: string
  prefix: '/asset-worker' | '/asset-baker'
  /** Of the route that takes a file; `<path>/ref` takes the name of a stored object. */
  path: string
  /** Of results, below the prefix. */
  artifacts: string
  bucket: string
  settings: ProcessorSettings
  /** Throws `InvalidRequestError`. Values of a form are texts. */
  commandOf(fields: unknown): AssetCommand
  /** Fields of the answer besides those of the artifact. */
  describe(command: AssetCommand, done: Done, seconds: number): object
}
export type Done = Extract<AssetAnswer, { ok: true }>

export interface ProcessorDeps {
  objects: ObjectStore
  processor: AssetProcessor
}

const GLB = 'model/gltf-binary'
const REFERENCE_BYTES = 64 * 1024
const Reference = z.strictObject({
  input: z.strictObject({ bucket: z.string().min(1).max(63), key: z.string().min(1).max(255) }),
  params: z.looseObject({}).default({}),
})
const ArtifactParams = z.object({ name: z.string().regex(/^[0-9a-f]{64}\.glb$/, 'expected <sha256>.glb') })
const RETRY_AFTER_SECONDS = 5

/**
 * `POST <path>` processes the part `file` and `POST <path>/ref` a stored object, both at most `concurrency` at once: 400 no .glb file or empty, 403 bucket
 * that is not one of STORAGE_BUCKETS, 404 unknown object, 413 too large or over the quota, 422 a model that cannot be processed, 429 before
 * the body is read, 504 at the deadline. `GET <artifacts>/:name` returns a result, `GET /health` the places.
 */
export function registerProcessorRoutes(app: FastifyInstance, one: Processor, deps: ProcessorDeps): void {
  const { prefix, path, artifacts, bucket, settings, title } = one
  const { objects, processor } = deps
  const permits = createPermits(settings.concurrency)
  const onRequest = permitHook(permits, `${title} is busy: try again later`, RETRY_AFTER_SECONDS)

  app.get(`${prefix}/health`, () => ({
    status: 'ok',
    concurrency: settings.concurrency,
    under_way: settings.concurrency - permits.free,
  }))

  void app.register(async (scope) => {
    // Not parsed by the framework: the body goes to disk as it arrives.
    scope.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, body: FastifyRequest['raw']) =>
      orUnavailable(() =>
        receiveFile(body, request.headers['content-type'] ?? '', objects.incoming, settings.maxUploadBytes),
      ),
    )
    const bodyLimit = settings.maxUploadBytes + FRAMING_BYTES
    scope.post(`${prefix}${path}`, { bodyLimit, onRequest }, async (request, reply) => {
      if (!isReceived(request.body)) throw new HttpError(415, 'A multipart body with the part "file" is required')
      const { temporaryFile, filename, fields } = request.body
      try {
        if (!filename.toLowerCase().endsWith('.glb'))
          throw new HttpError(400, 'Input must be a GLB file: expected a name that ends in .glb')
        return await process(request, reply, temporaryFile, one.commandOf(fields))
      } finally {
        await rm(temporaryFile, { force: true })
      }
    })
  })

  app.post(`${prefix}${path}/ref`, { bodyLimit: REFERENCE_BYTES, onRequest }, async (request, reply) => {
    const { input, params } = parseRequest(Reference, request.body)
    const command = one.commandOf(params)
    if (!objects.has(input.bucket)) throw new HttpError(403, 'Input bucket is not allowed: name one of STORAGE_BUCKETS')
    const object = await objects.find(input.bucket, input.key)
    if (object === null) throw new HttpError(404, 'Unknown object')
    if (object.sizeBytes > settings.maxUploadBytes)
      throw new HttpError(413, `The object exceeds ${settings.maxUploadBytes} bytes`)
    const copy = join(objects.incoming, randomUUID())
    try {
      await orUnavailable(async () =>
        pipeline(await objects.read(object), createWriteStream(copy, { flags: 'wx', mode: 0o600 })),
      )
      return await process(request, reply, copy, command)
    } finally {
      await rm(copy, { force: true })
    }
  })

  app.get(`${prefix}${artifacts}/:name`, async (request, reply) => {
    const { name } = parseRequest(ArtifactParams, request.params, 'path')
    const object = await objects.find(bucket, name)
    if (object === null) throw new HttpError(404, 'Unknown artifact')
    return sendObject(reply, object, await orUnavailable(() => objects.read(object)))
  })

  async function process(request: FastifyRequest, reply: FastifyReply, input: string, command: AssetCommand) {
    const output = join(objects.incoming, randomUUID())
    const startedMs = Date.now()
    try {
      const done = await permitOf(request).during(() =>
        withWorkDeadline(settings.timeoutMs, (signal) => processor.run({ input, output, command }, signal), {
          message: `${title} did not finish within ${settings.timeoutMs / 1000} seconds`,
          cancelled: callerSignal(request, reply),
        }),
      )
      const artifact = await keep(output, done)
      return {
        status: 'succeeded',
        sha256: done.sha256,
        artifact,
        download_url: `${request.protocol}://${request.host}${prefix}${artifacts}/${artifact.key}`,
        ...one.describe(command, done, (Date.now() - startedMs) / 1000),
      }
    } finally {
      await rm(output, { force: true })
    }
  }

  /** Results are named by their content: an equal one is kept once, for seven days from now. */
  async function keep(temporaryFile: string, { sha256, sizeBytes }: Done): Promise<AssetArtifact> {
    const key = `${sha256}.glb`
    const file = { filename: key, mediaType: GLB, temporaryFile, sizeBytes, sha256 }
    const refusal = await orUnavailable(async () => {
      const isKept = await objects.renew(bucket, key)
      return isKept ? null : objects.put({ bucket, name: key, subject: null }, file)
    })
    if (refusal === 'over_quota')
      throw new HttpError(413, 'The result would exceed the storage quota (STORAGE_QUOTA_BYTES)')
    return { storage: 'local', bucket, key, content_type: GLB, size_bytes: sizeBytes }
  }
}
