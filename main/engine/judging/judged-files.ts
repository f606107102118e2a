import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { artifactFiles, type ArtifactFiles } from '../../report/artifact-files.ts'
import { RESULTS_FOLDER } from '../../report/publish.ts'

const exists = async (file: string): Promise<boolean> => (await stat(file).catch(() => null)) !== null

/** Artifacts of a dataset run: the working ones, or the published ones where those are all that is left. */
export async function judgedFiles(
  root: string,
  resultsDir: string,
  runId: string,
  datasetId: string,
): Promise<ArtifactFiles> {
  const working = artifactFiles(resultsDir, runId, datasetId)
  if ((await exists(working.evidence)) || (await exists(working.matrix))) return working
  const published = artifactFiles(join(root, RESULTS_FOLDER), runId, datasetId)
  return (await exists(published.evidence)) || (await exists(published.matrix)) ? published : working
}
