import { createHash, randomBytes } from 'node:crypto'
import { link, mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

const WRITE_CHARS = 1 << 20

/** Describes the file on disk after a write. */
export interface WrittenFile {
  path: string
  sha256: string
  sizeBytes: number
}

/** Text at once, or text or bytes in pieces. */
type FileContent = string | Iterable<string | Buffer> | AsyncIterable<string | Buffer>

async function writeAll(handle: FileHandle, content: FileContent) {
  const hash = createHash('sha256')
  let sizeBytes = 0
  const write = async (bytes: Buffer): Promise<void> => {
    hash.update(bytes)
    sizeBytes += bytes.length
    await handle.writeFile(bytes)
  }
  let text = ''
  for await (const chunk of typeof content === 'string' ? [content] : content) {
    if (typeof chunk !== 'string') {
      await write(chunk)
      continue
    }
    text += chunk
    if (text.length < WRITE_CHARS) continue
    await write(Buffer.from(text))
    text = ''
  }
  if (text !== '') await write(Buffer.from(text))
  return { sha256: hash.digest('hex'), sizeBytes }
}

/** A failed write and sync do not know their file. */
const naming = (path: string, error: unknown): unknown =>
  error instanceof Error && 'code' in error && !('path' in error) ? Object.assign(error, { path }) : error

/** Names a hidden file beside a file: no reader of a folder takes one for a document. Short, because the name of the file may have any length. */
const neighbourOf = (path: string): string =>
  join(dirname(path), `.${basename(path).slice(0, 40)}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`)

/** Makes new names in a folder durable. */
async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder, and NTFS journals its names by itself.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Replaces a file whole or not at all: a neighbour is written, synced and renamed over it, then the folder is synced. Makes the folder.
 * `accept` may throw to cancel the write. Rejects with the system's error and leaves what was there.
 */
export async function writeAtomic(
  path: string,
  content: FileContent,
  accept: (written: WrittenFile) => void = () => undefined,
): Promise<WrittenFile> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  const temporary = neighbourOf(path)
  const handle = await open(temporary, 'wx')
  try {
    const written = { path, ...(await writeAll(handle, content)) }
    accept(written)
    await handle.sync()
    await handle.close()
    await rename(temporary, path)
    await syncFolder(folder)
    return written
  } catch (error) {
    await handle.close()
    await rm(temporary, { force: true })
    throw naming(path, error)
  }
}

/**
 * Writes a file whose name is free, whole or not at all, and makes file and name durable. Makes the folder. Rejects with code EEXIST where the
 * name is taken.
 */
export async function writeNew(path: string, content: string | Buffer): Promise<void> {
  const temporary = neighbourOf(path)
  await mkdir(dirname(path), { recursive: true })
  try {
    const handle = await open(temporary, 'wx')
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    if (!(await nameNew(temporary, path)))
      throw Object.assign(new Error(`${path} exists already`), { code: 'EEXIST', path })
  } catch (error) {
    throw naming(path, error)
  } finally {
    await rm(temporary, { force: true })
  }
  await syncFolder(dirname(path))
}

/** Gives a finished file its name unless that is taken: then false. */
export async function nameNew(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    // File systems without hard links, each with a code of its own: of two processes at the same moment the last one wins there.
    if ((await stat(path).catch(() => null)) !== null) return false
    await rename(temporary, path)
    return true
  }
}
