import type { DeletionList } from '../../contract/control/run-job.ts'
import type { EvaluationMetric } from '../../contract/common.ts'
import type { RetryFailed, RunEvent } from '../../contract/evidence/run-event.ts'
import type { Alias } from '../../contract/manifests/aliases.ts'
import type { RequestedPanel } from '../judge/panel-settings.ts'
import type { Experiment, LadderDataset } from '../manifests/experiment.ts'
import type { Credentials } from '../lib/trust/credential-headers.ts'
import type { CellPlan } from './cells/ladder-cells.ts'
import type { PlatformSource } from './platform/platform-source.ts'
import type { RunBudget } from './prepare/run-budget.ts'
import type { ArtifactFiles } from '../evidence/files/artifact-files.ts'
import type { EvidenceStore } from '../evidence/evidence-store.ts'

interface UnavailableAlias {
  alias: Alias
  reason: string
}

/** Everything that a run of one dataset depends on. */
export interface DatasetRun {
  experiment: Experiment
  dataset: LadderDataset
  /** Folder that the embedded platform ingests from, where RAG_INGESTION_CORPUS_ROOT names another than the project's. */
  corpusRoot: string | null
  aliases: readonly Alias[]
  /** Those that were selected too and cannot answer in this run, each with its reason; no cell is planned for them. */
  unavailable?: readonly UnavailableAlias[]
  runId: string
  files: ArtifactFiles
  /** A worker that helps with the cells of a run which another process started: it reads no rows that others made. */
  isWorker?: boolean
  /** States where the rows are kept: in `files.evidence`, or in a database of which that is a copy. */
  store: EvidenceStore
  platform: PlatformSource
  /** `platform` uses the platform's own evaluator; null leaves the cells' evaluation disabled. */
  evaluator: 'platform' | ({ url: string } & Credentials) | null
  metrics: readonly EvaluationMetric[]
  /** Answers to ask each approach for per question, 1 to `MAX_REPEATS`. */
  repeats: number
  /** Made when the run was started, and checked before it is followed; a run of which nothing is stored has none. */
  plan?: CellPlan | undefined
  /** Checked before the first call; a disabled one skips step 9. */
  judgePanel: RequestedPanel
  /** Failed cells of the stored run to try again. */
  retryFailed: RetryFailed
  /** Shared by all datasets of the run; null where it may cost anything. */
  budget: RunBudget | null
  coldReset: boolean
  /** Holds what a person agreed to delete; null where no confirmation was requested. */
  confirmedDeletions?: readonly DeletionList[] | null
  publish: boolean
  /** True to report why a cell is reused, skipped or tried again. */
  isVerbose: boolean
  emit: (event: RunEvent) => void
  drain: AbortSignal
  abort: AbortSignal
}
