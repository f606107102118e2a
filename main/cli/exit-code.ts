import { EvidenceError } from '../evidence/errors.ts'
import { AccessRefusedError } from '../runner/cells/access-refusals.ts'
import { CorpusChangedError } from '../runner/ingestion/corpus-guard.ts'
import { EvidenceRefusedError, ResumeConflictError } from '../runner/cells/open-evidence.ts'
import { JudgePanelError } from '../judge/judge-error.ts'
import { BudgetSpentError } from '../runner/prepare/run-budget.ts'
import { IngestionFailedError, IngestionStuckError } from '../runner/ingestion/ingest.ts'
import { ContextsMissingError, GraphMissingError } from '../runner/run-dataset.ts'
import { StepFailedError } from '../runner/ladder-step.ts'
import { PlatformError } from '../runner/platform/platform-client.ts'
import { PreflightError } from '../runner/prepare/preflight.ts'
import { TuningError } from '../runner/tuning/tuning-error.ts'
import { InputError } from '../manifests/runner-inputs.ts'
import { ManifestError } from '../manifests/manifest-error.ts'
import { SecretsError } from '../lib/files/private-file.ts'
import { RayError } from '../lib/services/ray-jobs.ts'
import { ServiceFailedError } from '../supervisor/supervised-service.ts'
import { ReportError } from '../report/report-error.ts'
import { ArtifactsInvalidError } from '../runner/finish/finish-dataset.ts'
import { EXIT, type ExitCode } from './command.ts'
import { UnusableFilesError } from './unusable-files.ts'

/** Returns true when a service refused to start as it is set up: a person must change something first. */
const isConfiguration = (error: unknown): boolean => error instanceof ServiceFailedError && error.isConfiguration

/** The exit code for a failure; a step's failure counts as its cause. */
export function exitCodeOf(error: unknown): ExitCode {
  const cause = error instanceof StepFailedError ? error.cause : error
  if (cause instanceof InputError || cause instanceof ManifestError || isConfiguration(cause)) return EXIT.badInput
  if (cause instanceof JudgePanelError) return codeOfPanel(cause)
  if (cause instanceof ReportError) return codeOfReport(cause)
  const ofEvidence = [
    CorpusChangedError,
    ResumeConflictError,
    EvidenceRefusedError,
    ArtifactsInvalidError,
    TuningError,
    UnusableFilesError,
  ]
  if (ofEvidence.some((kind) => cause instanceof kind)) return EXIT.evidenceRefused
  if (cause instanceof EvidenceError && ['other_identity', 'damaged'].includes(cause.code)) return EXIT.evidenceRefused
  const ofServices = [
    AccessRefusedError,
    BudgetSpentError,
    ServiceFailedError,
    PlatformError,
    PreflightError,
    SecretsError,
    RayError,
    IngestionFailedError,
    IngestionStuckError,
    GraphMissingError,
    ContextsMissingError,
  ]
  if (ofServices.some((kind) => cause instanceof kind)) return EXIT.serviceFailed
  if (cause instanceof Error && cause.name === 'AbortError') return EXIT.interrupted
  return EXIT.unexpected
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
  return error instanceof StepFailedError || exitCodeOf(error) !== EXIT.unexpected
}
