import type { FilePiece } from '../../contract/control/dataset-transfer.ts'
import type { ImportedRun } from '../../contract/control/stored-runs.ts'
import type { ArtifactPlace } from '../evidence/files/artifact-files.ts'
import { ZipFileError } from '../lib/files/zip-files.ts'
import { exportBundle, importBundle } from '../report/run-bundle.ts'
import { inputFailure } from './control-failure.ts'
import { piecesOfNew } from './corpora/dataset-transfer.ts'

function asInputFailure(error: unknown): never {
  throw error instanceof ZipFileError ? inputFailure([{ path: 'source', message: error.message }]) : error
}

/** A run's bundle in pieces that fit into messages. */
export const bundlePieces = (place: ArtifactPlace & { root: string }, runId: string): AsyncGenerator<FilePiece> =>
  piecesOfNew(`${runId}.bundle.zip`, (file) => exportBundle(place, runId, file).catch(asInputFailure))

/** Opens a bundle in the project. Throws `ControlFailure` for a file that cannot be opened. */
export async function openBundle(place: { root: string; resultsDir: string }, source: string): Promise<ImportedRun> {
  const { runId, datasets } = await importBundle(place, source).catch(asInputFailure)
  return { run_id: runId, dataset_ids: datasets }
}
