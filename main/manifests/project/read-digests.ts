// Digests of what a run reads of its project, by file or folder. They tell without git whether code and data are still what a result was made by.
import { createHash, hash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { hashContent, partOf, type ReadFiles } from './git-state.ts'

/** Returns a SHA-256 for each file, folder and manifest that is read, and for the documents. A test of the program counts for nothing. */
export async function readDigests(root: string, reads: ReadFiles): Promise<Record<string, string>> {
  const contents = await Promise.all(
    [...reads.files, reads.corpus].map(async (path) => [path, await contentDigest(join(root, path))] as const),
  )
  const manifests = await Promise.all(
    reads.manifests.map(async (manifest) => {
      const part = partOf(manifest, await readFile(join(root, manifest.file), 'utf8').catch(() => null))
      return [manifest.file, hash('sha256', part ?? 'absent')] as const
    }),
  )
  return Object.fromEntries([...contents, ...manifests].toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Hashes a file, or every file below a folder with its name. */
async function contentDigest(path: string): Promise<string> {
  const digest = createHash('sha256')
  const isFolder = (await stat(path).catch(() => null))?.isDirectory() === true
  if (!isFolder) await hashContent(path, digest)
  else
    for (const file of await filesBelow(path)) {
      digest.update(`\0${relative(path, file).split(sep).join('/')}\0`)
      await hashContent(file, digest)
    }
  return digest.digest('hex')
}

/** Files below a folder, sorted, without tests. Links are not followed. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}
