import { join } from 'node:path'
import { remedyFor } from '../../core/remedy.ts'
import { INGESTION_JOB } from '../evidence/rows/conditions.ts'
import { trashedFiles } from '../lib/files/trash.ts'
import { STATE_FOLDER } from '../manifests/project/project-folder.ts'
import { planDataset, type PlanInput } from '../runner/cells/plan-dataset.ts'
import { ingestionFile, jobIn, storedIngestion } from '../runner/ingestion/stored-ingestion.ts'

interface PlannedCells extends Awaited<ReturnType<typeof planDataset>> {
  /** Restores the conditions of a run that is refused; null where it is not known. */
  remedy: string | null
}

/** The plan of one dataset, and what restores the collections that its rows were answered from. Calls nothing and writes nothing. Throws `EvidenceRefusedError`. */
export async function plannedCells(input: PlanInput & { root: string }): Promise<PlannedCells> {
  const { root, dataset } = input
  const planned = { ...(await planDataset(input)), remedy: null }
  const job = planned.plan.conflicts.find(({ path }) => path === INGESTION_JOB)
  if (job === undefined) return planned
  const { name } = dataset.profile
  const trashed = await trashedFiles(join(root, STATE_FOLDER), ingestionFile(root, name))
  const entry = trashed.find(({ stored }) => JSON.stringify(jobIn(stored)) === job.stored)
  const isReplaced = typeof storedIngestion(root, name) === 'string'
  return { ...planned, remedy: entry === undefined ? null : restoreWords(entry.trash_id, isReplaced) }
}

const restoreWords = (name: string, isReplaced: boolean): string =>
  remedyFor({
    panel: `The collections of this run are in the trash as ${name}: restore them, or start a new run under another name.`,
    commandLine: `The collections of this run are in the trash: rag-ladder trash restore ${name}${isReplaced ? ' --replace' : ''} brings them back; or start a new run with --run-id.`,
  })
