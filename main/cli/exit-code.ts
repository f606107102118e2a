import type { EvidenceError } from '../evidence/errors.ts'
import type { JudgePanelError } from '../judge/judge-error.ts'
import type { ReportError } from '../report/report-error.ts'
import type { StepFailedError } from '../runner/ladder-step.ts'
import type { ServiceFailedError } from '../supervisor/supervised-service.ts'
import { EXIT, type ExitCode } from './command.ts'

/** Errors with one exit code each, by name: their classes would load most of the program for each command that fails. */
export const CODE_BY_NAME: Readonly<Record<string, ExitCode>> = {
  InputError: EXIT.badInput,
  ManifestError: EXIT.badInput,
  ArtifactsInvalidError: EXIT.evidenceRefused,
  CorpusChangedError: EXIT.evidenceRefused,
  EvidenceRefusedError: EXIT.evidenceRefused,
  ResumeConflictError: EXIT.evidenceRefused,
  TuningError: EXIT.evidenceRefused,
  UnusableFilesError: EXIT.evidenceRefused,
  AccessRefusedError: EXIT.serviceFailed,
  BudgetSpentError: EXIT.serviceFailed,
  ContextsMissingError: EXIT.serviceFailed,
  GraphMissingError: EXIT.serviceFailed,
  IngestionFailedError: EXIT.serviceFailed,
  IngestionStuckError: EXIT.serviceFailed,
  PlatformError: EXIT.serviceFailed,
  PreflightError: EXIT.serviceFailed,
  RayError: EXIT.serviceFailed,
  SecretsError: EXIT.serviceFailed,
  AbortError: EXIT.interrupted,
}

/** Errors whose code depends on what they hold. */
export const CODE_BY_CONTENT: Readonly<Record<string, (error: Error) => ExitCode>> = {
  EvidenceError: (error) =>
    ['other_identity', 'damaged'].includes((error as EvidenceError).code) ? EXIT.evidenceRefused : EXIT.unexpected,
  JudgePanelError: (error) => codeOfPanel(error as JudgePanelError),
  ReportError: (error) => codeOfReport(error as ReportError),
  // A service that refuses its configuration: a person must change something first.
  ServiceFailedError: (error) => ((error as ServiceFailedError).isConfiguration ? EXIT.badInput : EXIT.serviceFailed),
}

const isStepFailed = (error: unknown): error is StepFailedError =>
  error instanceof Error && error.name === 'StepFailedError'

/** The exit code for a failure; a step's failure counts as its cause. */
export function exitCodeOf(error: unknown): ExitCode {
  const cause = isStepFailed(error) ? error.cause : error
  if (!(cause instanceof Error)) return EXIT.unexpected
  return CODE_BY_NAME[cause.name] ?? CODE_BY_CONTENT[cause.name]?.(cause) ?? EXIT.unexpected
}

function codeOfPanel({ code }: JudgePanelError): ExitCode {
  if (code === 'panel_failed') return EXIT.serviceFailed
  return code.startsWith('journal_') || code === 'mixed_answers' ? EXIT.evidenceRefused : EXIT.badInput
}

function codeOfReport({ code }: ReportError): ExitCode {
  if (code === 'catalogue') return EXIT.badInput
  return code === 'publish_busy' ? EXIT.serviceFailed : EXIT.evidenceRefused
}

/** Returns true when an error is a known one: its message is enough. */
export function isForeseen(error: unknown): boolean {
  return isStepFailed(error) || exitCodeOf(error) !== EXIT.unexpected
}
