import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'

/** The data of a project; the engine's files are beside it. */
const PARTS = ['manifests', 'corpus'] as const

/** Copies the manifests and corpora of a `template`, which the program brings, into a folder. Files that are there are not changed. */
export async function makeProject(folder: string, template: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const part of PARTS)
    await cp(join(template, part), join(folder, part), { recursive: true, force: false, errorOnExist: false })
}
