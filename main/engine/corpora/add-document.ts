import { mkdir, open, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AddDocumentInput, AddedDocument } from '../../../contract/control/corpora.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import { inputFailure } from '../control-failure.ts'

/** Puts a text into a dataset's corpus folder; durable when it resolves. Throws `ControlFailure` for a name that is taken. */
export async function addDocument(
  root: string,
  { dataset }: LadderDataset,
  { name, text }: AddDocumentInput,
): Promise<AddedDocument> {
  const folder = join(root, dataset.corpus_path)
  await mkdir(folder, { recursive: true })
  const path = `${name}.md`
  const file = join(await realpath(folder), path)
  // Made only when it is not there: nothing of a corpus is ever written over.
  const handle = await open(file, 'wx').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw inputFailure([{ path: 'name', message: `${dataset.corpus_path} has a ${path} already` }])
  })
  try {
    await handle.writeFile(text)
    await handle.sync()
  } catch (error) {
    // Half a document would be ingested as a whole one.
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  return { path, size_bytes: Buffer.byteLength(text) }
}
