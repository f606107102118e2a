import { createHash, hash } from 'node:crypto'
import { constants } from 'node:fs'
import type { Dirent } from 'node:fs'
import { lstat, open, readdir, realpath } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { SafeRelativePath } from '../../../contract/common.ts'
import { corpusDigestLine } from '../../../contract/evidence/provenance.ts'
import { OWN_CORPUS } from '../../../contract/manifests/datasets.ts'
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

/** A file of a listing: where it is and by what a change of it shows. */
interface Listed {
  path: string
  absolutePath: string
  state: FileState
}

/** Describes what identifies an unchanged file without reading it. Times in nanoseconds since 1970. */
export interface FileState {
  sizeBytes: number
  modifiedNs: bigint
  changedNs: bigint
  inode: bigint
}

/** Hashes of files as they were read before, by absolute path and state. */
export interface KnownHashes {
  get(absolutePath: string, state: FileState): Promise<string | null>
  put(hashes: readonly { absolutePath: string; state: FileState; sha256: string }[]): Promise<void>
}

/** A corpus folder as it is listed, none of its files read. */
export interface CorpusListing {
  corpusPath: string
  files: readonly Listed[]
  totalBytes: number
  /** SHA-256 over the sorted paths and states of the files. */
  stateDigest: string
}

/** Sets how many files are looked at or looked up before other requests get their turn. */
const AT_ONCE = 64

/**
 * Walks a folder below the corpus root and lists its regular files in path order, hidden ones left out. Symbolic links, also in the path to
 * the folder, other special files and corpora over the limits throw `CorpusError` with the path.
 */
export async function listCorpus(
  roots: CorpusRoots,
  corpusPath: string,
  limits: CorpusLimits,
  signal?: AbortSignal,
): Promise<CorpusListing> {
  const folder = await openFolder(roots, corpusPath)
  const found: Pick<Listed, 'path' | 'absolutePath'>[] = []
  await walk(folder, '', corpusPath, limits, found, signal)
  if (found.length === 0) throw new CorpusError('empty', corpusPath, `corpus folder '${corpusPath}' has no files`)
  found.sort((left, right) => (left.path < right.path ? -1 : 1))
  const files: Listed[] = []
  const digest = createHash('sha256')
  let totalBytes = 0
  for (let from = 0; from < found.length; from += AT_ONCE) {
    signal?.throwIfAborted()
    const some = found.slice(from, from + AT_ONCE)
    const states = await Promise.all(some.map((file) => stateOf(file.absolutePath, `${corpusPath}/${file.path}`)))
    for (const [at, state] of states.entries()) {
      const file = some[at]!
      const shown = `${corpusPath}/${file.path}`
      if (state.sizeBytes > limits.maxFileBytes) throw tooLarge(shown, limits.maxFileBytes)
      totalBytes += state.sizeBytes
      if (totalBytes > limits.maxCorpusBytes) throw corpusTooLarge(corpusPath, file.path, limits.maxCorpusBytes)
      digest.update(`${file.path}\0${state.sizeBytes} ${state.modifiedNs} ${state.changedNs} ${state.inode}\n`)
      files.push({ ...file, state })
    }
  }
  return { corpusPath, files, totalBytes, stateDigest: digest.digest('hex') }
}

/** Describes what may be read to learn the digest of a listing. */
export interface ReadingBudget {
  files: number
  bytes: number
}

/** The digest of a listing whose unknown files are within the budget; null when more would have to be read. */
export async function digestWithin(
  listing: CorpusListing,
  limits: CorpusLimits,
  known: KnownHashes,
  budget: ReadingBudget,
): Promise<string | null> {
  let { files, bytes } = budget
  for (const [at, { absolutePath, state }] of listing.files.entries()) {
    if (at % AT_ONCE === 0) await nextTurn()
    if ((await known.get(absolutePath, state)) !== null) continue
    files -= 1
    bytes -= state.sizeBytes
    if (files < 0 || bytes < 0) return null
  }
  return (await hashCorpus(listing, limits, known)).contentDigest
}

/**
 * Hashes the files of a listing, those that are known without reading them. Throws `CorpusError` for files that cannot be read or have grown
 * over the limits.
 */
export async function hashCorpus(
  listing: CorpusListing,
  limits: CorpusLimits,
  known: KnownHashes | null = null,
  signal?: AbortSignal,
  onProgress: (files: number) => void = () => undefined,
): Promise<Corpus> {
  const { corpusPath } = listing
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES)
  const files: CorpusFile[] = []
  const digest = createHash('sha256')
  let totalBytes = 0
  let read: { absolutePath: string; state: FileState; sha256: string }[] = []
  const store = async () => {
    await known?.put(read)
    read = []
  }
  for (const { path: name, absolutePath, state } of listing.files) {
    signal?.throwIfAborted()
    if (files.length % AT_ONCE === 0) await nextTurn()
    const shown = `${corpusPath}/${name}`
    const knownHash = (await known?.get(absolutePath, state)) ?? null
    const { bytes, sha256 } =
      knownHash === null
        ? await hashFile(absolutePath, shown, limits.maxFileBytes, buffer)
        : { bytes: state.sizeBytes, sha256: knownHash }
    // A file that was being written has another size than listed: what was read is not what is there.
    if (knownHash === null && bytes === state.sizeBytes) read.push({ absolutePath, state, sha256 })
    if (read.length === STORED_AT_ONCE) await store()
    totalBytes += bytes
    if (totalBytes > limits.maxCorpusBytes) throw corpusTooLarge(corpusPath, name, limits.maxCorpusBytes)
    digest.update(corpusDigestLine(name, sha256))
    files.push({
      path: name,
      sizeBytes: bytes,
      sha256,
      read: () => readUnchanged(absolutePath, shown, sha256, limits.maxFileBytes),
    })
    onProgress(files.length)
  }
  await store()
  return { files, totalBytes, contentDigest: digest.digest('hex') }
}

const BLOCK_BYTES = 256 * 1024
const STORED_AT_ONCE = 500

async function stateOf(absolutePath: string, shown: string): Promise<FileState> {
  const stats = await lstat(absolutePath, { bigint: true }).catch((cause: unknown) => unreadable(shown, cause))
  if (stats.isSymbolicLink()) throw symlink(shown)
  if (!stats.isFile()) throw new CorpusError('not_regular', shown, `'${shown}' is not a regular file`)
  return { sizeBytes: Number(stats.size), modifiedNs: stats.mtimeNs, changedNs: stats.ctimeNs, inode: stats.ino }
}

/** Folders that corpus paths are relative to: the project's corpus, and for paths that begin with `@datasets/` a person's own datasets. */
export interface CorpusRoots {
  project: string
  own: string | null
}

async function openFolder(roots: CorpusRoots, corpusPath: string): Promise<string> {
  const isOwn = corpusPath.startsWith(`${OWN_CORPUS}/`)
  const corpusRoot = isOwn ? roots.own : roots.project
  if (corpusRoot === null)
    throw new CorpusError('not_found', corpusPath, `this platform has no folder for '${OWN_CORPUS}'`)
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
  let walked = isOwn ? OWN_CORPUS : ''
  for (const part of corpusPath
    .split('/')
    .slice(isOwn ? 1 : 0)
    .filter((step) => step !== '.')) {
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
  found: Pick<Listed, 'path' | 'absolutePath'>[],
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
        `corpus '${corpusPath}' has more than ${limits.maxFiles} files. Raise RAG_INGESTION_MAX_FILES, or ingest a folder with fewer`,
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
  buffer: Buffer,
): Promise<{ bytes: number; sha256: string }> {
  const handle = await openFile(absolutePath, shown, maxBytes)
  try {
    const hash = createHash('sha256')
    let bytes = 0
    for (;;) {
      const { bytesRead } = await handle
        .read(buffer, 0, buffer.length, null)
        .catch((cause: unknown) => unreadable(shown, cause))
      if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') }
      bytes += bytesRead
      if (bytes > maxBytes) throw tooLarge(shown, maxBytes)
      hash.update(buffer.subarray(0, bytesRead))
    }
  } finally {
    await handle.close()
  }
}

async function readUnchanged(absolutePath: string, shown: string, sha256: string, maxBytes: number): Promise<Buffer> {
  const handle = await openFile(absolutePath, shown, maxBytes)
  try {
    const content = await handle.readFile().catch((cause: unknown) => unreadable(shown, cause))
    if (hash('sha256', content) === sha256) return content
    throw new CorpusError('unreadable', shown, `'${shown}' changed while it was being ingested`)
  } finally {
    await handle.close()
  }
}

async function openFile(absolutePath: string, shown: string, maxBytes: number): Promise<FileHandle> {
  // Not blocking: a pipe put in the file's place would make open wait for a writer. (Windows lacks both flags: undefined | 0 is 0.)
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(absolutePath, flags).catch((cause: unknown) => unreadable(shown, cause))
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new CorpusError('not_regular', shown, `'${shown}' is not a regular file`)
    if (stats.size > maxBytes) throw tooLarge(shown, maxBytes)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

const symlink = (shown: string): CorpusError => new CorpusError('symlink', shown, `'${shown}' is a symbolic link`)

const tooLarge = (shown: string, maxBytes: number): CorpusError =>
  new CorpusError(
    'file_too_large',
    shown,
    `'${shown}' is over ${maxBytes} bytes. Raise RAG_INGESTION_MAX_FILE_BYTES, or split the file`,
  )

const corpusTooLarge = (corpusPath: string, name: string, maxBytes: number): CorpusError =>
  new CorpusError(
    'corpus_too_large',
    `${corpusPath}/${name}`,
    `corpus '${corpusPath}' is over ${maxBytes} bytes at '${name}'. Raise RAG_INGESTION_MAX_CORPUS_BYTES, or ingest a smaller folder`,
  )

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
