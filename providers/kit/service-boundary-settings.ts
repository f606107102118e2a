import type { EnvReader } from './env-reader.ts'

/** These settings guard a provider service and limit what it takes on. */
export interface ServiceBoundarySettings {
  /** Start of its variables, as in `STT`. */
  prefix: BoundaryPrefix
  /** Null with mode `required` closes every route but the open ones. */
  token: string | null
  authMode: 'required' | 'disabled'
  /** Origins of browser pages that may call; empty disables CORS. */
  corsOrigins: readonly string[]
  /** Host names besides loopback's own under which callers reach a loopback address, as containers do. */
  trustedHosts: readonly string[]
  /** Of one file; framing of the request comes on top. */
  maxUploadBytes: number
  uploadTimeoutMs: number
  /** Requests worked on at once; one more gets 429. */
  concurrency: number
  inferenceTimeoutMs: number
}

/** The services with a boundary of their own, by the start of their variables. */
export type BoundaryPrefix = 'DOCCONV' | 'STT' | 'TTS'

/** Reads `<PREFIX>_API_TOKEN`, `_AUTH_MODE`, `_CORS_ORIGINS`, `_TRUSTED_HOSTS`, limits and deadlines; problems go to the reader. */
export function readBoundarySettings(
  reader: EnvReader,
  prefix: BoundaryPrefix,
  defaultAuthMode?: 'required' | 'disabled',
): ServiceBoundarySettings {
  const deadline = { min: 1, max: 3600 }
  const settings: ServiceBoundarySettings = {
    prefix,
    token: reader.optional(`${prefix}_API_TOKEN`),
    authMode: reader.oneOf(`${prefix}_AUTH_MODE`, ['required', 'disabled'], defaultAuthMode),
    corsOrigins: reader.list(`${prefix}_CORS_ORIGINS`),
    trustedHosts: reader.list(`${prefix}_TRUSTED_HOSTS`),
    maxUploadBytes: reader.integer(prefix === 'DOCCONV' ? 'DOCCONV_MAX_FILE_SIZE' : `${prefix}_MAX_UPLOAD_BYTES`, {
      min: 1,
      max: 1024 ** 3,
    }),
    uploadTimeoutMs: reader.integer(`${prefix}_UPLOAD_TIMEOUT_SECONDS`, deadline) * 1000,
    concurrency: reader.integer(`${prefix}_CONCURRENCY`, { min: 1, max: 64 }),
    inferenceTimeoutMs: reader.integer(`${prefix}_INFERENCE_TIMEOUT_SECONDS`, deadline) * 1000,
  }
  if (settings.authMode === 'required' && settings.corsOrigins.includes('*')) {
    reader.problems.push(`${prefix}_CORS_ORIGINS: "*" is invalid while ${prefix}_AUTH_MODE is required`)
  }
  return settings
}
