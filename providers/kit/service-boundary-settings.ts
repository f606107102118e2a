import type { EnvReader } from './env-reader.ts'

/** How a provider service guards itself and how much it takes on. */
export interface ServiceBoundarySettings {
  /** Start of its variables, as in `STT`. */
  prefix: string
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
  /** Requests worked on at once; one more is told 429. */
  concurrency: number
  inferenceTimeoutMs: number
}

/** What differs between the services: spelling and defaults. */
export interface BoundaryNames {
  /** Start of each variable, as in `STT`. */
  prefix: string
  /** Rest of the upload limit's name, as in `MAX_UPLOAD_BYTES`. */
  maxUpload: string
  defaultMaxUploadBytes: number
  defaultAuthMode?: 'required' | 'disabled'
}

/** Reads `<PREFIX>_API_TOKEN`, `_AUTH_MODE`, `_CORS_ORIGINS`, `_TRUSTED_HOSTS`, limits and deadlines; problems go to the reader. */
export function readBoundarySettings(reader: EnvReader, names: BoundaryNames): ServiceBoundarySettings {
  const { prefix } = names
  const seconds = (name: string, fallback: number) =>
    reader.integer(`${prefix}_${name}`, fallback, { min: 1, max: 3600 }) * 1000
  const settings: ServiceBoundarySettings = {
    prefix,
    token: reader.optional(`${prefix}_API_TOKEN`),
    authMode: reader.oneOf(`${prefix}_AUTH_MODE`, names.defaultAuthMode ?? 'required', ['required', 'disabled']),
    corsOrigins: list(reader.optional(`${prefix}_CORS_ORIGINS`)),
    trustedHosts: list(reader.text(`${prefix}_TRUSTED_HOSTS`, 'host.docker.internal')),
    maxUploadBytes: reader.integer(`${prefix}_${names.maxUpload}`, names.defaultMaxUploadBytes, {
      min: 1,
      max: 1024 ** 3,
    }),
    uploadTimeoutMs: seconds('UPLOAD_TIMEOUT_SECONDS', 120),
    concurrency: reader.integer(`${prefix}_CONCURRENCY`, 1, { min: 1, max: 64 }),
    inferenceTimeoutMs: seconds('INFERENCE_TIMEOUT_SECONDS', 900),
  }
  if (settings.authMode === 'required' && settings.corsOrigins.includes('*')) {
    reader.problems.push(`${prefix}_CORS_ORIGINS: "*" is invalid while ${prefix}_AUTH_MODE is required`)
  }
  return settings
}

function list(value: string | null): string[] {
  return (value ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}
