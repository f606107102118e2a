import { createHash } from 'node:crypto'
import { access, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeWav } from '../../../kit/audio/wav-file.ts'
import { readDictionary } from '../adaptation/pronunciations.ts'
import { spokenSentences } from '../adaptation/spoken-sentences.ts'
import { findOnPath } from '../find-on-path.ts'
import { BackendUnavailableError, RECOGNISER_RATE } from '../recogniser.ts'
import type { Reading, SpeakerFitting } from '../recogniser.ts'
import { runSphinx } from '../run-sphinx.ts'
import { expandMixtureWeights } from './mixture-weights.ts'

/**
 * Weight of the general model against the readings, in frames of sound per density. Checked on sentences of which no figure is: of 1,326 words in the voice rms
 * 145 were wrong with the general model and 84 at this weight; half of it and three rounds of matching and fitting left 82, and in kal16 five more than this.
 */
const PRIOR_FRAMES = 2

/** What a fit changes of a model, by the recogniser's option for it. */
const FITTED = { '-mean': 'means', '-var': 'variances', '-tmat': 'transition_matrices', '-sendump': 'sendump' } as const

/** Options of the recognising programs that put a speaker's model in the place of the general one. */
export function fittedArguments(folder: string): string[] {
  return Object.entries(FITTED).flatMap(([option, file]) => [option, join(folder, file)])
}

/**
 * Maximum a posteriori adaptation (Gauvain and Lee 1994) of PocketSphinx's acoustic model by the programs of SphinxTrain: Baum-Welch counts of the
 * readings move means, variances, mixture weights and transitions as far as there is sound to say so.
 */
export async function openSphinxFitting(modelFolder: string, dictionaryFile: string): Promise<SpeakerFitting> {
  // A model that is kept in another form is no reason not to recognise by it.
  const model = await describe(modelFolder).catch((error: unknown) => String(error))
  let dictionary: Promise<ReadonlyMap<string, unknown>> | null = null
  const prepared = async (): Promise<Installation | string> => {
    if (typeof model === 'string') return `PocketSphinx's model in ${modelFolder} cannot be fitted: ${model}`
    const programs = await findTrainer()
    return typeof programs === 'string' ? programs : { programs, features: model.features, modelFolder, dictionaryFile }
  }
  return {
    basis: typeof model === 'string' ? '' : model.basis,
    async unavailability() {
      const installation = await prepared()
      return typeof installation === 'string' ? installation : null
    },
    async wordsOf(text) {
      dictionary ??= readFile(dictionaryFile, 'utf8').then(readDictionary)
      const known = await dictionary
      const words = spokenSentences(text).flat()
      return { words, unknown: words.filter((word) => !known.has(word)) }
    },
    async fit(readings, folder, signal) {
      const installation = await prepared()
      if (typeof installation === 'string') throw new BackendUnavailableError(installation)
      return fitModel(installation, readings, folder, signal)
    },
  }
}

/** What a fit starts from. Rejects where the model is of another kind or lacks a file. */
async function describe(modelFolder: string): Promise<{ features: ReadonlyMap<string, string>; basis: string }> {
  const features = await featureOptions(modelFolder)
  // Only models with one set of densities per phone have weights in the form that is read here.
  if (features.get('model') !== 'ptm') throw new Error('it is not of the kind ptm, as Debian’s pocketsphinx-en-us is')
  const hash = createHash('sha256')
  for (const file of Object.values(FITTED)) hash.update(await readFile(join(modelFolder, file)))
  return { features, basis: hash.digest('hex').slice(0, 32) }
}

interface Installation {
  programs: TrainingPrograms
  features: ReadonlyMap<string, string>
  modelFolder: string
  dictionaryFile: string
}

async function fitModel(
  installation: Installation,
  readings: readonly Reading[],
  target: string,
  signal: AbortSignal,
): Promise<number> {
  const { programs, modelFolder } = installation
  // Within the speaker's own folder: what a killed service leaves goes with it.
  const work = await mkdtemp(join(target, 'work-'))
  const files: Files = {
    work,
    definition: join(work, 'mdef.txt'),
    weights: join(work, WEIGHTS),
    counts: join(work, 'counts'),
    model: join(work, 'model'),
  }
  try {
    await train(programs.pocketsphinx_mdef_convert, ['-text', join(modelFolder, 'mdef'), files.definition], signal)
    await writeFile(files.weights, expandMixtureWeights(await readFile(join(modelFolder, 'sendump'))))
    await writeReadings(work, readings)
    await extractFeatures(installation, work, signal)
    const matched = await countReadings(installation, files, signal)
    if (matched === 0) return 0
    await adaptModel(installation, files, signal)
    for (const file of Object.values(FITTED)) await copyFile(join(files.model, file), join(target, file))
    return matched
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

const WEIGHTS = 'mixture_weights'
const CODEBOOKS = ['-ts2cbfn', '.ptm.']
/** What a model consists of: how the training programs call it, and its file. */
const PARAMETERS = [
  ['mean', 'means'],
  ['var', 'variances'],
  ['mixw', WEIGHTS],
  ['tmat', 'transition_matrices'],
] as const

/** A WAV file for each reading, the list of them, and their words. */
async function writeReadings(work: string, readings: readonly Reading[]): Promise<void> {
  const names = readings.map((_, i) => `r${String(i).padStart(5, '0')}`)
  for (const [i, { sound }] of readings.entries()) await writeFile(join(work, `${names[i]!}.wav`), encodeWav(sound))
  const lines = readings.map(({ words }, i) => `<s> ${words.join(' ')} </s> (${names[i]!})\n`)
  await writeFile(join(work, 'list'), names.map((name) => `${name}\n`).join(''))
  await writeFile(join(work, 'words'), lines.join(''))
}

async function extractFeatures({ programs, modelFolder }: Installation, work: string, signal: AbortSignal) {
  const parameters = ['-argfile', join(modelFolder, 'feat.params'), '-samprate', `${RECOGNISER_RATE}`]
  // As recordings are heard: with their silence.
  const input = ['-c', join(work, 'list'), '-di', work, '-ei', 'wav', '-mswav', 'yes', '-remove_silence', 'no']
  await train(programs.sphinx_fe, [...parameters, ...input, '-do', work, '-eo', 'mfc'], signal)
}

/** Places of a fit's files. */
interface Files {
  work: string
  /** Of the general model: its states as text, and its weights as the training programs read them. */
  definition: string
  weights: string
  counts: string
  /** A folder of the fitted model. */
  model: string
}

/** Matches the readings to their words and counts what each density takes of them; how many of the readings matched. */
async function countReadings(
  { programs, features, modelFolder, dictionaryFile }: Installation,
  { work, definition, weights, counts }: Files,
  signal: AbortSignal,
): Promise<number> {
  await mkdir(counts)
  const sound = ['-feat', '-svspec', '-agc', '-varnorm'].flatMap((option) => {
    const value = features.get(option.slice(1))
    return value === undefined ? [] : [option, value]
  })
  const words = ['-dictfn', dictionaryFile, '-fdictfn', join(modelFolder, 'noisedict'), '-lsnfn', join(work, 'words')]
  const input = ['-ctlfn', join(work, 'list'), '-cepdir', work, '-cepext', 'mfc', '-cmn', 'current', ...sound, ...words]
  const model = ['-moddeffn', definition, ...CODEBOOKS, ...PARAMETERS.flatMap(general(modelFolder, weights))]
  const printed = await train(programs.bw, [...model, ...input, '-accumdir', counts, '-timing', 'no'], signal)
  // A line for each: number, name, frames and states; the likelihoods only where the words were matched to the sound.
  return printed.split('\n').filter((line) => /^utt>\s+\d+\s+r\d+(\s+\S+){8,}/.test(line)).length
}

async function adaptModel(
  { programs, modelFolder }: Installation,
  { definition, weights, counts, model }: Files,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(model)
  const from = ['-moddeffn', definition, ...CODEBOOKS, ...PARAMETERS.flatMap(general(modelFolder, weights))]
  const to = PARAMETERS.flatMap(([name, file]) => [`-map${name}fn`, join(model, file)])
  const prior = ['-accumdir', counts, '-fixedtau', 'yes', '-tau', `${PRIOR_FRAMES}`]
  await train(programs.map_adapt, [...from, ...prior, ...to], signal)
  const compressed = ['-moddeffn', definition, '-mixwfn', join(model, WEIGHTS), '-sendumpfn', join(model, 'sendump')]
  await train(programs.mk_s2sendump, ['-pocketsphinx', 'yes', ...compressed], signal)
}

/** Options of the training programs for a parameter of the general model. */
function general(modelFolder: string, weights: string) {
  return ([name, file]: (typeof PARAMETERS)[number]): string[] => [
    `-${name}fn`,
    file === WEIGHTS ? weights : join(modelFolder, file),
  ]
}

function train(program: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  return runSphinx(program, args, signal, TRAINING_PACKAGES)
}

/** Places of the programs that packages keep out of the search path. */
const FOLDERS = [
  '/usr/lib/sphinxtrain',
  '/usr/libexec/sphinxtrain',
  '/usr/local/lib/sphinxtrain',
  '/usr/local/libexec/sphinxtrain',
  '/opt/homebrew/libexec/sphinxtrain',
]
/** Of Debian. */
const TRAINING_PACKAGES = 'sphinxtrain sphinxbase-utils'
const TRAINING = ['bw', 'map_adapt', 'mk_s2sendump'] as const
const ON_PATH = ['sphinx_fe', 'pocketsphinx_mdef_convert'] as const

/** Where each of the programs is that fit a model. */
type TrainingPrograms = Readonly<Record<(typeof TRAINING)[number] | (typeof ON_PATH)[number], string>>

/** The programs; a sentence on what is missing where one is. */
async function findTrainer(folders: readonly string[] = FOLDERS): Promise<TrainingPrograms | string> {
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
async function featureOptions(modelFolder: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(modelFolder, 'feat.params'), 'utf8')
  return new Map([...text.matchAll(/^-(\w+)[ \t]+(\S+)/gm)].map(([, name, value]) => [name!, value!]))
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
