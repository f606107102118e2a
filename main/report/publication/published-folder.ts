import { hash } from 'node:crypto'
import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'
import { isArtifactName, type ArtifactKind } from '../../evidence/files/artifact-files.ts'
import { writeAtomic } from '../../lib/files/write-atomic.ts'

// Published artifacts are committed, and every clone of the project carries them: rows repeat their contexts, so that Brotli, which looks back
// 16 MB, leaves a fortieth of them where gzip leaves a ninth. What reads rows at their offsets, the run index and the judges, reads copies below the state folder as they were before they were
// packed. Artifacts of earlier versions are not packed, and are read in the same way.

export const RESULTS_FOLDER = 'docs/results'

export const PACKED_ENDING = '.br'

/** Quality 9 takes a tenth of the time of 11 for a tenth more bytes. */
const PACKING = { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 } }

/** The summary stays as it is: readers of a folder need no more than it. */
const isPacked = (kind: ArtifactKind): boolean => kind !== 'evaluation'

/** An artifact as it is published: its name's ending, its bytes and their SHA-256. */
export interface PackedArtifact {
  ending: string
  bytes: Buffer
  sha256: string
}

/** The artifact of a kind as it is published. The same content gives the same bytes with one version of Node. */
export function packArtifact(kind: ArtifactKind, content: Buffer): PackedArtifact {
  const bytes = isPacked(kind) ? brotliCompressSync(content, PACKING) : content
  const sha256 = hash('sha256', bytes)
  return { ending: isPacked(kind) ? PACKED_ENDING : '', bytes, sha256 }
}

/** The name of an artifact before it was packed; null for the name of another file. */
export function unpackedName(name: string): string | null {
  const plain = name.endsWith(PACKED_ENDING) ? name.slice(0, -PACKED_ENDING.length) : name
  return isArtifactName(plain) ? plain : null
}

/** The content of a published file, unpacked. Rejects with the system's error, or zlib's for damage. */
export async function readPublished(file: string): Promise<Buffer> {
  const bytes = await readFile(file)
  return file.endsWith(PACKED_ENDING) ? brotliDecompressSync(bytes) : bytes
}

/** Returns what `use` makes of a published file: of a packed one, of its content in a file of a temporary folder. */
export async function unpackedForUse<Result>(file: string, use: (file: string) => Promise<Result>): Promise<Result> {
  if (!file.endsWith(PACKED_ENDING)) return use(file)
  const folder = await mkdtemp(join(tmpdir(), 'rag-ladder-unpacked-'))
  try {
    const target = join(folder, basename(file, PACKED_ENDING))
    await writeFile(target, await readPublished(file))
    return await use(target)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The folder in which a project's published artifacts are unpacked. */
export const unpackedFolder = (root: string): string => join(root, '.rag-ladder/published')

/**
 * Brings the folder of unpacked artifacts up to date: one that is new or has changed is unpacked, one whose published file is gone is removed.
 * A file that cannot be unpacked is left out, and `report` gets the reason.
 */
export const unpackPublished = (root: string, report: (problem: string) => void = () => undefined): Promise<void> =>
  unpackFolder(join(root, RESULTS_FOLDER), unpackedFolder(root), (name, why) =>
    report(`${RESULTS_FOLDER}/${name} ${damaged(why)}`),
  )

const damaged = (why: string): string => `cannot be unpacked (${why}): restore it from the project's history`

/** Returns what `use` makes of a folder of results: where its artifacts are packed, of a temporary copy in which they are not. */
export async function unpackedFolderForUse<Result>(
  folder: string,
  report: (problem: string) => void,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const names = await namesOf(folder)
  if (!names.some((name) => name.endsWith(PACKED_ENDING) && unpackedName(name) !== null)) return use(folder)
  const copy = await mkdtemp(join(tmpdir(), 'rag-ladder-unpacked-'))
  try {
    await unpackFolder(folder, copy, (name, why) => report(`${name} ${damaged(why)}`))
    return await use(copy)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

async function unpackFolder(from: string, to: string, report: (name: string, why: string) => void): Promise<void> {
  // In this order a packed file comes after one of an earlier version and the same name, and takes its place.
  const names = (await namesOf(from)).toSorted()
  const published = new Map(
    names.flatMap((name) => {
      const plain = unpackedName(name)
      return plain === null ? [] : [[plain, name]]
    }),
  )
  const stale = (await namesOf(to)).filter((name) => !published.has(name))
  await Promise.all(stale.map((name) => rm(join(to, name), { recursive: true, force: true })))
  if (published.size > 0) await mkdir(to, { recursive: true })
  for (const [plain, name] of published) {
    const [source, target] = [join(from, name), join(to, plain)]
    const { mtime } = await stat(source)
    if ((await stat(target).catch(() => null))?.mtimeMs === mtime.getTime()) continue
    try {
      await rm(target, { force: true })
      if (name === plain) await linkOrCopy(source, target)
      else await writeAtomic(target, [await readPublished(source)])
      await utimes(target, mtime, mtime)
    } catch (error) {
      report(name, (error as Error).message)
    }
  }
}

const namesOf = async (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

async function linkOrCopy(source: string, target: string): Promise<void> {
  await link(source, target).catch(async () => writeAtomic(target, [await readFile(source)]))
}
