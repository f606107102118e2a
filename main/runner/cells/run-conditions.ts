import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { SCHEMA_VERSION } from '../../../contract/common.ts'
import { RUNNER_VERSION } from '../../../contract/evidence/canonical-row.ts'
import type { IngestionProvenance, Reproducibility, ResolvedModels } from '../../../contract/evidence/provenance.ts'
import type { RunIdentity } from '../../../contract/evidence/run-identity.ts'
import type { EvidenceLog } from '../../evidence/evidence-log.ts'
import type { IdentityFrom } from '../../evidence/rows/run-identity.ts'
import {
  reproducibilityOf,
  withFiles,
  withoutCredentials,
  withStoredCommits,
} from '../../manifests/project/provenance.ts'
import { providerSelection } from '../../manifests/models/provider-selection.ts'
import { inStoredForm } from '../../manifests/stored-form.ts'
import type { ArtifactFiles } from '../../evidence/files/artifact-files.ts'
import type { ServedDataset } from '../platform/dataset-platform.ts'
import type { DatasetRun } from '../dataset-run.ts'
import { apiUrl } from '../../lib/services/gateway-client.ts'
import type { PlatformSource } from '../platform/platform-source.ts'
import { isStoredRun, openEvidence, placeOf, ResumeConflictError } from './open-evidence.ts'

/** Describes what the conditions of a run's rows depend on. */
export type ConditionsInput = Pick<DatasetRun, 'experiment' | 'dataset' | 'runId' | 'evaluator'> & {
  platform: Pick<PlatformSource, 'kind' | 'gateway' | 'basePort' | 'modelSet'>
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
  { experiment, dataset }: ConditionsInput,
  current: Reproducibility,
  stored: Reproducibility,
): Promise<Reproducibility> {
  const spelled = inStoredForm(current, stored, experiment.evaluation)
  return withStoredCommits(experiment, dataset, spelled, stored)
}

/** The stored models, unless another set is chosen now: then what the manifest defines for that one. */
function modelsNow({ experiment, platform }: ConditionsInput, stored: ResolvedModels | null): ResolvedModels | null {
  if (platform.kind === 'external' || stored === null) return stored
  const set = platform.modelSet ?? experiment.models.default_set
  if (set === stored.set) return stored
  const roles = Object.entries(experiment.models.sets[set]?.roles ?? {})
  return { set, roles: Object.fromEntries(roles.map(([role, { backend, model }]) => [role, { backend, model }])) }
}

/**
 * The conditions of a run as far as they are known without its platform; what only that knows is taken to be as it is stored. `contentDigest` is
 * that of the corpus as the embedded platform would ingest it; null: unknown.
 */
export async function knownIdentity(
  input: ConditionsInput,
  contentDigest: string | null = null,
): Promise<IdentityFrom> {
  const known = await currentConditions(input, null, null)
  return async (stored) => {
    if (stored === null) return identityOf(input, known)
    const { runtime, ingestion: then } = stored.reproducibility
    const isComparable = contentDigest !== null && runtime.gateway === 'embedded'
    const ingestion = then !== null && isComparable ? { ...then, content_digest: contentDigest } : then
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
    const outcome = await log.checkIdentity(await knownIdentity(run))
    if (!outcome.ok)
      throw new ResumeConflictError(log.file, await withFiles(run.experiment, run.dataset, outcome.conflicts))
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
      throw new ResumeConflictError(log.file, await withFiles(run.experiment, run.dataset, outcome.conflicts))
    return { log, reproducibility: outcome.identity.reproducibility }
  } catch (error) {
    await log.close()
    throw error
  }
}
