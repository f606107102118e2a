import { EvidenceRefusedError, ResumeConflictError } from '../runner/resume-error.ts'
import { JudgePanelError } from '../judge/judge-error.ts'
import { IngestionFailedError, IngestionStuckError } from '../runner/ingest.ts'
import { StepFailedError } from '../runner/ladder-step.ts'
import { PlatformError } from '../runner/platform-client.ts'
import { InputError } from '../manifests/runner-inputs.ts'
import { ManifestError } from '../manifests/manifest-error.ts'
import { SecretsError } from '../supervisor/platform-secrets.ts'
import { ServiceFailedError } from '../supervisor/supervised-service.ts'
import { EXIT, type ExitCode } from './command.ts'

/** Whether a service refused to start as it is set up: a person must change something first. */
const isConfiguration = (error: unknown): boolean => error instanceof ServiceFailedError && error.isConfiguration

/** The exit code for a failure; a step's failure counts as its cause. */
export function exitCodeOf(error: unknown): ExitCode {
  const cause = error instanceof StepFailedError ? error.cause : error
  if (cause instanceof InputError || cause instanceof ManifestError || isConfiguration(cause)) return EXIT.badInput
  if (cause instanceof JudgePanelError) return cause.code.startsWith('journal_') ? EXIT.evidenceRefused : EXIT.badInput
  if (cause instanceof ResumeConflictError || cause instanceof EvidenceRefusedError) return EXIT.evidenceRefused
  const ofServices = [ServiceFailedError, PlatformError, SecretsError, IngestionFailedError, IngestionStuckError]
  if (ofServices.some((kind) => cause instanceof kind)) return EXIT.serviceFailed
  if (cause instanceof Error && cause.name === 'AbortError') return EXIT.interrupted
  return EXIT.unexpected
}

/** Whether an error is one that we foresaw: its message is enough, a stack trace would only hide it. */
export function isForeseen(error: unknown): boolean {
  return error instanceof StepFailedError || exitCodeOf(error) !== EXIT.unexpected
}
