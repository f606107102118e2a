import type { RemovedRun } from '../../../contract/control/stored-runs.ts'
import { storedFilesOf, type ArtifactPlace } from '../../evidence/files/artifact-files.ts'
import { fileStore } from '../../evidence/evidence-store.ts'
import { withUnusedEvidence } from '../../evidence/remove-evidence.ts'
import { exists } from '../../lib/files/missing-file.ts'
import { openTrash, restoreTrash, TrashError } from '../../lib/files/trash.ts'
import { listDeletions } from '../../runner/reset/cold-reset.ts'
import { EvidenceRefusedError } from '../../runner/cells/open-evidence.ts'
import { ControlFailure } from '../control-failure.ts'
import { JournalEntry } from './run-journal.ts'

export interface RunTrashPlace {
  root: string
  stateDir: string
  artifacts: ArtifactPlace
}

/**
 * Moves everything that a run's datasets have among the working artifacts to the trash: evidence and what is beside it, summaries, matrices,
 * judgments and votes. Throws `EvidenceRefusedError` while a process has evidence open, and `ControlFailure` where there is nothing.
 */
export async function removeRun(
  place: RunTrashPlace,
  runId: string,
  datasetIds: readonly string[],
  journal: JournalEntry | null,
): Promise<RemovedRun> {
  const scopes = datasetIds.map((datasetId) => ({
    root: place.root,
    runId,
    datasetId,
    files: storedFilesOf(place.artifacts, runId, datasetId),
    store: fileStore,
    collections: null,
  }))
  const items = (await Promise.all(scopes.map(listDeletions))).flatMap((list) => list.items)
  if (items.length === 0 && journal === null)
    throw new ControlFailure('not_found', `${runId} has no file among the working artifacts`)
  const trash = await openTrash(place.stateDir, { runId, why: 'removed', items, journal })
  try {
    for (const { files } of scopes) {
      if (!(await exists(files.evidence))) continue
      const outcome = await withUnusedEvidence(files.evidence, trash.take)
      if (!outcome.ok) throw new EvidenceRefusedError(outcome.refusal)
    }
    await trash.takeRest()
  } catch (error) {
    // A run is in the trash as a whole or not at all.
    await trash.undo()
    throw error
  }
  return trash.entry
}

/** Moves a removed run back and returns it with its journal. Throws `ControlFailure` where a file of it is there again. */
export async function restoreRun(
  { stateDir }: RunTrashPlace,
  trashId: string,
): Promise<{ run: RemovedRun; journal: JournalEntry | null }> {
  try {
    const { entry, journal } = await restoreTrash(stateDir, trashId)
    return { run: entry, journal: JournalEntry.safeParse(journal).data ?? null }
  } catch (error) {
    if (!(error instanceof TrashError)) throw error
    throw new ControlFailure(error.code === 'not_found' ? 'not_found' : 'run_state', error.message)
  }
}
