import { stat } from 'node:fs/promises'
import type { CanonicalRow, Reproducibility, ResolvedModels, RunPlan } from '../../contract/index.ts'
import type { EvidenceNotice } from '../evidence/evidence-log.ts'
import { openEvidenceLog } from '../evidence/open-evidence-log.ts'
import { reproducibilityOf } from '../manifests/provenance.ts'
import { inStoredForm } from '../manifests/stored-form.ts'
import { readEvidenceRows } from '../report/read-evidence.ts'
import type { DatasetRun } from './dataset-run.ts'
import { cellIdentity, plannedCells } from './plan-cells.ts'
import type { PlatformSource } from './platform-source.ts'
import { EvidenceRefusedError } from './resume-error.ts'

/** What a plan of one dataset depends on. */
export type PlanInput = Pick<DatasetRun, 'experiment' | 'dataset' | 'aliases' | 'repeats' | 'runId'> & {
  evidenceFile: string
  platform: Pick<PlatformSource, 'kind' | 'gateway' | 'basePort' | 'modelSet'>
  onNotice?: (notice: EvidenceNotice) => void
}

async function firstRow(file: string): Promise<CanonicalRow | null> {
  for await (const row of readEvidenceRows(file)) return row
  return null
}

/** The stored models, unless another set is chosen now: then what the manifest says of that one. */
function modelsNow({ experiment, platform }: PlanInput, stored: ResolvedModels | null): ResolvedModels | null {
  if (platform.kind === 'external' || stored === null) return stored
  const set = platform.modelSet ?? experiment.models.default_set
  if (set === stored.set) return stored
  const roles = Object.entries(experiment.models.sets[set]?.roles ?? {})
  return { set, roles: Object.fromEntries(roles.map(([role, { backend, model }]) => [role, { backend, model }])) }
}

/** What only a running platform knows is taken from the stored rows: the run itself compares it before its first call. */
async function expected(input: PlanInput, stored: Reproducibility | null): Promise<Reproducibility> {
  const { experiment, dataset, platform } = input
  const environment = {
    gateway: platform.gateway,
    basePort: platform.basePort,
    providers: {},
    judgePanel: experiment.evaluation.metrics.judge_panel,
  }
  const known = await reproducibilityOf(experiment, dataset, environment, null, stored?.ingestion ?? null)
  if (stored === null) return known
  const models = modelsNow(input, stored.runtime.models)
  const filled = { ...known, runtime: { ...known.runtime, platform: stored.runtime.platform, models } }
  return inStoredForm(filled, stored, experiment.evaluation)
}

/** What a run of one dataset would reuse, call and refuse. Calls nothing and writes nothing. Throws `EvidenceRefusedError`. */
export async function planDataset(input: PlanInput): Promise<RunPlan> {
  const { experiment, dataset, aliases, repeats, runId, evidenceFile } = input
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
  if ((await stat(evidenceFile).catch(() => null)) === null) return empty
  const opened = await openEvidenceLog(evidenceFile, { runId, create: false, onNotice: input.onNotice })
  if (!opened.ok) throw new EvidenceRefusedError(opened.refusal)
  try {
    const stored = await firstRow(evidenceFile)
    const reproducibility = await expected(input, stored?.reproducibility ?? null)
    const space = { runId, dataset, aliases, repeats, seed: experiment.evaluation.run.seed }
    const identities = plannedCells(space).map((cell) =>
      cellIdentity(cell, reproducibility.runtime.gateway, reproducibility),
    )
    const { reuse, run, answered, conflicts } = await opened.log.plan(identities)
    return { ...empty, reuse: reuse.length, run: run.length, resume_answered: answered.length, conflicts }
  } finally {
    await opened.log.close()
  }
}
