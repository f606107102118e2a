import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { Unzip, UnzipInflate, Zip, ZipDeflate } from 'fflate'

// Zip files of any size: both ways stream, so that no file need fit into memory.

/** Bounds of an archive: far above what this program makes, far below what fills a disk unnoticed. */
const MAX_BYTES = 20 * 1024 ** 3
const MAX_FILES = 300_000
const READ_BYTES = 256 * 1024

/** A zip file cannot be written or unpacked; `path` names the side that is wrong. */
export class ZipFileError extends Error {
  override readonly name = 'ZipFileError'
  readonly path: 'out' | 'file'

  constructor(path: 'out' | 'file', message: string) {
    super(message)
    this.path = path
  }
}

/** A file on disk, or a text that is made when its turn comes, from what was written before it. */
export type ZipEntry =
  | { name: string; file: string }
  | { name: string; text: (written: readonly WrittenEntry[]) => string }

interface WrittenEntry {
  name: string
  sha256: string
  size_bytes: number
}

/** Writes entries in order to a zip file that is not there yet. Throws `ZipFileError`, and the system's error; nothing is left then. */
export async function writeZip(target: string, entries: readonly ZipEntry[]): Promise<WrittenEntry[]> {
  const written: WrittenEntry[] = []
  const output = createWriteStream(target, { flags: 'wx' })
  const failed = new Promise<never>((_, reject) => output.once('error', reject))
  const ended = finished(output)
  // Awaited at the end; until then a failure is met by the next write.
  ended.catch(() => undefined)
  failed.catch(() => undefined)
  try {
    const zip = new Zip((error, bytes, isLast) => {
      if (error !== null) return void output.destroy(error)
      output.write(bytes)
      if (isLast) output.end()
    })
    for (const each of entries) {
      const entry = new ZipDeflate(each.name, { level: 6 })
      zip.add(entry)
      const hash = createHash('sha256')
      let size = 0
      for await (const bytes of piecesOf(each, written)) {
        hash.update(bytes)
        size += bytes.length
        entry.push(bytes)
        if (output.writableNeedDrain)
          await Promise.race([new Promise<void>((done) => output.once('drain', () => done())), failed])
      }
      entry.push(new Uint8Array(0), true)
      written.push({ name: each.name, sha256: hash.digest('hex'), size_bytes: size })
    }
    zip.end()
    await ended
  } catch (error) {
    output.destroy()
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new ZipFileError('out', `${target} exists: name another file`)
    await rm(target, { force: true })
    throw error
  }
  return written
}

async function* piecesOf(entry: ZipEntry, written: readonly WrittenEntry[]): AsyncGenerator<Buffer> {
  if ('text' in entry) yield Buffer.from(entry.text(written))
  else yield* createReadStream(entry.file, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>
}

/**
 * Unpacks a zip file into a folder. `problemOf` returns why an entry of a name is refused; null accepts it, and must be given only for names that
 * stay in the folder. Throws `ZipFileError`; the caller removes the folder then.
 */
export async function unpackZip(
  file: string,
  folder: string,
  problemOf: (name: string) => string | null,
): Promise<void> {
  const refuse = (name: string, why: string): ZipFileError =>
    new ZipFileError('file', `${JSON.stringify(name)} in ${file} cannot be unpacked: ${why}`)
  let bytes = 0
  let files = 0
  const problems: Error[] = []
  /** Writes are made in order while the archive is read. */
  let writes = Promise.resolve()
  const queue = (work: () => Promise<void>): void => {
    writes = writes.then(work).catch((error: unknown) => {
      problems.push(error as Error)
    })
  }
  const unzip = new Unzip((entry) => {
    if (entry.name.endsWith('/')) return
    const why = problemOf(entry.name)
    files += 1
    if (why !== null || files > MAX_FILES) {
      problems.push(refuse(entry.name, why ?? `the archive has more than ${MAX_FILES} files`))
      return
    }
    const target = join(folder, ...entry.name.split('/'))
    let handle: FileHandle | null = null
    queue(async () => {
      await mkdir(dirname(target), { recursive: true })
      handle = await open(target, 'wx')
    })
    entry.ondata = (error, chunk, isLast) => {
      if (error !== null) {
        problems.push(refuse(entry.name, `it is damaged (${error.message})`))
        return
      }
      bytes += chunk.length
      if (bytes > MAX_BYTES) problems.push(refuse(entry.name, `the archive holds more than ${MAX_BYTES} bytes`))
      const copy = Buffer.from(chunk)
      queue(async () => {
        await handle?.writeFile(copy)
        if (isLast) await handle?.close()
      })
    }
    entry.start()
  })
  unzip.register(UnzipInflate)
  const { size } = await stat(file).catch(() => {
    throw new ZipFileError('file', `${file} cannot be read: correct the path`)
  })
  let read = 0
  for await (const part of createReadStream(file, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>) {
    read += part.length
    try {
      unzip.push(part, read === size)
    } catch (error) {
      problems.push(new ZipFileError('file', `${file} is not a zip file, or is damaged (${(error as Error).message})`))
    }
    await writes
    if (problems.length > 0) break
  }
  await writes
  if (problems[0] !== undefined) throw problems[0]
  if (files === 0) throw new ZipFileError('file', `${file} is not a zip file, or is empty`)
}
