import type { RunPlan } from '../../contract/evidence/run-event.ts'
import type { LadderDataset } from '../manifests/experiment.ts'
import { contextBudgetOf } from '../manifests/project/provenance.ts'
import type { PreparedRun } from '../runner/prepare/prepare-run.ts'

/** The plan of a dataset after a cold reset, which leaves nothing to reuse and nothing to conflict with. */
export function coldPlan(
  { experiment, aliases, repeats }: Pick<PreparedRun, 'experiment' | 'aliases' | 'repeats'>,
  { dataset, questions }: LadderDataset,
): RunPlan {
  const total = questions.length * aliases.length * repeats
  return {
    dataset_id: dataset.id,
    total,
    reuse: 0,
    run: total,
    resume_answered: 0,
    conflicts: [],
    unavailable: [],
    context_budget: contextBudgetOf(experiment.evaluation),
  }
}
