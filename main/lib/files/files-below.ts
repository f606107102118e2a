import { readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'

/** The files below a folder: their paths in it, with slashes, sorted. Links are neither followed nor listed. Rejects with the system's error. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()
}
