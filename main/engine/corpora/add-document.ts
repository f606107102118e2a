import { mkdir, open, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AddDocumentInput, AddedDocument } from '../../../contract/control/corpora.ts'
import type { LadderDataset } from '../../manifests/experiment.ts'
import { inputFailure } from '../control-failure.ts'

/** Writes a text into a dataset's corpus folder; durable when it resolves. Throws `ControlFailure` for a name that exists. */
export async function addDocument(
  root: string,
  { dataset }: LadderDataset,
  { name, text }: AddDocumentInput,
): Promise<AddedDocument> {
  const folder = join(root, dataset.corpus_path)
  await mkdir(folder, { recursive: true })
  const path = `${name}.md`
  const file = join(await realpath(folder), path)
  // Only a new file is written: nothing in a corpus is ever overwritten.
  const handle = await open(file, 'wx').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw inputFailure([{ path: 'name', message: `${dataset.corpus_path} already has ${path}` }])
  })
  try {
    await handle.writeFile(text)
    await handle.sync()
  } catch (error) {
    // Half a document would be ingested like a whole one.
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
  return { path, size_bytes: Buffer.byteLength(text) }
}
