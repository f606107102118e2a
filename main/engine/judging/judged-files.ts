import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  artifactFiles,
  artifactFilesOf,
  storedFilesOf,
  type ArtifactFiles,
  type ArtifactPlace,
} from '../../evidence/artifact-files.ts'
import { loadHistorical, snapshotIdentity } from '../../report/historical.ts'
import { RESULTS_FOLDER } from '../../report/publish.ts'

const exists = async (file: string): Promise<boolean> => (await stat(file).catch(() => null)) !== null

/** Artifacts of a dataset run: the working ones, the published ones where those are all that is left, or a historical snapshot's. */
export async function judgedFiles(
  root: string,
  artifacts: ArtifactPlace,
  runId: string,
  datasetId: string,
): Promise<ArtifactFiles> {
  const working = storedFilesOf(artifacts, runId, datasetId)
  if ((await exists(working.evidence)) || (await exists(working.matrix))) return working
  const published = artifactFiles(join(root, RESULTS_FOLDER), runId, datasetId)
  if ((await exists(published.evidence)) || (await exists(published.matrix))) return published
  for (const dir of [artifacts.resultsDir, join(root, RESULTS_FOLDER)]) {
    const snapshot = await snapshotIn(dir, runId, datasetId)
    if (snapshot !== null) return snapshot
  }
  return working
}

/** A snapshot's file need not be named after run and dataset. */
async function snapshotIn(dir: string, runId: string, datasetId: string): Promise<ArtifactFiles | null> {
  if (!(await exists(dir))) return null
  const { snapshots } = await loadHistorical(dir)
  const found = snapshots.find((snapshot) => {
    const identity = snapshotIdentity(snapshot)
    return identity.runId === runId && identity.datasetId === datasetId
  })
  return found === undefined ? null : artifactFilesOf(dir, found.name)
}
