import { ORPCError } from '@orpc/server'
import { conflictingRows } from '../../contract/evidence/run-event.ts'
import { fieldPath } from '../../core/issues.ts'
import type { ControlError, ControlErrorCode, InputProblem } from '../../contract/control/control-error.ts'
import { EvidenceError } from '../evidence/errors.ts'
import { valueWithoutSecrets } from '../../core/known-secrets.ts'
import { messageOf } from '../../core/json.ts'
import { JudgePanelError } from '../judge/judge-error.ts'
import { ManifestError } from '../manifests/manifest-error.ts'
import { InputError } from '../manifests/runner-inputs.ts'
import { ReportError } from '../report/report-error.ts'
import { StepFailedError } from '../runner/ladder-step.ts'
import { PlatformError } from '../runner/platform/platform-client.ts'
import { ModelFetchError } from '../runner/prepare/fetch-model.ts'
import { CorpusChangedError } from '../runner/ingestion/corpus-guard.ts'
import { PreflightError } from '../runner/prepare/preflight.ts'
import { EvidenceRefusedError, ResumeConflictError } from '../runner/cells/open-evidence.ts'
import { TuningError } from '../runner/tuning/tuning-error.ts'
import { RunIndexError } from '../run-index/run-index-error.ts'
import { StatisticsError } from '../statistics/statistics-error.ts'
import { SecretsError } from '../lib/files/private-file.ts'
import { RayError } from '../lib/services/ray-jobs.ts'
import { ServiceFailedError } from '../supervisor/supervised-service.ts'

type Details = NonNullable<ControlError['details']>

/** A refusal by the engine itself, returned unchanged. */
export class ControlFailure extends Error {
  override readonly name = 'ControlFailure'
  readonly error: ControlError

  constructor(code: ControlErrorCode, message: string, details?: Details, retryable = false) {
    super(message)
    this.error = { code, message, retryable, ...(details === undefined ? {} : { details }) }
  }
}

export const inputFailure = (problems: readonly InputProblem[]): ControlFailure =>
  new ControlFailure('input_invalid', problems.map(({ path, message }) => `${path}: ${message}`).join('\n'), {
    problems: problems.map(({ path, message }) => ({ path, message })),
  })

/** Splits `path: problem`, the form of problems in manifests and options. */
export function problemOf(text: string): InputProblem {
  const [, path, message] = /^([^\s:]+): (.+)$/s.exec(text) ?? []
  return path === undefined || message === undefined ? { path: '(root)', message: text } : { path, message }
}

const problemsOf = (texts: readonly string[]): Details => ({ problems: texts.map(problemOf) })

/** Long messages quote files or logs of services: the beginning is enough. */
const MAX_MESSAGE_CHARS = 8000

function known(error: unknown): ControlError | null {
  const made = (code: ControlErrorCode, details?: Details, retryable = false): ControlError => ({
    code,
    message: (error as Error).message.slice(0, MAX_MESSAGE_CHARS),
    retryable,
    ...(details === undefined ? {} : { details }),
  })
  if (error instanceof ControlFailure) return error.error
  if (error instanceof StepFailedError) return known(error.cause) ?? made('unexpected', { step: error.step })
  if (error instanceof ManifestError)
    return made('manifest_invalid', { file: error.file, ...problemsOf(error.problems.slice(0, 100)) })
  if (error instanceof InputError) return made('input_invalid', problemsOf(error.problems))
  if (error instanceof JudgePanelError) return made('judges_refused', { code: error.code })
  if (error instanceof ResumeConflictError)
    return made('run_conflict', {
      conflict_count: conflictingRows(error.conflicts),
      conflicts: error.conflicts.slice(0, 20),
    })
  if (error instanceof CorpusChangedError) return made('run_conflict')
  if (error instanceof EvidenceRefusedError) {
    const { code, file, offset, remedy } = error.refusal
    return made('evidence_refused', { code, file, offset, remedy }, code === 'in_use')
  }
  if (error instanceof EvidenceError && ['other_identity', 'damaged'].includes(error.code))
    return made('evidence_refused', { code: error.code, file: error.data.file })
  if (error instanceof ReportError) return made('evidence_refused', { code: error.code })
  if (error instanceof ServiceFailedError)
    return made('service_failed', { last_lines: error.lastLines.slice(-20) }, true)
  if (error instanceof PlatformError) return made('service_failed', { code: error.code }, error.code === 'unreachable')
  if (error instanceof RayError) return made('service_failed', { code: error.code }, error.code === 'ray_unreachable')
  if (error instanceof ModelFetchError) return made('service_failed', undefined, true)
  if (error instanceof PreflightError) return made('service_failed', { code: error.code }, true)
  if (error instanceof TuningError)
    return made(
      error.code === 'tuning_in_use' ? 'run_active' : 'evidence_refused',
      { code: error.code },
      error.code === 'tuning_in_use',
    )
  if (error instanceof SecretsError) return made('service_failed', { code: error.code })
  if (error instanceof StatisticsError) return made(error.code === 'bad_input' ? 'input_invalid' : 'unexpected')
  if (error instanceof RunIndexError)
    return made(error.code === 'bad_input' ? 'input_invalid' : 'index_failed', { code: error.code })
  return null
}

interface ValidationIssue {
  path?: readonly (PropertyKey | { key: PropertyKey })[]
  message: string
}

/** A refusal by the transport: a call that breaks its schema, or no call at all. */
function ofTransport(error: ORPCError<string, unknown>): ControlError {
  const { issues } = (error.data ?? {}) as { issues?: readonly ValidationIssue[] }
  if (error.code === 'BAD_REQUEST' && issues !== undefined)
    return inputFailure(
      issues.map(({ path = [], message }) => ({
        path: fieldPath(path.map((part) => (typeof part === 'object' ? part.key : part))),
        message,
      })),
    ).error
  if (error.status < 500) return { code: 'input_invalid', message: error.message, retryable: false }
  return { code: 'unexpected', message: error.message, retryable: false }
}

/** Any failure → a control error. An unexpected failure keeps its message and loses its stack. */
export function toControlError(error: unknown): ControlError {
  return valueWithoutSecrets(controlErrorOf(error))
}

function controlErrorOf(error: unknown): ControlError {
  const foreseen = known(error)
  if (foreseen !== null) return foreseen
  if (error instanceof ORPCError) return ofTransport(error as ORPCError<string, unknown>)
  const message = messageOf(error)
  return { code: 'unexpected', message: message.slice(0, MAX_MESSAGE_CHARS), retryable: false }
}

/** Returns true when the stack is reported: the failure was not expected. */
export const isUnexpected = (error: unknown): boolean =>
  known(error) === null && !(error instanceof ORPCError && error.status < 500)
