import type { IndexChange } from '../../contract/index.ts'
import type { NamedFiles } from '../evidence/artifact-files.ts'
import { isDamage } from './open-database.ts'
import { RunIndexError, type RunIndexErrorCode } from './run-index-error.ts'

/** What a thread of the index is started with. */
export interface ThreadSettings {
  file: string
  folders: readonly string[]
  /** Artifacts elsewhere. */
  named: NamedFiles
  /** How often folders are looked at besides being watched, milliseconds. */
  pollMs: number
}

export interface ThreadRequest {
  id: number
  method: string
  input?: unknown
}

export interface ThreadFailure {
  code: RunIndexErrorCode
  message: string
}

export type ThreadMessage =
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'failure'; id: number; failure: ThreadFailure }
  | { kind: 'changed'; change: IndexChange }
  /** A sync failed that no request had started. */
  | { kind: 'failed'; failure: ThreadFailure }

/** Any error as it crosses to the other thread. */
export function failureOf(error: unknown): ThreadFailure {
  if (error instanceof RunIndexError) return { code: error.code, message: error.message }
  const message = error instanceof Error ? error.message : String(error)
  return { code: isDamage(error) ? 'damaged' : 'thread_failed', message }
}
