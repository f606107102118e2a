import { resolve } from 'node:path'
import type { PlanConflict, RunPlan } from '../../contract/index.ts'
import type { ResumePlan } from '../evidence/evidence-log.ts'
import { corpusDigest } from '../manifests/corpus-digest.ts'
import { withFiles } from '../manifests/provenance.ts'
import type { DatasetRun } from './dataset-run.ts'
import { cellIdentity, plannedCells } from './plan-cells.ts'
import { EvidenceRefusedError, isStoredRun, placeOf } from './open-evidence.ts'
import { planRetries, type RetryPlan } from './retried-cells.ts'
import { knownIdentity, type ConditionsInput } from './run-conditions.ts'

/** What a plan of one dataset depends on. */
export type PlanInput = ConditionsInput &
  Pick<DatasetRun, 'aliases' | 'repeats' | 'retryFailed' | 'store'> & {
    /** False where the platform reads another folder than the dataset's. */
    isCorpusHere?: boolean
    onNotice?: (notice: { message: string }) => void
  }

/** The part of a run's plan that its stored rows decide. */
export function plannedCounts(
  { reuse, run, answered, conflicts }: ResumePlan,
  { failed, retry }: ReturnType<RetryPlan['count']>,
): Pick<RunPlan, 'reuse' | 'run' | 'resume_answered' | 'conflicts' | 'failed' | 'retry'> {
  return {
    reuse: reuse.length,
    run: run.length,
    resume_answered: answered.length,
    conflicts,
    ...(failed.access + failed.other === 0 ? {} : { failed }),
    ...(retry === 0 ? {} : { retry }),
  }
}

/** The digest of the corpus that the embedded platform would ingest; null: unknown, with a notice where the corpus is too large to be compared. */
async function currentDigest(input: PlanInput): Promise<string | null> {
  const { platform, experiment, dataset, runId, isCorpusHere = true, onNotice } = input
  // What another platform ingests is not known here.
  if (platform.kind !== 'embedded' || !isCorpusHere) return null
  const { id, corpus_path: folder } = dataset.dataset
  const { digest, unchecked } = await corpusDigest(resolve(experiment.root, folder))
  if (unchecked !== null)
    onNotice?.({
      message: `${id}: ${folder} was not compared with what ${runId} ingested: ${unchecked}. The run compares it after its ingestion`,
    })
  return digest
}

/** A digest names no file: its folder is where to look. */
const withCorpus = (conflicts: readonly PlanConflict[], folder: string): PlanConflict[] =>
  conflicts.map((conflict) =>
    conflict.path === 'reproducibility.ingestion.content_digest' ? { ...conflict, files: [folder] } : conflict,
  )

/** What a run of one dataset would reuse, call and refuse. Calls nothing and writes nothing. Throws `EvidenceRefusedError`. */
export async function planDataset(input: PlanInput): Promise<RunPlan> {
  const { experiment, dataset, aliases, repeats, retryFailed, runId } = input
  const total = dataset.questions.length * aliases.length * repeats
  const empty: RunPlan = {
    dataset_id: dataset.dataset.id,
    total,
    reuse: 0,
    run: total,
    resume_answered: 0,
    conflicts: [],
    unavailable: [],
  }
  // The first run of a project has not even a folder of results.
  if (!(await isStoredRun(input))) return empty
  const contentDigest = await currentDigest(input)
  const opened = await input.store.open({ ...placeOf(input), create: false, onNotice: input.onNotice })
  if (!opened.ok) throw new EvidenceRefusedError(opened.refusal)
  try {
    const outcome = await opened.log.checkIdentity(await knownIdentity(input, contentDigest))
    if (!outcome.ok) {
      const conflicts = await withFiles(experiment, dataset, outcome.conflicts)
      return { ...empty, run: 0, conflicts: withCorpus(conflicts, dataset.dataset.corpus_path) }
    }
    const { reproducibility } = outcome.identity
    const retries = await planRetries(opened.log, retryFailed)
    const { retryOf } = retries
    const space = { runId, dataset, aliases, repeats, seed: experiment.evaluation.run.seed, retryOf }
    const identities = plannedCells(space).map((cell) =>
      cellIdentity(cell, reproducibility.runtime.gateway, reproducibility),
    )
    const resume = await opened.log.plan(identities)
    const failures = retries.count(plannedCells(space).map((cell) => cell.cellId))
    return { ...empty, ...plannedCounts(resume, failures) }
  } finally {
    await opened.log.close()
  }
}
