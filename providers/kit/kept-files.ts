import { randomUUID } from 'node:crypto'
import { open, readdir, readFile, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { z } from 'zod'

/** Names in a folder; none where it does not exist. */
export async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  })
}

/** Returns what a JSON file holds; null where it is missing or is not of that shape. */
export async function readJson<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema> | null> {
  try {
    const parsed = schema.safeParse(JSON.parse(await readFile(path, 'utf8')))
    return parsed.success ? parsed.data : null
  } catch {
    return null
  }
}

/** Makes new names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and NTFS journals its names by itself.
  if (process.platform === 'win32') return
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes and syncs a file beside its place and moves it in whole, so that a crash leaves the old file or the new one. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array | ((handle: FileHandle) => Promise<void>),
): Promise<void> {
  const aside = `${path}.${randomUUID()}.new`
  try {
    const handle = await open(aside, 'wx')
    try {
      await (typeof content === 'function' ? content(handle) : handle.writeFile(content))
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(aside, path)
    await syncFolder(dirname(path))
  } catch (error) {
    await rm(aside, { force: true })
    throw error
  }
}

/** The form in which notes are kept: for people, too. */
export const noteText = (note: unknown): string => JSON.stringify(note, null, 2)
