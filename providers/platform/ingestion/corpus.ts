import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import type { Dirent } from 'node:fs'
import { lstat, open, readdir, realpath } from 'node:fs/promises'
import path from 'node:path'
import { defaultOf, SafeRelativePath } from '../../../contract/index.ts'
import { CorpusError } from './errors.ts'

/** A file of a corpus at discovery. */
export interface CorpusFile {
  /** Path below the corpus folder with forward slashes: the id of its document. */
  path: string
  sizeBytes: number
  sha256: string
  /** The bytes that were hashed; throws `CorpusError` when the file is not the same any more. */
  read(): Promise<Buffer>
}

export interface Corpus {
  files: CorpusFile[]
  totalBytes: number
  /** SHA-256 over the sorted paths and hashes of the files. */
  contentDigest: string
}

interface Found {
  path: string
  absolutePath: string
}

/**
 * Walks a folder below the corpus root and hashes its regular files in path order, hidden ones left out. Symbolic links, also in the
 * path to the folder, other special files, unreadable files and corpora over the limits throw `CorpusError` with the path.
 */
export async function discoverCorpus(
  corpusRoot: string,
  corpusPath: string,
  limits: CorpusLimits,
  signal?: AbortSignal,
): Promise<Corpus> {
  const folder = await openFolder(corpusRoot, corpusPath)
  const found: Found[] = []
  await walk(folder, '', corpusPath, limits, found, signal)
  if (found.length === 0) throw new CorpusError('empty', corpusPath, `corpus folder '${corpusPath}' has no files`)
  found.sort((left, right) => (left.path < right.path ? -1 : 1))
  const files: CorpusFile[] = []
  const digest = createHash('sha256')
  let totalBytes = 0
  for (const { path: name, absolutePath } of found) {
    signal?.throwIfAborted()
    const shown = `${corpusPath}/${name}`
    const { bytes, sha256 } = await hashFile(absolutePath, shown, limits.maxFileBytes)
    totalBytes += bytes
    if (totalBytes > limits.maxCorpusBytes) {
      throw new CorpusError(
        'corpus_too_large',
        shown,
        `corpus '${corpusPath}' is over ${limits.maxCorpusBytes} bytes at '${name}'`,
      )
    }
    digest.update(`${name}\0${sha256}\n`)
    files.push({
      path: name,
      sizeBytes: bytes,
      sha256,
      read: () => readUnchanged(absolutePath, shown, sha256, limits.maxFileBytes),
    })
  }
  return { files, totalBytes, contentDigest: digest.digest('hex') }
}

async function openFolder(corpusRoot: string, corpusPath: string): Promise<string> {
  if (!SafeRelativePath.safeParse(corpusPath).success) {
    throw new CorpusError(
      'bad_path',
      corpusPath,
      `corpus path '${corpusPath}' is not a relative path below the corpus root`,
    )
  }
  const root = await realpath(corpusRoot).catch((cause: unknown) => {
    throw new CorpusError('not_found', '.', `corpus root '${corpusRoot}' cannot be opened`, { cause })
  })
  let folder = root
  let walked = ''
  for (const part of corpusPath.split('/').filter((step) => step !== '.')) {
    folder = path.join(folder, part)
    walked = walked === '' ? part : `${walked}/${part}`
    const stats = await lstat(folder).catch((cause: unknown) => {
      throw new CorpusError('not_found', walked, `corpus folder '${walked}' does not exist`, { cause })
    })
    if (stats.isSymbolicLink()) throw symlink(walked)
    if (!stats.isDirectory()) throw new CorpusError('bad_path', walked, `'${walked}' is not a folder`)
  }
  return folder
}

async function walk(
  folder: string,
  prefix: string,
  corpusPath: string,
  limits: CorpusLimits,
  found: Found[],
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted()
  const shownFolder = prefix === '' ? corpusPath : `${corpusPath}/${prefix.slice(0, -1)}`
  // A parent that became a link after the check would lead elsewhere.
  const actual = await realpath(folder).catch((cause: unknown) => unreadable(shownFolder, cause))
  if (actual !== folder)
    throw new CorpusError('escape', shownFolder, `'${shownFolder}' leads out of the corpus root through a link`)
  const entries = await readdir(folder, { withFileTypes: true }).catch((cause: unknown) =>
    unreadable(shownFolder, cause),
  )
  for (const entry of entries) {
    if (entry.name.startsWith('.')) continue
    const name = `${prefix}${entry.name}`
    const absolutePath = path.join(folder, entry.name)
    if (entry.isDirectory()) {
      await walk(absolutePath, `${name}/`, corpusPath, limits, found, signal)
      continue
    }
    refuseSpecial(entry, `${corpusPath}/${name}`)
    if (found.length === limits.maxFiles) {
      throw new CorpusError(
        'too_many_files',
        corpusPath,
        `corpus '${corpusPath}' has more than ${limits.maxFiles} files`,
      )
    }
    found.push({ path: name, absolutePath })
  }
}

function refuseSpecial(entry: Dirent, shown: string): void {
  if (entry.isSymbolicLink()) throw symlink(shown)
  if (!entry.isFile()) throw new CorpusError('not_regular', shown, `'${shown}' is not a regular file`)
}

async function hashFile(
  absolutePath: string,
  shown: string,
  maxBytes: number,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const block of readBlocks(absolutePath, shown, maxBytes)) {
    hash.update(block)
    bytes += block.length
  }
  return { bytes, sha256: hash.digest('hex') }
}

async function readUnchanged(absolutePath: string, shown: string, sha256: string, maxBytes: number): Promise<Buffer> {
  const blocks: Buffer[] = []
  for await (const block of readBlocks(absolutePath, shown, maxBytes)) blocks.push(block)
  const content = Buffer.concat(blocks)
  if (createHash('sha256').update(content).digest('hex') === sha256) return content
  throw new CorpusError('unreadable', shown, `'${shown}' changed while it was being ingested`)
}

async function* readBlocks(absolutePath: string, shown: string, maxBytes: number): AsyncGenerator<Buffer> {
  // Not blocking: a pipe put in the file's place would make open wait for a writer. (Windows lacks both flags: undefined | 0 is 0.)
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(absolutePath, flags).catch((cause: unknown) => unreadable(shown, cause))
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new CorpusError('not_regular', shown, `'${shown}' is not a regular file`)
    if (stats.size > maxBytes) throw tooLarge(shown, maxBytes)
    let bytes = 0
    const buffer = Buffer.allocUnsafe(1024 * 1024)
    for (;;) {
      const { bytesRead } = await handle
        .read(buffer, 0, buffer.length, null)
        .catch((cause: unknown) => unreadable(shown, cause))
      if (bytesRead === 0) return
      bytes += bytesRead
      if (bytes > maxBytes) throw tooLarge(shown, maxBytes)
      yield Buffer.from(buffer.subarray(0, bytesRead))
    }
  } finally {
    await handle.close()
  }
}

const symlink = (shown: string): CorpusError => new CorpusError('symlink', shown, `'${shown}' is a symbolic link`)

const tooLarge = (shown: string, maxBytes: number): CorpusError =>
  new CorpusError('file_too_large', shown, `'${shown}' is over ${maxBytes} bytes`)

function unreadable(shown: string, cause: unknown): never {
  const { code } = cause as NodeJS.ErrnoException
  if (code === 'ELOOP') throw symlink(shown)
  throw new CorpusError('unreadable', shown, `'${shown}' cannot be read (${code ?? 'unknown error'})`, { cause })
}

/** Bounds of one discovery pass. */
export interface CorpusLimits {
  maxFileBytes: number
  maxCorpusBytes: number
  maxFiles: number
}

/** The declared limits. */
export const DEFAULT_CORPUS_LIMITS: CorpusLimits = {
  maxFileBytes: Number(defaultOf('RAG_INGESTION_MAX_FILE_BYTES')),
  maxCorpusBytes: Number(defaultOf('RAG_INGESTION_MAX_CORPUS_BYTES')),
  maxFiles: Number(defaultOf('RAG_INGESTION_MAX_FILES')),
}
