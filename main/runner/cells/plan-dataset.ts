import type { RunPlan } from '../../../contract/evidence/run-event.ts'
import type { ResumePlan } from '../../evidence/evidence-log.ts'
import { fingerprint } from '../../evidence/rows/row-identity.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import { contextBudgetOf, withFiles } from '../../manifests/project/provenance.ts'
import type { DatasetRun } from '../dataset-run.ts'
import { cellIdentity, cellsInOrder, type CellPlan, type LadderCell } from './ladder-cells.ts'
import { EvidenceRefusedError, isStoredRun, placeOf } from './open-evidence.ts'
import { retriedCellsOf, type RetriedCells } from './retried-cells.ts'
import { ingestionNow, knownIdentity, type ConditionsInput, type RunLog } from './run-conditions.ts'

/** Describes what a plan of one dataset depends on. */
export type PlanInput = ConditionsInput &
  Pick<DatasetRun, 'aliases' | 'repeats' | 'retryFailed' | 'store'> & {
    /** False where the platform reads another folder than the dataset's. */
    isCorpusHere?: boolean
    onNotice?: (notice: { message: string }) => void
  }

/** The plan of one dataset: its counts, and its cells where any row is stored. */
interface PlannedDataset {
  plan: RunPlan
  cells: CellPlan | null
}

type CellSelection = Pick<DatasetRun, 'aliases' | 'repeats' | 'retryFailed'>

async function basisOf({ log, reproducibility }: RunLog, selection: CellSelection): Promise<string> {
  const { aliases, repeats, retryFailed } = selection
  const names = aliases.map(({ alias }) => alias)
  return fingerprint([await log.contentDigest(), reproducibility, names, repeats, retryFailed]).toString('hex')
}

/** Sorts the cells of an open run by what is stored of them. Calls nothing and writes nothing. */
export async function planCells(
  opened: RunLog,
  selection: CellSelection,
  { answerOf }: Pick<RetriedCells, 'answerOf'>,
  cells: IteratorObject<LadderCell>,
): Promise<CellPlan> {
  const { log, reproducibility } = opened
  // Taken first: a row that another process stores meanwhile makes the plan look outdated, never the other way round.
  const basis = await basisOf(opened, selection)
  const ungraded = new Set<string>()
  const identities = cells.map((cell) => {
    if (answerOf(cell.cellId) !== null) ungraded.add(cell.rowId)
    return cellIdentity(cell, reproducibility.runtime.gateway, reproducibility)
  })
  const resume = await log.planResume(identities)
  if (ungraded.size === 0) return { resume, basis }
  const { true: answered = [], false: run = [] } = Object.groupBy(resume.run, (rowId) => `${ungraded.has(rowId)}`)
  return { resume: { ...resume, run, answered: [...resume.answered, ...answered] }, basis }
}

/** True when nothing that decided the plan has changed since. The questions are those of the prepared run, which holds the plan. */
export const isPlanCurrent = async ({ basis }: CellPlan, opened: RunLog, selection: CellSelection): Promise<boolean> =>
  basis === (await basisOf(opened, selection))

/** The part of a run's plan that its stored rows decide. */
export function countsOf(
  { reuse, run, answered, conflicts }: ResumePlan,
  { failed, retry }: ReturnType<RetriedCells['count']>,
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

/** The plan of a dataset of which nothing is stored, or is after a cold reset: nothing to reuse, and nothing to conflict with. */
export function coldPlan(
  { experiment, aliases, repeats }: Pick<DatasetRun, 'experiment' | 'aliases' | 'repeats'>,
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

/** Returns what a run of one dataset would reuse, call and refuse. Calls nothing and writes nothing. Throws `EvidenceRefusedError`. */
export async function planDataset(input: PlanInput): Promise<PlannedDataset> {
  const { experiment, dataset, aliases, repeats, retryFailed, runId } = input
  const empty = coldPlan(input, dataset)
  // The first run of a project has not even a folder of results.
  if (!(await isStoredRun(input))) return { plan: empty, cells: null }
  const ingestion = await ingestionNow(input)
  const opened = await input.store.open({ ...placeOf(input), create: false, onNotice: input.onNotice })
  if (!opened.ok) throw new EvidenceRefusedError(opened.refusal)
  try {
    const outcome = await opened.log.checkIdentity(await knownIdentity(input, ingestion))
    if (!outcome.ok) {
      const conflicts = await withFiles(experiment, dataset, outcome.conflicts, input.platform)
      return { plan: { ...empty, run: 0, conflicts }, cells: null }
    }
    const { reproducibility } = outcome.identity
    const retries = await retriedCellsOf({ log: opened.log, reproducibility }, retryFailed)
    const { retryOf } = retries
    const space = { runId, dataset, aliases, repeats, seed: experiment.evaluation.run.seed, retryOf }
    const cells = {
      ...(await planCells({ log: opened.log, reproducibility }, input, retries, cellsInOrder(space))),
      retryOf,
    }
    const failures = retries.count(cellsInOrder(space).map((cell) => cell.cellId))
    const { context_budget: budget = null } = reproducibility.runtime
    return { plan: { ...empty, ...countsOf(cells.resume, failures), context_budget: budget }, cells }
  } finally {
    await opened.log.close()
  }
}
