import type { EnvReader } from '../../kit/env-reader.ts'

/** Describes how the public API of an external workflow engine is called. */
export interface WorkflowApiSettings {
  /** Base address of the engine; null: the engine of this process. */
  url: string | null
  /** Key of its public API; null: that API is not used. */
  apiKey: string | null
  /** Time for one call. */
  httpTimeoutMs: number
  /** Time for import and activation together. */
  seedTimeoutMs: number
  /** Largest answer that is read. */
  maxResponseBytes: number
}

const MOST_MS = 3_600_000

/** Reads `WORKFLOW_URL`, `WORKFLOW_API_KEY` and the limits of its calls. */
export function readWorkflowApiSettings(reader: EnvReader): WorkflowApiSettings {
  return {
    url: reader.url('WORKFLOW_URL'),
    apiKey: reader.optional('WORKFLOW_API_KEY'),
    httpTimeoutMs: reader.integer('WORKFLOW_SEED_HTTP_TIMEOUT_MS', { min: 1, max: MOST_MS }),
    seedTimeoutMs: reader.integer('WORKFLOW_SEED_COMMAND_TIMEOUT_MS', { min: 1, max: MOST_MS }),
    maxResponseBytes: reader.integer('WORKFLOW_SEED_MAX_RESPONSE_BYTES', { min: 1, max: Number.MAX_SAFE_INTEGER }),
  }
}
