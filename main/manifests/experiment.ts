// The manifests are the experiment as data. In: the YAML files of a project and a person's own ones beside them. Out: an `Experiment`, validated file by
// file and across files, or a `ManifestError` that names file, line and remedy.
//   1. load-manifest.ts reads one file, checks it against its schema, and hashes it.
//   2. datasets/load-datasets.ts reads the catalogue and datasets with a file of their own; datasets/question-file.ts reads their questions.
//   3. This file joins aliases, flavors, models and profiles, and refuses what does not fit together. An unusable dataset refuses only runs that name it.
//   4. selection.ts chooses datasets and approaches for a run; runner-inputs.ts reads what the environment decides.
//   5. project/provenance.ts records what a row was made with: hashes, commits, models. datasets/corpus-digest.ts hashes the documents.
// datasets/own-datasets.ts, own-flavors.ts and models/connections.ts write what a person declares, through edit-own-file.ts.
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { z } from 'zod'
import { CANONICAL_APPROACHES } from '../../contract/approaches.ts'
import { fieldPath } from '../../core/issues.ts'
import { readOwnApproaches, withOwnApproaches, type OwnApproaches } from '../../core/own-approaches/read-approaches.ts'
import { joinAliases, takenNames, withOwnFlavors, type Alias } from '../../contract/manifests/aliases.ts'
import { ConsumerManifest, type IngestionProfile } from '../../contract/manifests/consumer.ts'
import { DATASETS_FOLDER, OWN_CORPUS, type Dataset } from '../../contract/manifests/datasets.ts'
import { EvaluationManifest } from '../../contract/manifests/evaluation.ts'
import { FlavorsManifest, OWN_FLAVORS_FILE, OwnFlavorsFile } from '../../contract/manifests/flavors.ts'
import type { Connection } from '../../contract/manifests/model-connections.ts'
import {
  ModelsFile,
  OWN_MODELS_FILE,
  OwnModelsFile,
  joinModels,
  type DeclaredSet,
  type ModelsManifest,
} from '../../contract/manifests/models.ts'
import { QueryFile, type Question } from '../../contract/manifests/queries.ts'
import { readDatasets, separateUnusable, type DeclaredDataset, type UnusableDataset } from './datasets/load-datasets.ts'
import { loadManifest } from './load-manifest.ts'
import { ManifestError } from './manifest-error.ts'

export const CONSUMER_FILE = 'manifests/consumer.yaml'
export const MODELS_FILE = 'manifests/models.yaml'
export const EVALUATION_FILE = 'manifests/evaluation.yaml'

/** The file that holds a set of models: a person's own, else the project's. */
export const modelsFileOf = ({ ownModelSets }: Pick<Experiment, 'ownModelSets'>, set: string): string =>
  ownModelSets.includes(set) ? OWN_MODELS_FILE : MODELS_FILE

export interface LadderDataset {
  dataset: Dataset
  /** Manifest that declares it, relative to the project folder. */
  declaredIn: string
  profile: IngestionProfile
  questions: Question[]
  /** That of the experiment; absent where it sets none. */
  equivalenceMargin?: number
}

/** All manifests of a project folder, validated alone and against each other. */
export interface Experiment {
  root: string
  evaluationFile: string
  evaluation: EvaluationManifest
  /** Its ingestion profiles include those that dataset files declare. */
  consumer: ConsumerManifest
  /** The project's sets and a person's own. */
  models: ModelsManifest
  /** The same sets as they are written. */
  declaredSets: Record<string, DeclaredSet>
  /** The project's sets alone, as configurations are hashed. */
  projectModels: ModelsManifest
  /** Names of the sets that are a person's own. */
  ownModelSets: string[]
  connections: Record<string, Connection>
  ownConnections: string[]
  /** The project's aliases and, after them, a person's own. */
  aliases: Map<string, Alias>
  /** Names of the flavors that are a person's own. */
  ownAliases: string[]
  /** Files of own approaches; their aliases are after the others. */
  ownApproaches: OwnApproaches
  datasets: LadderDataset[]
  /** Datasets that only a run which names them is refused for. */
  unusable: UnusableDataset[]
}

export interface ExperimentFiles {
  evaluationFile?: string
  /** Replaces the questions file of the dataset that it names. */
  queriesFile?: string
}

/** The files that variables name instead of the usual ones. */
export const experimentFiles = (inputs: {
  manifestFile: string | null
  queriesFile: string | null
}): ExperimentFiles => ({
  ...(inputs.manifestFile === null ? {} : { evaluationFile: inputs.manifestFile }),
  ...(inputs.queriesFile === null ? {} : { queriesFile: inputs.queriesFile }),
})

function checkApproaches(evaluation: EvaluationManifest, aliases: Map<string, Alias>, file: string): void {
  const problems = evaluation.approaches.flatMap(({ model, evidence }, index) => {
    const alias = aliases.get(model)
    if (alias === undefined) return [`approaches[${index}].model: ${model} is not an alias of ${CONSUMER_FILE}`]
    if (alias.evidence !== evidence)
      return [
        `approaches[${index}].evidence: ${evidence}, but ${CONSUMER_FILE} declares ${alias.evidence} for ${model}`,
      ]
    return []
  })
  const listed = evaluation.approaches.map(({ model }) => model)
  for (const [index, model] of listed.entries())
    if (listed.indexOf(model) !== index)
      problems.push(`approaches[${index}].model: ${model} is listed twice: remove one of them`)
  const missing = CANONICAL_APPROACHES.filter((model) => !listed.includes(model))
  if (missing.length > 0)
    problems.push(`approaches: ${missing.join(', ')} missing: list the six canonical approaches with their evidence`)
  if (problems.length > 0) throw new ManifestError(file, problems)
}

/** The consumer manifest with the profiles of dataset files, which have the names of their datasets. */
function withOwnProfiles(consumer: ConsumerManifest, datasets: readonly LadderDataset[]): ConsumerManifest {
  const names = new Set(consumer.ingestion_profiles.map(({ name }) => name))
  const added = datasets.map(({ profile }) => profile).filter(({ name }) => !names.has(name))
  return { ...consumer, ingestion_profiles: [...consumer.ingestion_profiles, ...added] }
}

async function joinDataset(
  root: string,
  { dataset, file, own }: DeclaredDataset,
  consumer: ConsumerManifest,
  override: Question[] | null,
): Promise<LadderDataset> {
  const named = consumer.ingestion_profiles.some(({ name }) => name === own?.profile.name)
  if (named)
    throw new ManifestError(file, [
      `its ingestion profile has the name ${dataset.id}, which ${CONSUMER_FILE} declares too: remove that one`,
    ])
  if (own !== null) return { dataset, declaredIn: file, profile: own.profile, questions: override ?? own.questions }
  const profile = consumer.ingestion_profiles.find((candidate) => candidate.name === dataset.ingestion_profile)
  if (profile === undefined)
    throw new ManifestError(file, [
      `${dataset.id}: ingestion_profile ${dataset.ingestion_profile} is not in ${CONSUMER_FILE}`,
    ])
  // Paths below corpus/ are what the platform ingests; rows name the catalogue's.
  const ingested = `corpus/${profile.corpus.path}`
  if (resolve(root, dataset.corpus_path) !== resolve(root, ingested))
    throw new ManifestError(file, [
      `${dataset.id}.corpus_path: ${dataset.corpus_path}, but its ingestion profile ${profile.name} in ${CONSUMER_FILE} reads ${ingested}: name the same folder in both`,
    ])
  if (override !== null) return { dataset, declaredIn: file, profile, questions: override }
  const queries = await loadManifest(root, dataset.queries_file, QueryFile, `${dataset.id}.queries_file in ${file}`)
  if (queries.dataset_id !== dataset.id)
    throw new ManifestError(dataset.queries_file, [
      `dataset_id: ${queries.dataset_id}, but the catalogue reads it for ${dataset.id}`,
    ])
  return { dataset, declaredIn: file, profile, questions: queries.queries }
}

type LoadedModels = Pick<
  Experiment,
  'models' | 'declaredSets' | 'projectModels' | 'ownModelSets' | 'connections' | 'ownConnections'
>

/** The model sets and connections of a project and of the person who works in it. Throws `ManifestError`. */
export async function loadModels(root: string): Promise<LoadedModels> {
  const project = await loadManifest(root, MODELS_FILE, ModelsFile)
  const own = await loadOwn(root, OWN_MODELS_FILE, OwnModelsFile)
  const { models, declaredSets, connections, ownSets, ownConnections, problems } = joinModels(project, own)
  for (const [file, found] of [
    [MODELS_FILE, problems.ofProject],
    [OWN_MODELS_FILE, problems.ofPerson],
  ] as const)
    if (found.length > 0)
      throw new ManifestError(
        file,
        found.map(({ path, message }) => `${fieldPath(path)}: ${message}`),
      )
  const projectModels = own === null ? models : joinModels(project, null).models
  return { models, declaredSets, projectModels, ownModelSets: ownSets, connections, ownConnections }
}

/** A file of the person who works in a project; null where there is none. Throws `ManifestError`. */
export async function loadOwn<Schema extends z.ZodType>(
  root: string,
  file: string,
  schema: Schema,
): Promise<z.output<Schema> | null> {
  const exists = (await stat(resolve(root, file)).catch(() => null)) !== null
  return exists ? loadManifest(root, file, schema) : null
}

/** The aliases of the project and of the person who works in it. Throws `ManifestError`. */
async function loadAliases(
  root: string,
  declaration: ConsumerManifest,
  flavors: FlavorsManifest,
  flavorsFile: string,
): Promise<Pick<Experiment, 'consumer' | 'aliases' | 'ownAliases' | 'ownApproaches'>> {
  const ofProject = joinAliases(declaration, flavors)
  if (ofProject.problems.length > 0) throw new ManifestError(flavorsFile, ofProject.problems)
  const own = await loadOwn(root, OWN_FLAVORS_FILE, OwnFlavorsFile)
  const joined = withOwnFlavors(declaration, flavors, own)
  if (joined.problems.length > 0)
    throw new ManifestError(
      OWN_FLAVORS_FILE,
      joined.problems.map(({ path, message }) => `${fieldPath(path)}: ${message}`),
    )
  const taken = takenNames(joined.consumer, joined.flavors)
  const whole = withOwnApproaches(joined.consumer, joined.flavors, taken, readOwnApproaches(root))
  const { aliases } = joinAliases(whole.consumer, whole.flavors)
  return {
    consumer: whole.consumer,
    aliases,
    ownAliases: Object.keys(own?.flavors ?? {}),
    ownApproaches: whole.own,
  }
}

/** Loads and cross-checks all manifests. Throws `ManifestError` for what concerns every dataset; makes no call and writes nothing. */
export async function loadExperiment(root: string, files: ExperimentFiles = {}): Promise<Experiment> {
  const evaluationFile = files.evaluationFile ?? EVALUATION_FILE
  const evaluation = await loadManifest(root, evaluationFile, EvaluationManifest)
  const [declaration, joinedModels, flavors, { datasets: declared, unusable }] = await Promise.all([
    loadManifest(root, CONSUMER_FILE, ConsumerManifest),
    loadModels(root),
    loadManifest(root, evaluation.flavors_file, FlavorsManifest, `flavors_file in ${evaluationFile}`),
    readDatasets(root, evaluation.datasets_file, `datasets_file in ${evaluationFile}`),
  ])
  const { consumer, aliases, ownAliases, ownApproaches } = await loadAliases(
    root,
    declaration,
    flavors,
    evaluation.flavors_file,
  )
  checkApproaches(evaluation, aliases, evaluationFile)
  const override = files.queriesFile === undefined ? null : await loadManifest(root, files.queriesFile, QueryFile)
  const isDeclared = (id: string): boolean =>
    declared.some(({ dataset }) => dataset.id === id) || unusable.some((each) => each.id === id)
  if (override !== null && !isDeclared(override.dataset_id))
    throw new ManifestError(files.queriesFile!, [
      `dataset_id: ${override.dataset_id} is declared neither in ${evaluation.datasets_file} nor in ${DATASETS_FOLDER}`,
    ])
  const joined = await separateUnusable(
    declared,
    ({ dataset }) => dataset.id,
    (each) => {
      if (each.dataset.id !== override?.dataset_id) return joinDataset(root, each, declaration, null)
      const dataset = { ...each.dataset, queries_file: files.queriesFile! }
      return joinDataset(root, { ...each, dataset }, declaration, override.queries)
    },
  )
  const { equivalence_margin: margin } = evaluation.metrics
  return {
    root,
    evaluationFile,
    evaluation,
    consumer: withOwnProfiles(consumer, joined.loaded),
    ...joinedModels,
    aliases,
    ownAliases,
    ownApproaches,
    datasets:
      margin === undefined ? joined.loaded : joined.loaded.map((each) => ({ ...each, equivalenceMargin: margin })),
    unusable: [...unusable, ...joined.unusable],
  }
}

/** Step 1 of the ladder for one dataset: its corpus folder must exist, and be the one that the platform reads. Throws `ManifestError`. */
export async function checkCorpus(
  experiment: Experiment,
  { dataset, declaredIn, profile }: LadderDataset,
  corpusRoot: string | null = null,
): Promise<void> {
  const isOwn = profile.corpus.path.startsWith(`${OWN_CORPUS}/`)
  const elsewhere = corpusRoot !== null && !isOwn
  if (elsewhere && resolve(corpusRoot, profile.corpus.path) !== resolve(experiment.root, dataset.corpus_path))
    throw new ManifestError(declaredIn, [
      `${dataset.id}.corpus_path: ${dataset.corpus_path}, but RAG_INGESTION_CORPUS_ROOT makes the platform read ${resolve(corpusRoot, profile.corpus.path)}: unset it, or run in the project whose corpus that is`,
    ])
  const info = await stat(resolve(experiment.root, dataset.corpus_path)).catch(() => null)
  if (!info?.isDirectory())
    throw new ManifestError(declaredIn, [
      `${dataset.id}.corpus_path: ${dataset.corpus_path} is not a folder: create it or correct the path`,
    ])
}
