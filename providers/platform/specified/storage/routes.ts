import { rm } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { HttpError } from '../../../kit/http-error.ts'
import { FRAMING_BYTES } from '../../../kit/multipart-form.ts'
import { parseRequest } from '../../../kit/validate.ts'
import { subjectOf } from '../../identity/guard.ts'
import { BytesUnavailableError } from './object-bytes.ts'
import type { ObjectStore, StoredObject } from './object-store.ts'
import { receiveFile } from './receive-file.ts'
import type { ReceivedForm } from './receive-file.ts'

const UploadQuery = z.object({ bucket: z.string().default('default') })
const ObjectParams = z.object({ bucket: z.string().max(63), name: z.string().max(255) })

const SAFE_NAME = /^[A-Za-z0-9._ -]{1,255}$/
const DISK = /^(?:E(?:ACCES|DQUOT|EXIST|IO|ISDIR|MFILE|NOENT|NOSPC|NOTDIR|PERM|ROFS)|SQLITE_)/

/**
 * `POST /storage/upload?bucket=` stores the part `file`: 400 unknown bucket or unsafe file name, 409 name taken, 413 too large or over the
 * quota, 503 when disk or S3 service refuses. `GET /storage/objects/:bucket/:name` returns the bytes; 404 also for objects of another user.
 */
export function registerStorageRoutes(app: FastifyInstance, store: ObjectStore, maxUploadBytes: number): void {
  void app.register(async (scope) => {
    // Not parsed by the framework: the body goes to disk as it arrives, after bucket and credential are known.
    scope.addContentTypeParser('multipart/form-data', async (request: FastifyRequest, body: FastifyRequest['raw']) => {
      bucketOf(store, request)
      return orUnavailable(() =>
        receiveFile(body, request.headers['content-type'] ?? '', store.incoming, maxUploadBytes),
      )
    })
    scope.post('/storage/upload', { bodyLimit: maxUploadBytes + FRAMING_BYTES }, async (request) => {
      const bucket = bucketOf(store, request)
      if (!isReceived(request.body)) throw new HttpError(415, 'A multipart body with the part "file" is required')
      const file = request.body
      try {
        if (!SAFE_NAME.test(file.filename) || /^\.+$/.test(file.filename))
          throw new HttpError(
            400,
            'Unsafe filename: expected 1 to 255 letters, digits, dots, hyphens, underscores and spaces',
          )
        const refusal = await orUnavailable(() =>
          store.put({ bucket, name: file.filename, subject: subjectOf(request) }, file),
        )
        if (refusal !== null)
          throw refusal === 'exists'
            ? new HttpError(409, `An object of this name exists in the bucket '${bucket}'`)
            : new HttpError(413, 'The upload would exceed the storage quota (STORAGE_QUOTA_BYTES)')
        const path = `${bucket}/${file.filename}`
        return {
          bucket,
          path,
          url: `${request.protocol}://${request.host}/storage/objects/${bucket}/${encodeURIComponent(file.filename)}`,
        }
      } finally {
        await rm(file.temporaryFile, { force: true })
      }
    })
  })

  app.get('/storage/objects/:bucket/:name', async (request, reply): Promise<FastifyReply> => {
    const { bucket, name } = parseRequest(ObjectParams, request.params, 'path')
    const object = await store.find(bucket, name)
    const subject = subjectOf(request)
    // The object of another user is as unknown as one that never was.
    if (object === null || (subject !== null && object.subject !== subject)) throw new HttpError(404, 'Unknown object')
    const bytes = await orUnavailable(() => store.read(object))
    return sendObject(reply, object, bytes)
  })
}

/** Answers with the bytes of an object, as a file. */
export function sendObject(reply: FastifyReply, object: StoredObject, bytes: Readable): FastifyReply {
  return reply
    .type(object.mediaType ?? 'application/octet-stream')
    .headers({
      'content-length': object.sizeBytes,
      // Uploaded pages and scripts are never run at this address.
      'content-disposition': `attachment; filename="${object.name}"`,
      'x-content-type-options': 'nosniff',
      etag: `"${object.sha256}"`,
    })
    .send(bytes)
}

function bucketOf(store: ObjectStore, request: FastifyRequest): string {
  const { bucket } = parseRequest(UploadQuery, request.query, 'query')
  if (!store.has(bucket)) throw new HttpError(400, 'Unknown bucket: name one of STORAGE_BUCKETS')
  return bucket
}

/** Returns true when a body was received as a file. */
export const isReceived = (body: unknown): body is ReceivedForm =>
  typeof body === 'object' && body !== null && 'temporaryFile' in body && 'sha256' in body

/** A step whose disk or S3 service may refuse: 503 then. */
export async function orUnavailable<Result>(step: () => Promise<Result>): Promise<Result> {
  try {
    return await step()
  } catch (error) {
    const code = (error as { code?: unknown }).code
    const isDisk = typeof code === 'string' && DISK.test(code)
    if (error instanceof HttpError || !(isDisk || error instanceof BytesUnavailableError)) throw error
    throw new HttpError(503, 'Storage is unavailable', { cause: error })
  }
}
