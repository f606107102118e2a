import { join } from 'node:path'
import type { PlanConflict } from '../../contract/evidence/run-event.ts'
import { remedyFor } from '../../core/remedy.ts'
import { readRecord } from '../evidence/rows/identity-record.ts'
import { trashedFiles } from '../lib/files/trash.ts'
import { STATE_FOLDER } from '../manifests/project/project-folder.ts'
import { planDataset, type PlanInput } from '../runner/cells/plan-dataset.ts'
import { ingestionFile, jobIn, storedIngestion } from './stored-ingestion.ts'

interface PlannedCells extends Awaited<ReturnType<typeof planDataset>> {
  /** What restores the conditions of a run that is refused; null where it is not known. */
  remedy: string | null
}

/**
 * The plan of one dataset, with the conflict that a run finds after its ingestion: where the collections that its rows were answered from are not
 * stored any more, the ingestion is another job. Calls nothing and writes nothing. Throws `EvidenceRefusedError`.
 */
export async function plannedCells(input: PlanInput & { root: string }): Promise<PlannedCells> {
  const { root, dataset, files, platform } = input
  const planned = { ...(await planDataset(input)), remedy: null }
  if (planned.cells === null || platform.kind !== 'embedded') return planned
  const ingestion = (await readRecord(files.evidence))?.reproducibility.ingestion ?? null
  if (ingestion === null || ingestion.mode !== 'platform') return planned
  const current = storedIngestion(root, dataset.profile.name)
  if (current === undefined || current === ingestion.job_id) return planned
  const conflict: PlanConflict = {
    row_id: null,
    path: 'reproducibility.ingestion.job_id',
    stored: ingestion.job_id,
    current: current ?? 'no stored collections',
    rows: planned.plan.reuse,
  }
  const plan = { ...planned.plan, run: 0, reuse: 0, resume_answered: 0, conflicts: [conflict] }
  const trashed = await trashedFiles(join(root, STATE_FOLDER), ingestionFile(root, dataset.profile.name))
  const entry = trashed.find(({ stored }) => jobIn(stored) === ingestion.job_id)
  return { plan, cells: null, remedy: entry === undefined ? null : restoreWords(entry.trash_id, current !== null) }
}

const restoreWords = (name: string, isReplaced: boolean): string =>
  remedyFor({
    panel: `The collections of this run are in the trash as ${name}: restore them, or start a new run under another name.`,
    commandLine: `The collections of this run are in the trash: rag-ladder trash restore ${name}${isReplaced ? ' --replace' : ''} brings them back; or start a new run with --run-id.`,
  })
