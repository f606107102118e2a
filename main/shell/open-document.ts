import { stat } from 'node:fs/promises'
import { extname, isAbsolute } from 'node:path'
import { DOCUMENT_EXTENSIONS } from '../../core/document-formats.ts'

/** Extensions of the documents page, without Office files that carry macros: nothing that is opened may be a program. */
const OPENABLE = new Set(DOCUMENT_EXTENSIONS.filter((extension) => !/^\.(doc|ppt|xls)m$/.test(extension)))

/** Opens a document in the system's program for its type. Throws with a message for the user; `open` returns an empty text on success. */
export async function openDocument(path: string, open: (path: string) => Promise<string>): Promise<void> {
  if (!isAbsolute(path)) throw new Error('this file is not on the disk, so no other program can open it')
  const extension = extname(path).toLowerCase()
  if (!OPENABLE.has(extension))
    throw new Error(
      `${extension === '' ? 'files without an extension' : `${extension} files`} cannot be opened from here`,
    )
  const info = await stat(path).catch(() => null)
  if (info?.isFile() !== true) throw new Error(`${path} does not exist any more`)
  const problem = await open(path)
  if (problem !== '') throw new Error(problem)
}
