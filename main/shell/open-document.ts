import { stat } from 'node:fs/promises'
import { extname, isAbsolute } from 'node:path'

/** What the page Documents takes; nothing among them is a program. */
const ENDINGS = new Set([
  ...['.pdf', '.docx', '.doc', '.pptx', '.ppt', '.xlsx'],
  ...['.html', '.htm', '.png', '.jpg', '.jpeg', '.tif', '.tiff'],
])

/** Opens a document in the program that the system has for its kind. Throws with a sentence for a person; `open` gives an empty text when it did. */
export async function openDocument(path: string, open: (path: string) => Promise<string>): Promise<void> {
  if (!isAbsolute(path)) throw new Error('this file is not on the disk, so no other program can open it')
  const ending = extname(path).toLowerCase()
  if (!ENDINGS.has(ending))
    throw new Error(`${ending === '' ? 'files without an ending' : ending} are not opened from here`)
  const info = await stat(path).catch(() => null)
  if (info?.isFile() !== true) throw new Error(`${path} is not there any more`)
  const problem = await open(path)
  if (problem !== '') throw new Error(problem)
}
