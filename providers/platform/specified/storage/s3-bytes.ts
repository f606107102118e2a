import { createReadStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { BytesUnavailableError } from './object-bytes.ts'
import type { BytesPlace, ObjectBytes } from './object-bytes.ts'
import type { ReceivedFile } from './receive-file.ts'
import type { S3Settings } from './storage-settings.ts'

const ATTEMPTS = 3
const RETRY_MS = 200
const CONNECT_MS = 5000
/** Without a byte for so long a connection is closed. */
const SILENCE_MS = 30_000
const CHUNK_BYTES = 1024 * 1024
const PROBE_KEY = '.ready'

/**
 * Bytes as objects of an S3 service, `<bucket>/<key>` in the one bucket of the settings. A file is sent as a stream with its SHA-256 in the
 * signature: a service that checks signatures refuses bytes that changed on the way.
 */
export function s3Bytes(settings: S3Settings): ObjectBytes {
  const { endpoint, region, accessKeyId, secretAccessKey, forcePathStyle, bucket: Bucket } = settings
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle,
    credentials: { accessKeyId, secretAccessKey },
    maxAttempts: ATTEMPTS,
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
    // It writes to the console otherwise; failures are thrown.
    logger: { trace() {}, debug() {}, info() {}, warn() {}, error() {} },
    // Checksums in trailers are not understood by every service; the signature has the digest.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  const at = ({ bucket, key }: BytesPlace) => ({ Bucket, Key: `${bucket}/${key}` })

  async function send<Result>(what: string, call: () => Promise<Result>): Promise<Result> {
    try {
      return await call()
    } catch (error) {
      throw new BytesUnavailableError(`S3 at ${endpoint} cannot ${what}: ${reasonOf(error)}`, { cause: error })
    }
  }

  async function put(place: BytesPlace, file: ReceivedFile): Promise<void> {
    const command = new PutObjectCommand({
      ...at(place),
      Body: createReadStream(file.temporaryFile, { highWaterMark: CHUNK_BYTES }),
      ContentLength: file.sizeBytes,
      ContentType: file.mediaType ?? 'application/octet-stream',
    })
    command.middlewareStack.add(
      (next) => async (call) => {
        ;(call.request as { headers: Record<string, string> }).headers['x-amz-content-sha256'] = file.sha256
        return next(call)
      },
      { step: 'build', name: 'digestInSignature' },
    )
    await client.send(command)
  }

  return {
    // The SDK sends a stream once only: each attempt needs one of its own.
    write: async (place, file) =>
      send('store an object', async () => {
        for (let attempt = 1; ; attempt += 1) {
          try {
            await put(place, file)
            return
          } catch (error) {
            if (attempt >= ATTEMPTS || isRefusal(error)) throw error
            await delay(RETRY_MS * 2 ** (attempt - 1))
          }
        }
      }),
    read: async (place) =>
      send('send an object', async () => (await client.send(new GetObjectCommand(at(place)))).Body as Readable),
    remove: async (place) =>
      send('remove an object', async () => void (await client.send(new DeleteObjectCommand(at(place))))),
    // The answer to a key that does not exist shows that address, bucket and key of the service are right.
    probe: async () =>
      send('be reached', async () => {
        try {
          const { Body: body } = await client.send(new GetObjectCommand({ Bucket, Key: PROBE_KEY }))
          ;(body as Readable).destroy()
        } catch (error) {
          if (!(error instanceof NoSuchKey)) throw error
        }
      }),
    close: () => client.destroy(),
  }
}

/** The service refused: another attempt would get the same answer. */
const isRefusal = (error: unknown): boolean => {
  const status = error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? 500) : 500
  return status >= 400 && status < 500 && status !== 408 && status !== 429
}

function reasonOf(error: unknown): string {
  if (error instanceof S3ServiceException) return `HTTP ${error.$metadata.httpStatusCode ?? '?'} ${error.name}`
  return error instanceof Error ? error.message || (error as NodeJS.ErrnoException).code || error.name : String(error)
}
