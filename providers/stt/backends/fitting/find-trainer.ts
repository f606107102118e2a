import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findOnPath } from '../find-on-path.ts'

/** Places of the programs that packages keep out of the search path. */
const FOLDERS = [
  '/usr/lib/sphinxtrain',
  '/usr/libexec/sphinxtrain',
  '/usr/local/lib/sphinxtrain',
  '/usr/local/libexec/sphinxtrain',
  '/opt/homebrew/libexec/sphinxtrain',
]
/** Of Debian. */
export const TRAINING_PACKAGES = 'sphinxtrain sphinxbase-utils'
const TRAINING = ['bw', 'map_adapt', 'mk_s2sendump'] as const
const ON_PATH = ['sphinx_fe', 'pocketsphinx_mdef_convert'] as const

/** Where each of the programs is that fit a model. */
export type TrainingPrograms = Readonly<Record<(typeof TRAINING)[number] | (typeof ON_PATH)[number], string>>

/** The programs; a sentence on what is missing where one is. */
export async function findTrainer(folders: readonly string[] = FOLDERS): Promise<TrainingPrograms | string> {
  const found: Record<string, string> = {}
  for (const name of TRAINING)
    for (const folder of folders)
      if (!(name in found) && (await isThere(join(folder, name)))) found[name] = join(folder, name)
  for (const name of ON_PATH) {
    const program = await findOnPath(name)
    if (program !== null) found[name] = program
  }
  const missing = [...TRAINING, ...ON_PATH].filter((name) => !(name in found))
  if (missing.length === 0) return found as TrainingPrograms
  return `Of CMU Sphinx these are not installed: ${missing.join(', ')}; on Debian: apt-get install ${TRAINING_PACKAGES}`
}

/** What the acoustic model in a folder says of its sound features: options of the training programs by name, without the dash. */
export async function featureOptions(modelFolder: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(modelFolder, 'feat.params'), 'utf8')
  return new Map([...text.matchAll(/^-(\w+)[ \t]+(\S+)/gm)].map(([, name, value]) => [name!, value!]))
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
