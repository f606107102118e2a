import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { VariableName } from '../../contract/settings/variables.ts'
import { createEnvReader } from '../kit/env-reader.ts'
import { FRAMING_BYTES } from '../kit/multipart-form.ts'
import { ServiceConfigError } from '../kit/service-config-error.ts'

export interface AdapterConfig {
  host: string
  port: number
  logLevel: string
  /** Callers send `token`, except to `/health`; disabled: no token is required. */
  authMode: 'required' | 'disabled'
  /** Holds what callers name; null: everything but `/health` is refused while `authMode` is required. */
  token: string | null
  /** Base address of the converter. */
  converterUrl: string
  /** Its credential, which never leaves this process. */
  converterToken: string | null
  maxUploadBytes: number
  uploadTimeoutMs: number
  /** Limits how long one conversion may take, queueing for the converter included. */
  conversionTimeoutMs: number
  maxJobs: number
  resultTtlMs: number
  maxResultBytes: number
  maxAttempts: number
  downloadTimeoutMs: number
  tempDir: string
  /** Room that the deployment gives to `tempDir`. */
  tempSizeBytes: number
}

/** The service as errors name it. */
export const SERVICE = 'the converter adapter'

const MIB = 1024 * 1024
const SPARE_BYTES = 64 * MIB

/** Reads the environment. Throws `ServiceConfigError` with all problems at once, too little temporary space among them. */
export function loadAdapterConfig(env: Readonly<Record<string, string | undefined>>): AdapterConfig {
  const reader = createEnvReader(env)
  // The bounds that the converter has for the same variables.
  const seconds = (name: VariableName): number => reader.integer(name, { min: 1, max: 3600 }) * 1000
  const bytes = (name: VariableName): number => reader.integer(name, { min: 1, max: 1024 ** 3 })
  const converterUrl = reader.url('DOCCONV_ENDPOINT')
  if (converterUrl === null) reader.problems.push('DOCCONV_ENDPOINT: the address of the converter is missing')
  const config: AdapterConfig = {
    host: reader.text('DOCCONV_ADAPTER_HOST'),
    port: reader.integer('DOCCONV_ADAPTER_PORT', { min: 0, max: 65_535 }),
    logLevel: reader.oneOf('DOCCONV_ADAPTER_LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    authMode: reader.oneOf('DOCCONV_ADAPTER_AUTH_MODE', ['required', 'disabled']),
    token: reader.optional('DOCCONV_ADAPTER_API_TOKEN'),
    converterUrl: converterUrl ?? '',
    converterToken: reader.optional('DOCCONV_API_TOKEN'),
    maxUploadBytes: bytes('DOCCONV_MAX_FILE_SIZE'),
    uploadTimeoutMs: seconds('DOCCONV_UPLOAD_TIMEOUT_SECONDS'),
    conversionTimeoutMs: seconds('DOCCONV_INFERENCE_TIMEOUT_SECONDS') + 30_000,
    maxJobs: reader.integer('DOCCONV_ADAPTER_MAX_JOBS', { min: 1, max: 64 }),
    resultTtlMs: seconds('DOCCONV_ADAPTER_RESULT_TTL_SECONDS'),
    maxResultBytes: bytes('DOCCONV_ADAPTER_MAX_RESULT_BYTES'),
    maxAttempts: reader.integer('DOCCONV_ADAPTER_UPSTREAM_MAX_ATTEMPTS', { min: 1, max: 100 }),
    downloadTimeoutMs: seconds('DOCCONV_ADAPTER_DOWNLOAD_TIMEOUT_SECONDS'),
    tempDir: resolve(reader.text('RAG_LADDER_STATE_DIR', join(tmpdir(), 'rag-ladder-adapter'))),
    tempSizeBytes: sizeOf(reader.text('DOCCONV_ADAPTER_TMPFS_SIZE'), reader.problems),
  }
  const needed = neededBytes(config)
  if (config.tempSizeBytes < needed)
    reader.problems.push(
      `DOCCONV_ADAPTER_TMPFS_SIZE: ${config.tempSizeBytes} bytes are too few; ${config.maxJobs} jobs may need ${needed}`,
    )
  if (reader.problems.length > 0) throw new ServiceConfigError(SERVICE, reader.problems)
  return config
}

/** Temporary space that the jobs may need at once: each holds its upload beside the request or beside the result. */
export const neededBytes = ({ maxJobs, maxUploadBytes, maxResultBytes }: AdapterConfig): number =>
  maxJobs * (maxUploadBytes + Math.max(maxUploadBytes + FRAMING_BYTES, maxResultBytes)) + SPARE_BYTES

function sizeOf(text: string, problems: string[]): number {
  const match = /^(\d{1,12})([kmg]?)b?$/i.exec(text.trim())
  if (match === null) problems.push(`DOCCONV_ADAPTER_TMPFS_SIZE: invalid value "${text}": expected a size such as 512m`)
  const unit = { '': 1, k: 1024, m: MIB, g: 1024 * MIB }[(match?.[2] ?? '').toLowerCase()] ?? 1
  return Number(match?.[1] ?? 0) * unit
}
