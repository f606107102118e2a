import type { EnvReader } from '../../../kit/env-reader.ts'

/** An S3 service that holds the bytes of objects. */
export interface S3Settings {
  endpoint: string
  /** The one bucket of that service: our buckets are prefixes in it. */
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  /** Names the bucket in the path of an address instead of its host. */
  forcePathStyle: boolean
}

export interface StorageSettings {
  maxUploadBytes: number
  /** Names of the buckets that exist. */
  buckets: readonly string[]
  /** Most bytes of all buckets together. */
  quotaBytes: number
  /** Null: bytes are files in the state folder. */
  s3: S3Settings | null
}

const BUCKET_NAME = /^[a-z0-9][a-z0-9-]{0,62}$/
/** The most that S3 takes in one request. */
const S3_PUT_BYTES = 5 * 1024 ** 3

/** Reads the settings of the object store. */
export function readStorageSettings(reader: EnvReader): StorageSettings {
  const positive = { min: 1, max: Number.MAX_SAFE_INTEGER }
  const buckets = reader.list('STORAGE_BUCKETS')
  for (const bucket of buckets)
    if (!BUCKET_NAME.test(bucket))
      reader.problems.push(
        `STORAGE_BUCKETS: invalid value "${bucket}": expected lower-case letters, digits and hyphens, 63 at most`,
      )
  const maxUploadBytes = reader.integer('MAX_UPLOAD_BYTES', positive)
  const s3 = readS3Settings(reader)
  if (s3 !== null && maxUploadBytes > S3_PUT_BYTES)
    reader.problems.push(`MAX_UPLOAD_BYTES: ${maxUploadBytes} is more than S3 takes at once (${S3_PUT_BYTES})`)
  return { maxUploadBytes, buckets, quotaBytes: reader.integer('STORAGE_QUOTA_BYTES', positive), s3 }
}

function readS3Settings(reader: EnvReader): S3Settings | null {
  const endpoint = reader.url('S3_ENDPOINT')
  const given = {
    S3_BUCKET: reader.optional('S3_BUCKET'),
    S3_ACCESS_KEY_ID: reader.optional('S3_ACCESS_KEY_ID'),
    S3_SECRET_ACCESS_KEY: reader.optional('S3_SECRET_ACCESS_KEY'),
  }
  const region = reader.text('S3_REGION')
  const forcePathStyle = reader.flag('S3_FORCE_PATH_STYLE')
  const bucket = given.S3_BUCKET
  if (bucket !== null && !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    reader.problems.push(
      `S3_BUCKET: invalid value "${bucket}": expected 3 to 63 lower-case letters, digits, dots and hyphens`,
    )
  if (reader.optional('S3_ENDPOINT') === null) {
    // Files would be stored on this machine where their user expects them on the service.
    for (const [name, value] of Object.entries(given))
      if (value !== null) reader.problems.push(`S3_ENDPOINT: required with ${name}`)
    return null
  }
  for (const [name, value] of Object.entries(given))
    if (value === null) reader.problems.push(`${name}: required with S3_ENDPOINT`)
  return {
    endpoint: endpoint ?? '',
    bucket: bucket ?? '',
    region,
    accessKeyId: given.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: given.S3_SECRET_ACCESS_KEY ?? '',
    forcePathStyle,
  }
}
