import { stat } from 'node:fs/promises'
import type { RunPlan } from '../../contract/index.ts'
import type { EvidenceNotice } from '../evidence/evidence-log.ts'
import { withFiles } from '../manifests/provenance.ts'
import { openEvidenceLog } from '../evidence/open-evidence-log.ts'
import type { DatasetRun } from './dataset-run.ts'
import { cellIdentity, plannedCells } from './plan-cells.ts'
import { EvidenceRefusedError } from './open-evidence.ts'
import { knownIdentity, type ConditionsInput } from './run-conditions.ts'

/** What a plan of one dataset depends on. */
export type PlanInput = ConditionsInput &
  Pick<DatasetRun, 'aliases' | 'repeats'> & { onNotice?: (notice: EvidenceNotice) => void }

/** What a run of one dataset would reuse, call and refuse. Calls nothing and writes nothing. Throws `EvidenceRefusedError`. */
export async function planDataset(input: PlanInput): Promise<RunPlan> {
  const { experiment, dataset, aliases, repeats, runId } = input
  const evidenceFile = input.files.evidence
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
    const outcome = await opened.log.checkIdentity(await knownIdentity(input))
    if (!outcome.ok) return { ...empty, run: 0, conflicts: await withFiles(experiment, dataset, outcome.conflicts) }
    const { reproducibility } = outcome.identity
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
