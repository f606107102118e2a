import { mkdir } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { SCHEMA_VERSION } from '../../../contract/common.ts'
import { RUNNER_VERSION } from '../../../contract/evidence/canonical-row.ts'
import type { IngestionProvenance, Reproducibility, ResolvedModels } from '../../../contract/evidence/provenance.ts'
import type { RunIdentity } from '../../../contract/evidence/run-identity.ts'
import type { EvidenceLog } from '../../evidence/evidence-log.ts'
import type { IdentityFrom } from '../../evidence/rows/run-identity.ts'
import { corpusDigest } from '../../manifests/datasets/corpus-digest.ts'
import { declaredBeside } from '../../manifests/project/declared-models.ts'
import {
  inFormOf,
  reproducibilityOf,
  withFiles,
  withoutCredentials,
  withStoredCommits,
} from '../../manifests/project/provenance.ts'
import { providerSelection } from '../../manifests/models/provider-selection.ts'
import { inStoredForm } from '../../manifests/stored-form.ts'
import type { ArtifactFiles } from '../../evidence/files/artifact-files.ts'
import { storedIngestion } from '../ingestion/stored-ingestion.ts'
import type { ServedDataset } from '../platform/dataset-platform.ts'
import type { DatasetRun } from '../dataset-run.ts'
import { apiUrl } from '../../lib/services/gateway-client.ts'
import type { PlatformSource } from '../platform/platform-source.ts'
import { isStoredRun, openEvidence, placeOf, ResumeConflictError } from './open-evidence.ts'

/** Describes what the conditions of a run's rows depend on. */
export type ConditionsInput = Pick<DatasetRun, 'experiment' | 'dataset' | 'runId' | 'evaluator'> & {
  platform: Pick<PlatformSource, 'kind' | 'gateway' | 'basePort' | 'modelSet' | 'env'>
  files: { evidence: string } & Partial<ArtifactFiles>
}

/** Scores of two evaluators must not be in one run. The platform's own is named so also where it is called with a key of its own. */
function evaluatorName({ evaluator, platform }: ConditionsInput): string {
  if (evaluator === null) return 'disabled'
  if (evaluator === 'platform' || evaluator.url === apiUrl(platform.gateway, '/api/rag/evaluate')) return 'platform'
  return withoutCredentials(evaluator.url)
}

async function currentConditions(
  input: ConditionsInput,
  health: ServedDataset['health'],
  ingestion: IngestionProvenance | null,
): Promise<Reproducibility> {
  const { experiment, dataset, platform } = input
  const environment = {
    modelSet: platform.modelSet,
    gateway: platform.gateway,
    env: platform.env,
    basePort: platform.basePort,
    providers: {
      ...(await providerSelection(experiment.root, dataset.profile, platform.kind)),
      evaluator: evaluatorName(input),
    },
    judgePanel: experiment.evaluation.metrics.judge_panel,
  }
  return reproducibilityOf(experiment, dataset, environment, health, ingestion)
}

function identityOf({ experiment, dataset, runId }: ConditionsInput, reproducibility: Reproducibility): RunIdentity {
  const { metrics, run } = experiment.evaluation
  const { retries, timeout_s, evaluator_timeout_s } = run
  return {
    schema_version: SCHEMA_VERSION,
    runner_version: RUNNER_VERSION,
    run_id: runId,
    dataset_id: dataset.dataset.id,
    evaluation: { metrics: metrics.ragas, retries, timeout_s, evaluator_timeout_s },
    reproducibility,
  }
}

/** The conditions of a run whose platform serves the dataset: everything is known. */
async function servedIdentity(
  input: ConditionsInput,
  { health }: ServedDataset,
  ingestion: IngestionProvenance | null,
): Promise<IdentityFrom> {
  const current = await currentConditions(input, health, ingestion)
  return async (stored) =>
    identityOf(input, stored === null ? current : await asStored(input, current, stored.reproducibility))
}

/** Equal to what is stored where nothing differs that rows of one file must share. */
async function asStored(
  { experiment, dataset, platform }: ConditionsInput,
  current: Reproducibility,
  stored: Reproducibility,
): Promise<Reproducibility> {
  const inForm = await inFormOf(stored, current, experiment, dataset, platform.modelSet)
  const spelled = inStoredForm(inForm, stored, experiment.evaluation)
  return withStoredCommits(experiment, dataset, spelled, stored)
}

/** The models that the project declares now; those of a platform elsewhere are taken as they are stored. */
const modelsNow = ({ experiment, platform }: ConditionsInput, stored: ResolvedModels | null): ResolvedModels | null =>
  platform.kind === 'external' || stored === null
    ? stored
    : declaredBeside(experiment, platform.modelSet ?? experiment.models.default_set, stored, platform.env)

/** Of the ingestion that the embedded platform would do; null or absent where it is not known. */
type KnownIngestion = Partial<Pick<IngestionProvenance, 'content_digest' | 'job_id'>>

interface CorpusInput {
  /** False where the platform reads another folder than the dataset's. */
  isCorpusHere?: boolean
  onNotice?: (notice: { message: string }) => void
}

/** Reads the ingestion before a run: the digest of its documents, with a notice where they are too many to be compared, and the job whose collections are stored. */
export async function ingestionNow({
  platform,
  experiment,
  dataset,
  runId,
  isCorpusHere = true,
  onNotice,
}: ConditionsInput & CorpusInput): Promise<KnownIngestion> {
  // The ingestion of another platform is not known here.
  if (platform.kind !== 'embedded') return {}
  const job = storedIngestion(experiment.root, dataset.profile.name)
  const known = job === undefined ? {} : { job_id: job ?? 'no stored collections' }
  if (!isCorpusHere) return known
  const { id, corpus_path: folder } = dataset.dataset
  const { digest, unchecked } = await corpusDigest(resolve(experiment.root, folder))
  if (unchecked !== null)
    onNotice?.({
      message: `${id}: ${folder} was not compared with what ${runId} ingested: ${unchecked}. The run compares it after its ingestion`,
    })
  return digest === null ? known : { ...known, content_digest: digest }
}

/** The conditions of a run as far as they are known without its platform; what only that knows is taken to be as it is stored. */
export async function knownIdentity(
  input: ConditionsInput,
  ingestionKnown: KnownIngestion = {},
): Promise<IdentityFrom> {
  const known = await currentConditions(input, null, null)
  return async (stored) => {
    if (stored === null) return identityOf(input, known)
    const { runtime, ingestion: then } = stored.reproducibility
    const isComparable = runtime.gateway === 'embedded' && then?.mode === 'platform'
    const ingestion = then !== null && isComparable ? { ...then, ...ingestionKnown } : then
    const models = modelsNow(input, runtime.models)
    const filled = { ...known, ingestion, runtime: { ...known.runtime, platform: runtime.platform, models } }
    return identityOf(input, await asStored(input, filled, stored.reproducibility))
  }
}

/**
 * Before the platform is started: compares what is known without it with what is stored, so that a run which cannot be resumed ingests nothing
 * either. Throws `EvidenceRefusedError` and `ResumeConflictError`.
 */
export async function checkStored(run: DatasetRun): Promise<void> {
  if (!(await isStoredRun(run))) return
  const log = await openLog(run, false)
  try {
    const ingestion = await ingestionNow({
      ...run,
      isCorpusHere: run.corpusRoot === null,
      onNotice: ({ message }) => run.emit({ type: 'notice', level: 'info', message }),
    })
    const outcome = await log.checkIdentity(await knownIdentity(run, ingestion))
    if (!outcome.ok)
      throw new ResumeConflictError(
        log.file,
        await withFiles(run.experiment, run.dataset, outcome.conflicts, run.platform),
      )
  } finally {
    await log.close()
  }
}

const openLog = (run: DatasetRun, create: boolean): Promise<EvidenceLog> =>
  openEvidence({ ...placeOf(run), store: run.store, create, signal: run.abort, emit: run.emit })

/** A run's evidence, open to add rows made under these conditions. */
export interface RunLog {
  log: EvidenceLog
  reproducibility: Reproducibility
}

/**
 * Opens the evidence of a run that another process has started, to help with its cells: what only that one's platform knows is taken as it is
 * stored, everything else is compared. Null while no run of this name has been started. Throws `EvidenceRefusedError` and `ResumeConflictError`.
 */
export async function joinRunLog(run: DatasetRun): Promise<RunLog | null> {
  if (!(await isStoredRun(run))) return null
  const known = await knownIdentity(run)
  const make: IdentityFrom = (stored) => {
    if (stored === null) throw new NotStartedError()
    return known(stored)
  }
  return logOfIdentity(run, false, make).catch((error: unknown) => {
    if (error instanceof NotStartedError) return null
    throw error
  })
}

/** The run has no identity yet: whoever starts it still ingests. */
class NotStartedError extends Error {
  override readonly name = 'NotStartedError'
}

/**
 * Opens the evidence of a run whose corpus is ingested, in its folder, which the first run of a project does not have yet, and keeps the run's
 * identity before any call of an approach. Throws `EvidenceRefusedError` and `ResumeConflictError`.
 */
export async function openRunLog(
  run: DatasetRun,
  served: ServedDataset,
  ingestion: IngestionProvenance | null,
): Promise<RunLog> {
  await mkdir(dirname(run.files.evidence), { recursive: true })
  return logOfIdentity(run, true, await servedIdentity(run, served, ingestion))
}

/** The log of a run whose identity it keeps; closed where that fails. */
async function logOfIdentity(run: DatasetRun, create: boolean, make: IdentityFrom): Promise<RunLog> {
  const log = await openLog(run, create)
  try {
    const outcome = await log.setIdentity(make)
    if (!outcome.ok)
      throw new ResumeConflictError(
        log.file,
        await withFiles(run.experiment, run.dataset, outcome.conflicts, run.platform),
      )
    return { log, reproducibility: outcome.identity.reproducibility }
  } catch (error) {
    await log.close()
    throw error
  }
}
