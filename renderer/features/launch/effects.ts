import type { PlanOutcome } from '../../../contract/control/run-job.ts'

export type Plan = Extract<PlanOutcome, { ok: true }>

/** Finished cells that the cold reset of a plan deletes. */
export const deletedCells = ({ deletions }: Plan): number =>
  deletions.flatMap(({ items }) => items).reduce((sum, { rows }) => sum + (rows ?? 0), 0)

/** Whether the run deletes files of an earlier one; collections are built again and need no question. */
export const deletesFiles = ({ deletions }: Plan): boolean =>
  deletions.some(({ items }) => items.some(({ what }) => what !== 'collections'))

/** Whether a person must agree before the run starts. */
export const mustAsk = (plan: Plan): boolean =>
  deletesFiles(plan) || plan.publications.some(({ current }) => current !== null)
