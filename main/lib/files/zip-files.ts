import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readFile, rm, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { finished } from 'node:stream/promises'
import { Zip, ZipDeflate } from 'fflate'
import { z } from 'zod'
import { Sha256 } from '../../../contract/common.ts'
import {
  checkDeclared,
  createUnpacker,
  directoryRange,
  localHeaderBytes,
  readDirectory,
  ZIP_BLOCK_BYTES,
  ZIP_LOCAL_BYTES,
  ZIP_TAIL_BYTES,
  ZipArchiveError,
  type ZipEntryInfo,
} from '../../../core/zip-archive.ts'
import { jsonIn } from '../../../core/json.ts'

// Zip files of any size: both ways stream, so that no file need fit into memory.

/** Bounds of an archive: far above what this program makes, far below what fills a disk unnoticed. */
const LIMITS = { bytes: 20 * 1024 ** 3, files: 300_000 }
const READ_BYTES = 256 * 1024
/** Longest directory: 300,000 files with names of 200 bytes need a third of it. */
const MOST_DIRECTORY_BYTES = 256 * 1024 ** 2

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

/** A file of an archive as it was written or unpacked. */
export interface WrittenEntry {
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

const FileList = z.looseObject({
  files: z.array(z.looseObject({ name: z.string(), sha256: Sha256 })),
})

/** The last entry of an archive: the checksum of each file before it. */
export const fileListEntry = (name: string): ZipEntry => ({
  name,
  text: (files) => `${JSON.stringify({ schema_version: 1, files }, null, 2)}\n`,
})

/** Compares what was unpacked with the list of that name in the folder, if it has one. Throws `ZipFileError`. */
export async function refuseChanged(
  folder: string,
  listName: string,
  unpacked: readonly WrittenEntry[],
  file: string,
): Promise<void> {
  if (!unpacked.some(({ name }) => name === listName)) return
  const list = FileList.safeParse(jsonIn(await readFile(join(folder, listName), 'utf8')))
  if (!list.success) throw new ZipFileError('file', `${listName} in ${file} is not of this version`)
  const left = new Map(unpacked.map(({ name, sha256 }) => [name, sha256]))
  left.delete(listName)
  for (const { name, sha256 } of list.data.files) {
    const found = left.get(name)
    left.delete(name)
    if (found === undefined) throw new ZipFileError('file', `${name}, which ${listName} lists, is missing in ${file}`)
    if (found !== sha256)
      throw new ZipFileError('file', `${name} in ${file} was changed after the export: its checksum differs`)
  }
  const [unlisted] = left.keys()
  if (unlisted !== undefined) throw new ZipFileError('file', `${unlisted} in ${file} is not in its list ${listName}`)
}

async function* piecesOf(entry: ZipEntry, written: readonly WrittenEntry[]): AsyncGenerator<Buffer> {
  if ('text' in entry) yield Buffer.from(entry.text(written))
  else yield* createReadStream(entry.file, { highWaterMark: READ_BYTES }) as AsyncIterable<Buffer>
}

/** A zip file that is open for reading: its files are known, and nothing is unpacked yet. */
export interface ZipReader {
  entries: readonly ZipEntryInfo[]
  /** The content of one file, in pieces. Throws `ZipFileError` where it differs from what the directory declares. */
  content(entry: ZipEntryInfo): AsyncGenerator<Uint8Array>
}

/**
 * Opens a zip file for `work`. `problemOf` returns why a file of a name is refused; null accepts it. Names, number, sizes and ratio are checked
 * first. Throws `ZipFileError`.
 */
export async function readZip<Result>(
  file: string,
  problemOf: (name: string) => string | null,
  work: (zip: ZipReader) => Promise<Result>,
): Promise<Result> {
  const handle = await open(file, 'r').catch(() => {
    throw new ZipFileError('file', `${file} cannot be read: correct the path`)
  })
  try {
    const entries = readDirectory(...(await readDirectoryBytes(handle)))
    if (entries.length === 0) throw new ZipArchiveError('no_archive', 'it holds no file')
    checkDeclared(entries, LIMITS)
    for (const { name } of entries) {
      const problem = problemOf(name)
      if (problem !== null) throw new ZipArchiveError('damaged', problem, name)
    }
    return await work({ entries, content: (entry) => unpacked(handle, entry) })
  } catch (error) {
    if (!(error instanceof ZipArchiveError)) throw error
    const { entry, message } = error
    throw new ZipFileError(
      'file',
      entry === null
        ? `${file} is not a zip file, or is damaged: ${message}`
        : `${JSON.stringify(entry)} in ${file} cannot be unpacked: ${message}`,
    )
  } finally {
    await handle.close()
  }
}

async function readDirectoryBytes(
  handle: FileHandle,
): Promise<[directory: Buffer, at: { start: number; shift: number }]> {
  const { size } = await handle.stat()
  const tail = await bytesAt(handle, Math.max(0, size - ZIP_TAIL_BYTES), Math.min(size, ZIP_TAIL_BYTES))
  const { start, length, shift } = directoryRange(tail, size)
  if (length > MOST_DIRECTORY_BYTES)
    throw new ZipArchiveError('too_large', `its directory has more than ${MOST_DIRECTORY_BYTES} bytes`)
  return [await bytesAt(handle, start, length), { start, shift }]
}

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  let read = 0
  while (read < length) {
    const { bytesRead } = await handle.read(buffer, read, length - read, position + read)
    if (bytesRead === 0) break
    read += bytesRead
  }
  return buffer.subarray(0, read)
}

async function* unpacked(handle: FileHandle, entry: ZipEntryInfo): AsyncGenerator<Uint8Array> {
  const start = entry.offset + localHeaderBytes(await bytesAt(handle, entry.offset, ZIP_LOCAL_BYTES), entry)
  const unpacker = createUnpacker(entry)
  for (let from = 0; from < entry.packedBytes; from += ZIP_BLOCK_BYTES)
    yield* unpacker.push(await bytesAt(handle, start + from, Math.min(ZIP_BLOCK_BYTES, entry.packedBytes - from)))
  unpacker.end()
}

/** Why a new file cannot have the name that an archive gives it. */
const NAME_PROBLEMS: Readonly<Record<string, string>> = {
  EEXIST: 'another name is the same, differs from it by upper and lower case only, or is a folder of it',
  EISDIR: 'another name has it as a folder',
  ENOTDIR: 'another name is a folder of it',
  ENAMETOOLONG: 'its path is too long for this disk',
}

/** A new file and its folders. Throws `ZipArchiveError` for names that do not go together, and the system's error for all else. */
async function createFile(target: string, { name }: ZipEntryInfo): Promise<FileHandle> {
  try {
    await mkdir(dirname(target), { recursive: true })
    return await open(target, 'wx')
  } catch (error) {
    const problem = NAME_PROBLEMS[(error as NodeJS.ErrnoException).code ?? '']
    if (problem === undefined) throw error
    throw new ZipArchiveError('damaged', problem, name)
  }
}

/**
 * Unpacks a zip file into a folder; returns what it held, with checksums. `problemOf` is that of `readZip`, and must accept only names that stay in
 * the folder. Throws `ZipFileError`; the caller removes the folder then.
 */
export async function unpackZip(
  file: string,
  folder: string,
  problemOf: (name: string) => string | null,
): Promise<WrittenEntry[]> {
  return readZip(file, problemOf, async (zip) => {
    const written: WrittenEntry[] = []
    for (const entry of zip.entries) {
      const output = await createFile(join(folder, ...entry.name.split('/')), entry)
      const hash = createHash('sha256')
      try {
        for await (const piece of zip.content(entry)) {
          hash.update(piece)
          await output.writeFile(piece)
        }
      } finally {
        await output.close()
      }
      written.push({ name: entry.name, sha256: hash.digest('hex'), size_bytes: entry.sizeBytes })
    }
    return written
  })
}

/** The content of a small file of an open archive. Throws `ZipFileError` where it is larger than `maxBytes`. */
export async function textOf(zip: ZipReader, entry: ZipEntryInfo, maxBytes: number): Promise<string> {
  if (entry.sizeBytes > maxBytes)
    throw new ZipArchiveError('too_large', `it has more than ${maxBytes} bytes`, entry.name)
  return Buffer.concat(await Array.fromAsync(zip.content(entry))).toString('utf8')
}
