import { copyFile, mkdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { filesBelow } from '../../lib/files/files-below.ts'
import { nameNew } from '../../lib/files/write-atomic.ts'
import { CONSUMER_FILE } from '../experiment.ts'

/** The data of a project; the engine's files are beside it. */
const PARTS = ['manifests', 'corpus'] as const

/**
 * Copies the manifests and corpora of a `template`, which the program brings, into a folder. Files that are there are not changed. The file by
 * which a folder is a project comes last: a folder where a kill ended this is none, and the next start completes it.
 */
export async function makeProject(folder: string, template: string): Promise<void> {
  for (const part of PARTS)
    for (const name of await filesBelow(join(template, part)))
      if (`${part}/${name}` !== CONSUMER_FILE) await copyNew(join(template, part, name), join(folder, part, name))
  await copyNew(join(template, CONSUMER_FILE), join(folder, CONSUMER_FILE))
}

/** A copy gets its name when it is whole. */
async function copyNew(from: string, to: string): Promise<void> {
  const aside = join(dirname(to), `.${basename(to)}.part`)
  await mkdir(dirname(to), { recursive: true })
  await copyFile(from, aside)
  await nameNew(aside, to)
  await rm(aside, { force: true })
}
