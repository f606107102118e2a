import { isAbsolute, resolve } from 'node:path'
import { approachDescriptor } from '../../../contract/approaches.ts'
import { DEFAULT_CONTEXT_BUDGET } from '../../../contract/evidence/context-budget.ts'
import type {
  GitState,
  IngestionProvenance,
  Reproducibility,
  RuntimeFile,
} from '../../../contract/evidence/provenance.ts'
import type { PlanConflict } from '../../../contract/evidence/run-event.ts'
import type { PlatformHealth } from '../../../contract/http/platform.ts'
import type { Alias } from '../../../contract/manifests/aliases.ts'
import { isDatasetFile } from '../../../contract/manifests/datasets.ts'
import type { EvaluationManifest } from '../../../contract/manifests/evaluation.ts'
import { OWN_MODELS_FILE } from '../../../contract/manifests/models.ts'
import { CONSUMER_FILE, MODELS_FILE, type Experiment, type LadderDataset } from '../experiment.ts'
import { roleOfField } from '../../evidence/rows/conditions.ts'
import { changedFiles, readGitState, type ReadFiles, type ReadManifest } from './git-state.ts'
import { hashOf } from '../load-manifest.ts'
import { declaredModels, modelsHash, withoutCredentials, withSettings } from './declared-models.ts'
import { isProgramOf, PROGRAM, PROGRAM_FILES, programRevision } from './program-revision.ts'
import { evaluationHash } from '../stored-form.ts'

export { withoutCredentials } from './declared-models.ts'

/** Hashes everything that configures a dataset's run but its models, whose settings rows record role by role. Values count, not layout: comments and key order change nothing. */
export function configHashes(
  experiment: Experiment,
  { dataset, profile, questions }: LadderDataset,
): Record<string, string> {
  const { published: _published, ...declared } = dataset
  return {
    dataset: hashOf(declared),
    evaluation: evaluationHash(experiment.evaluation),
    flavors: hashOf(projectAliases(experiment).map((alias) => alias.flavor)),
    ingestion_profile: hashOf(profile),
    queries: hashOf(questions),
  }
}

/**
 * A flavor of a person's own, and what is served beside the project's aliases, is in each of its rows with all parameters: one that is added or changed
 * leaves the rows of others as they are.
 */
const projectAliases = ({ aliases, ownAliases }: Experiment): Alias[] =>
  [...aliases.values()].filter(
    ({ alias, base }) => !ownAliases.includes(alias) && approachDescriptor(base).isBesides !== true,
  )

/**
 * Returns what the platform reads of its registries for a dataset, as generated from the consumer manifest: hash and entry names. Of the ingestion
 * profiles it reads the dataset's own, so that a dataset that is added leaves the runs of the others as they are.
 */
export function runtimeFiles(experiment: Experiment, { profile }: LadderDataset): RuntimeFile[] {
  const { graph_query_profiles: graph } = experiment.consumer
  return [
    {
      path: 'registry/models',
      sha256: hashOf(projectAliases(experiment)),
      entries: projectAliases(experiment).map(({ alias }) => alias),
    },
    { path: 'registry/ingestion-profiles', sha256: hashOf([profile]), entries: [profile.name] },
    { path: 'registry/graph-query-profiles', sha256: hashOf(graph), entries: graph.map((profile) => profile.name) },
  ]
}

interface RunEnvironment {
  /** Set that an embedded platform starts with; null: the default. */
  modelSet: string | null
  /** `embedded`, or the address of an external gateway. */
  gateway: string
  /** Of an embedded platform: what completes addresses and paths of its models. */
  env?: Readonly<Record<string, string | undefined>> | undefined
  basePort: number | null
  providers: Record<string, string>
  judgePanel: { enabled: boolean; endpoint: string; models: string[] }
}

type Values = Record<string, unknown>

const items = (list: unknown): Values[] => (Array.isArray(list) ? (list as Values[]) : [])
const without = (values: unknown, ...keys: string[]): Values =>
  Object.fromEntries(Object.entries((values ?? {}) as Values).filter(([key]) => !keys.includes(key)))

/** True for rows from before the settings of each model were recorded: they hold one hash of all sets, and the file of the sets counts as any other. */
const isOldForm = ({ config_hashes: hashes }: Reproducibility): boolean => hashes['models'] !== undefined

/**
 * Returns what a run of one dataset reads of its project: its own part of the manifests, its questions and documents, and the `program` where the project
 * is its checkout. Models are compared role by role.
 */
export function readsOf(
  { root, evaluationFile, evaluation, consumer }: Experiment,
  { dataset, declaredIn, profile }: LadderDataset,
  { program = PROGRAM_FILES, hasModels = false }: { program?: readonly string[]; hasModels?: boolean } = {},
): ReadFiles {
  const manifests: ReadManifest[] = [
    // Judges read the answers afterwards, concurrency and the trace change no answer, and the budget of context is compared by itself.
    {
      file: evaluationFile,
      part: (values) => ({
        ...values,
        metrics: without(values['metrics'], 'judge_panel'),
        run: without(values['run'], 'concurrency', 'context_budget', 'trace'),
      }),
    },
    {
      file: CONSUMER_FILE,
      part: (values) => ({
        ...values,
        ingestion_profiles: items(values['ingestion_profiles']).filter(({ name }) => name === profile.name),
      }),
    },
    ...(hasModels ? [{ file: MODELS_FILE, part: modelsPart }] : []),
    { file: evaluation.flavors_file, part: (values) => values },
    {
      file: declaredIn,
      part: ({ published: _published, ...values }) =>
        values['datasets'] === undefined
          ? values
          : items(values['datasets'])
              .filter(({ id }) => id === dataset.id)
              .map((entry) => without(entry, 'published')),
    },
    ...(declaredIn === dataset.queries_file ? [] : [{ file: dataset.queries_file, part: (values: Values) => values }]),
  ]
  return {
    files: [consumer.workflow.file, ...(resolve(root) === PROGRAM ? program : [])],
    manifests: manifests.filter(({ file }) => !isAbsolute(file) && !file.startsWith('..')),
    corpus: dataset.corpus_path,
  }
}

const modelsPart = (values: Values): Values => ({
  ...values,
  ...(values['connections'] === undefined
    ? {}
    : {
        connections: Object.fromEntries(
          Object.entries(values['connections'] as Values).map(([name, each]) => [name, without(each, 'concurrency')]),
        ),
      }),
})

/** The project's checkout. A project outside git, as in the packaged app, has the commit of the program, and its change is unknown. */
async function repositoryOf(experiment: Experiment, dataset: LadderDataset, hasModels = false): Promise<GitState> {
  const state = await readGitState(experiment.root, readsOf(experiment, dataset, { hasModels }))
  return state.revision === null ? { ...state, revision: await programRevision() } : state
}

/** Returns the current conditions in the form of earlier versions where the stored ones are in that form. */
export async function inFormOf(
  stored: Reproducibility,
  current: Reproducibility,
  experiment: Experiment,
  dataset: LadderDataset,
  modelSet: string | null,
): Promise<Reproducibility> {
  if (!isOldForm(stored)) return current
  const { models } = current.runtime
  const roles = Object.entries(models?.roles ?? {}).map(([role, { backend, model }]) => [role, { backend, model }])
  return {
    ...current,
    config_hashes: { ...current.config_hashes, models: modelsHash(experiment, modelSet) },
    runtime: {
      ...current.runtime,
      repository: await repositoryOf(experiment, dataset, true),
      models: models && { ...models, roles: Object.fromEntries(roles) as typeof models.roles },
    },
  }
}

/**
 * Conditions with the commits that a run began at, where everything that it reads is as it was there: what others committed since is no
 * condition of it.
 */
export async function withStoredCommits(
  experiment: Experiment,
  dataset: LadderDataset,
  current: Reproducibility,
  stored: Reproducibility,
): Promise<Reproducibility> {
  const { runtime } = current
  let { repository, platform } = runtime
  const then = stored.runtime
  const revision = then.repository.revision
  if (revision !== null && repository.dirty !== null && revision !== repository.revision) {
    const reads = readsOf(experiment, dataset, { hasModels: isOldForm(stored) })
    const state = await readGitState(experiment.root, reads, revision)
    if (state.dirty === then.repository.dirty && state.patch_sha256 === then.repository.patch_sha256)
      repository = then.repository
  }
  const isOther = then.platform.revision !== null && then.platform.revision !== platform.revision
  if (isOther && runtime.gateway === 'embedded' && (await isProgramOf(then.platform.revision!)))
    platform = { ...platform, revision: then.platform.revision }
  return { ...current, runtime: { ...runtime, repository, platform } }
}

const CONFIG_HASH = 'reproducibility.config_hashes.'
const CONTENT = 'reproducibility.ingestion.content_digest'
const REPOSITORY = 'reproducibility.runtime.repository.'

/** Conflicts with the files in which the difference is. */
export async function withFiles(
  experiment: Experiment,
  dataset: LadderDataset,
  conflicts: readonly PlanConflict[],
  { kind, modelSet }: { kind: 'embedded' | 'external'; modelSet: string | null },
): Promise<PlanConflict[]> {
  // The project declares no model of a platform elsewhere.
  const models =
    kind === 'external' ? null : declaredModels(experiment, modelSet ?? experiment.models.default_set)?.roles
  const { evaluationFile, evaluation } = experiment
  const { declaredIn, dataset: declared } = dataset
  const hashed: Record<string, string[]> = {
    dataset: [declaredIn],
    evaluation: [evaluationFile],
    flavors: [evaluation.flavors_file],
    ingestion_profile: [isDatasetFile(declaredIn) ? declaredIn : CONSUMER_FILE],
    models: [MODELS_FILE, ...(experiment.ownModelSets.length === 0 ? [] : [OWN_MODELS_FILE])],
    queries: [declared.queries_file],
  }
  const commit = conflicts.find(({ path }) => path === `${REPOSITORY}revision`)
  const since = commit === undefined ? 'HEAD' : commit.stored.replaceAll('"', '')
  const changed = conflicts.some(({ path }) => path.startsWith(REPOSITORY))
    ? ((await changedFiles(experiment.root, readsOf(experiment, dataset, { hasModels: true }), since)) ?? [])
    : []
  const filesOf = (path: string): string[] => {
    if (path.startsWith(CONFIG_HASH)) return hashed[path.slice(CONFIG_HASH.length)] ?? []
    if (roleOfField(path) !== null) return models === null ? [] : hashed['models']!
    // A digest names no file: its folder is where to look.
    if (path === CONTENT) return [declared.corpus_path]
    return path.startsWith(REPOSITORY) ? changed.slice(0, MAX_NAMED_FILES) : []
  }
  return conflicts.map((conflict) => {
    const files = filesOf(conflict.path)
    const role = roleOfField(conflict.path)
    const model = role === null ? undefined : models?.[role]?.model
    return {
      ...conflict,
      ...(model === undefined ? {} : { model }),
      ...(files.length === 0 ? {} : { files }),
    }
  })
}

const MAX_NAMED_FILES = 20

/** Tokens of text for every answer of a new run; null where approaches run as they are declared. */
export function contextBudgetOf({ run }: Pick<EvaluationManifest, 'run'>): number | null {
  const { context_budget: budget = DEFAULT_CONTEXT_BUDGET } = run
  return budget === 'none' ? null : budget
}

/** Everything that two rows of one artifact must share. */
export async function reproducibilityOf(
  experiment: Experiment,
  dataset: LadderDataset,
  environment: RunEnvironment,
  health: PlatformHealth | null,
  ingestion: IngestionProvenance | null,
): Promise<Reproducibility> {
  const { primary, exclude_cut_answers: excludesCut } = experiment.evaluation.metrics
  const budget = contextBudgetOf(experiment.evaluation)
  const models = health?.models ?? null
  return {
    seed: experiment.evaluation.run.seed,
    config_hashes: configHashes(experiment, dataset),
    ingestion,
    runtime: {
      repository: await repositoryOf(experiment, dataset),
      platform: { version: health?.version ?? null, revision: health?.revision ?? null },
      project: experiment.consumer.project,
      gateway: environment.gateway === 'embedded' ? 'embedded' : withoutCredentials(environment.gateway),
      base_port: environment.basePort,
      providers: environment.providers,
      models: environment.gateway === 'embedded' ? models && withSettings(experiment, models, environment.env) : models,
      judge_panel: {
        enabled: environment.judgePanel.enabled,
        endpoint: withoutCredentials(environment.judgePanel.endpoint),
        models: environment.judgePanel.models,
      },
      // An external platform has models and registries of its own, whose settings it does not show.
      runtime_files: environment.gateway === 'embedded' ? runtimeFiles(experiment, dataset) : [],
      ...(primary === undefined ? {} : { primary_metric: primary }),
      ...(excludesCut === true ? { excludes_cut_answers: true as const } : {}),
      ...(budget === null ? {} : { context_budget: budget }),
    },
  }
}
