import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FilePiece } from '../../contract/control/dataset-transfer.ts'
import type { ImportedRun } from '../../contract/control/stored-runs.ts'
import type { ArtifactPlace } from '../evidence/files/artifact-files.ts'
import { ZipFileError } from '../lib/files/zip-files.ts'
import { exportBundle, importBundle } from '../report/run-bundle.ts'
import { inputFailure } from './control-failure.ts'
import { filePieces } from './corpora/dataset-transfer.ts'

const asInputFailure = (error: unknown): unknown =>
  error instanceof ZipFileError ? inputFailure([{ path: 'source', message: error.message }]) : error

/** A run's bundle in pieces that fit into messages. */
export async function* bundlePieces(place: ArtifactPlace & { root: string }, runId: string): AsyncGenerator<FilePiece> {
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-export-'))
  try {
    const name = `${runId}.bundle.zip`
    await exportBundle(place, runId, join(folder, name))
    yield* filePieces(join(folder, name), name)
  } catch (error) {
    throw asInputFailure(error)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Opens a bundle in the project. Throws `ControlFailure` for a file that cannot be opened. */
export async function openBundle(place: { root: string; resultsDir: string }, source: string): Promise<ImportedRun> {
  try {
    const { runId, datasets } = await importBundle(place, source)
    return { run_id: runId, dataset_ids: datasets }
  } catch (error) {
    throw asInputFailure(error)
  }
}
