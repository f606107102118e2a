import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ConceptIndex } from './concept-index.ts'

/** A cached index, or null when there is none for this fingerprint. A file that cannot be understood is as good as none. */
export async function readIndexFile(file: string, fingerprint: string): Promise<ConceptIndex | null> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  try {
    const parsed = ConceptIndex.safeParse(JSON.parse(text))
    return parsed.success && parsed.data.fingerprint === fingerprint ? parsed.data : null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Replaces the cached index at once: a reader sees the old file or the new one, whenever the process dies. */
export async function writeIndexFile(file: string, index: ConceptIndex): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`
  try {
    const handle = await open(temporary, 'wx')
    try {
      await handle.writeFile(JSON.stringify(index))
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  // Windows cannot open a folder for syncing; its rename is durable on its own.
  if (process.platform !== 'win32') await syncFolder(dirname(file))
}
