import type { PlanOutcome } from '../../../contract/control/run-job.ts'

export type Plan = Extract<PlanOutcome, { ok: true }>

/** Finished cells that the cold reset of a plan removes. */
export const removedCells = ({ deletions }: Plan): number =>
  deletions.flatMap(({ items }) => items).reduce((sum, { rows }) => sum + (rows ?? 0), 0)

/** Returns true when the run moves something to the trash: files of an earlier one, or collections that other runs use too. */
export const removesFiles = ({ deletions }: Plan): boolean => deletions.some(({ items }) => items.length > 0)

/** Returns true when a person must agree before the run starts. */
export const mustAsk = (plan: Plan): boolean =>
  removesFiles(plan) || plan.publications.some(({ current }) => current !== null)
