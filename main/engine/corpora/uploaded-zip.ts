// A dataset's zip file that a browser sends: it exists as a file only while it is looked at or unpacked.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PreviewZipInput, UploadZipInput, ZipPreview } from '../../../contract/control/dataset-transfer.ts'
import { importDataset, previewDataset } from '../../manifests/datasets/dataset-archive.ts'
import type { Experiment } from '../../manifests/experiment.ts'
import { DatasetEditError } from '../../manifests/datasets/own-datasets.ts'

/** Paths that a preview names. */
const MOST_NAMES = 20

/** Returns what the file holds, after the checks of names and sizes that an import makes. Stores nothing. Throws `DatasetEditError`. */
export const previewUpload = (upload: PreviewZipInput): Promise<ZipPreview> =>
  asFile(upload, async (path) => {
    const { file, documents, documentBytes } = await previewDataset(path)
    return {
      label: file.label,
      description: file.description,
      licence: file.licence ?? null,
      questions: file.questions.length,
      with_gold: file.questions.filter(({ gold }) => gold.length > 0).length,
      documents: documents.length,
      size_bytes: documentBytes,
      names: documents.slice(0, MOST_NAMES),
    }
  })

/** Makes the file an own dataset. Throws `DatasetEditError`; nothing is left then. */
export const importUpload = async (experiment: Experiment, upload: UploadZipInput): Promise<void> => {
  await asFile(upload, (path) => importDataset(experiment, path, upload.id))
}

async function asFile<Result>(
  { file_name: name, base64 }: PreviewZipInput,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const temporary = await mkdtemp(join(tmpdir(), 'rag-ladder-upload-'))
  const path = join(temporary, 'upload.zip')
  try {
    await writeFile(path, Buffer.from(base64, 'base64'))
    return await work(path)
  } catch (error) {
    // The person knows the file by its own name.
    throw error instanceof DatasetEditError
      ? new DatasetEditError(error.path, error.message.replaceAll(path, name))
      : error
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}
