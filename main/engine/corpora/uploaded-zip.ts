// A dataset's zip file that a browser sends: it exists as a file only while it is looked at or unpacked.
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PreviewZipInput, UploadZipInput, ZipPreview } from '../../../contract/control/dataset-transfer.ts'
import { OWN_DOCUMENTS_FOLDER } from '../../../contract/index.ts'
import { importDataset, unpackDataset } from '../../manifests/dataset-archive.ts'
import type { Experiment } from '../../manifests/experiment.ts'
import { DatasetEditError } from '../../manifests/own-datasets.ts'

/** Paths that a preview names. */
const MOST_NAMES = 20

/** What the file holds, after every check that an import makes. Stores nothing. Throws `DatasetEditError`. */
export const previewUpload = (upload: PreviewZipInput): Promise<ZipPreview> =>
  asFile(upload, async (path, folder) => {
    const { file, documents } = await unpackDataset(path, folder)
    const sizes = await Promise.all(
      documents.map(async (name) => (await stat(join(folder, OWN_DOCUMENTS_FOLDER, ...name.split('/')))).size),
    )
    return {
      label: file.label,
      description: file.description,
      licence: file.licence ?? null,
      questions: file.questions.length,
      with_gold: file.questions.filter(({ gold }) => gold.length > 0).length,
      documents: documents.length,
      size_bytes: sizes.reduce((sum, size) => sum + size, 0),
      names: documents.slice(0, MOST_NAMES),
    }
  })

/** Makes the file an own dataset. Throws `DatasetEditError`; nothing is left then. */
export const importUpload = async (experiment: Experiment, upload: UploadZipInput): Promise<void> => {
  await asFile(upload, (path) => importDataset(experiment, path, upload.id))
}

async function asFile<Result>(
  { file_name: name, base64 }: PreviewZipInput,
  work: (path: string, folder: string) => Promise<Result>,
): Promise<Result> {
  const temporary = await mkdtemp(join(tmpdir(), 'rag-ladder-upload-'))
  const path = join(temporary, 'upload.zip')
  try {
    await writeFile(path, Buffer.from(base64, 'base64'))
    return await work(path, join(temporary, 'unpacked'))
  } catch (error) {
    // The person knows the file by its own name.
    throw error instanceof DatasetEditError
      ? new DatasetEditError(error.path, error.message.replaceAll(path, name))
      : error
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}
