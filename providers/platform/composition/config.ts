import { existsSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { z } from 'zod'
import { MODEL_RECORDS_FOLDER } from '../../../core/model-records/known-models.ts'
import { fieldPath } from '../../../core/issues.ts'
import { joinAliases, takenNames, withOwnFlavors } from '../../../contract/manifests/aliases.ts'
import { ConsumerManifest } from '../../../contract/manifests/consumer.ts'
import {
  DatasetFile,
  datasetOf,
  OWN_DATASET_FILE,
  OWN_DATASETS_FOLDER,
  OwnDatasetFile,
  ownDatasetOf,
} from '../../../contract/manifests/datasets.ts'
import { FlavorsManifest, OWN_FLAVORS_FILE, OwnFlavorsFile } from '../../../contract/manifests/flavors.ts'
import { isProjectFolder, type ModelChoice } from '../../../contract/manifests/model-backends.ts'
import {
  joinModels,
  ModelRole,
  ModelsFile,
  OWN_MODELS_FILE,
  OwnModelsFile,
} from '../../../contract/manifests/models.ts'
import { readOwnApproaches, withOwnApproaches } from '../../../core/own-approaches/read-approaches.ts'
import type { OwnEngineSettings } from '../rag/own/own-engine.ts'
import { selectModels, type SelectedModels } from '../../../core/select-models.ts'
import packageFile from '../../../package.json' with { type: 'json' }
import { createEnvReader } from '../../kit/env-reader.ts'
import type { EnvReader } from '../../kit/env-reader.ts'
import { readEdgeSettings, readIdentitySettings } from '../identity/identity-settings.ts'
import type { EdgeSettings, IdentitySettings } from '../identity/identity-settings.ts'
import type { ServiceAddress } from '../ingestion/service-upload.ts'
import type { CorpusLimits } from '../ingestion/corpus.ts'
import { readManifest } from './manifest-file.ts'
import { readDatabaseSettings } from '../stores/database/database-settings.ts'
import type { PostgresSettings } from '../stores/database/database-settings.ts'
import { readEnvFile } from './env-file.ts'
import { readPlugins } from './plugins/read-plugins.ts'
import type { DeclaredPlugin } from './plugins/read-plugins.ts'
import { readTaskSettings } from '../jobs/task-settings.ts'
import type { TaskSettings } from '../jobs/task-settings.ts'
import { readExtractionSettings } from '../specified/extraction/routes.ts'
import type { ExtractionSettings } from '../specified/extraction/routes.ts'
import { readMemorySettings } from '../specified/memory/memory-store.ts'
import type { MemorySettings } from '../specified/memory/memory-store.ts'
import { readStorageSettings } from '../specified/storage/storage-settings.ts'
import type { StorageSettings } from '../specified/storage/storage-settings.ts'
import { readAssetSettings } from '../specified/compatibility/assets/asset-settings.ts'
import type { AssetSettings } from '../specified/compatibility/assets/asset-settings.ts'
import { readMediaSettings } from '../specified/media/media-settings.ts'
import type { MediaSettings } from '../specified/media/media-settings.ts'
import { readResearchSettings } from '../specified/research/routes.ts'
import type { ResearchSettings } from '../specified/research/routes.ts'
import { readRerankAdapterSettings } from '../specified/compatibility/rerank-adapter.ts'
import type { RerankAdapterSettings } from '../specified/compatibility/rerank-adapter.ts'
import { readRaySettings } from '../specified/compatibility/ray-routes.ts'
import type { RaySettings } from '../specified/compatibility/ray-routes.ts'
import { readWorkflowApiSettings } from '../workflow/workflow-api-settings.ts'
import type { WorkflowApiSettings } from '../workflow/workflow-api-settings.ts'
import { ServiceConfigError } from '../../kit/service-config-error.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Everything the platform needs to start, validated. */
export interface PlatformConfig {
  host: string
  /** 0 takes a free port; null the default one, or a free one when that is taken. */
  port: number | null
  /** Host names besides loopback by which it may be called on this machine. */
  trustedHosts: readonly string[]
  version: string
  revision: string | null
  logLevel: string
  /** Holds the vector store, the job store and whatever can be rebuilt from them. */
  stateDir: string
  modelCacheDir: string
  /** Holds what was learned of models at services. */
  modelRecordsDir: string
  corpusRoot: string
  /** Folder of a person's own datasets. */
  ownDatasetsRoot: string
  consumer: ConsumerManifest
  flavors: Pick<FlavorsManifest, 'flavors'>
  models: SelectedModels
  /** Further plugins of the project; those that are not allowed are not run. */
  plugins: readonly DeclaredPlugin[]
  /** The ingestion profile whose collections the plugin serves. */
  profile: string
  identity: IdentitySettings
  edge: EdgeSettings
  rerankAdapter: RerankAdapterSettings
  /** Null keeps the platform's own records in a file of the state folder. */
  database: PostgresSettings | null
  tasks: TaskSettings
  storage: StorageSettings
  extraction: ExtractionSettings
  memory: MemorySettings
  research: ResearchSettings
  media: MediaSettings
  assets: AssetSettings
  /** Limits how long a request may take to arrive, headers and body. */
  requestTimeoutMs: number
  /** Base address of a plugin in another process; null runs the plugin here. */
  ragPluginUrl: string | null
  /** Base address of a graph engine in another process; null runs the engine here. */
  graphEngineUrl: string | null
  /** Weaviate; null: the store is a file of this process. */
  vectorStore: { url: string | null; apiKey: string | null }
  /** A workflow engine in another process, such as n8n; without an address it runs here. */
  workflowApi: WorkflowApiSettings
  ray: RaySettings
  /** Bearer token for that engine's webhook. */
  workflowToken: string | null
  /** The declared workflow in n8n's export format. */
  workflowFile: string
  /** A person's own approaches; those whose file is not allowed are not asked. */
  own: OwnEngineSettings
  /** States where documents and pictures are converted; null: they are not. */
  converter: ServiceAddress | null
  /** Speech-to-text service that reads recordings; null leaves them unread. */
  speech: ServiceAddress | null
  /** States how long the gateway keeps answers; 0 keeps those only whose request asks for it. */
  gatewayCacheTtlMs: number
  /** Decides what the gateway's list of models holds where a request does not choose. */
  gatewayListed: 'aliases' | 'all'
  /** Origins of browser pages that may call the gateway; empty allows none. */
  corsOrigins: readonly string[]
  corpusLimits: CorpusLimits
  /** Limits how long an ingestion may be silent before another worker takes it. */
  ingestionLeaseSeconds: number
  /** Names what of the project's env file is not used, for the log. */
  warnings: readonly string[]
}

/** A configuration that cannot be started with: every problem, one sentence each. */
export class PlatformConfigError extends ServiceConfigError {
  constructor(problems: readonly string[]) {
    super('the platform', problems)
  }
}

const REPOSITORY = resolve(import.meta.dirname, '../../..')

/** Reads environment and manifests. Throws `PlatformConfigError` with all problems at once. */
export function loadPlatformConfig(env: Env): PlatformConfig {
  const folder = resolve(createEnvReader(env).text('RAG_LADDER_MANIFESTS', join(REPOSITORY, 'manifests')))
  const file = readEnvFile(folder)
  // A host allows as many files as an import stores; the project and the person may set fewer. Decision 116.
  const hosted = env['RAG_LADDER_HOST_MAX_FILES']
  const reader = createEnvReader({
    ...(hosted === undefined ? {} : { RAG_INGESTION_MAX_FILES: hosted }),
    ...file.values,
    ...withoutEmpty(env),
  })
  const stateDir = resolve(reader.text('RAG_LADDER_STATE_DIR', join('.rag-ladder', 'platform')))
  const settings = {
    host: reader.text('PLATFORM_HOST'),
    port: reader.optional('PLATFORM_PORT') === null ? null : reader.integer('PLATFORM_PORT', { min: 0, max: 65_535 }),
    trustedHosts: reader.list('PLATFORM_TRUSTED_HOSTS').map((name) => name.toLowerCase()),
    version: packageFile.version,
    revision: reader.optional('RAG_LADDER_REVISION'),
    logLevel: reader.oneOf('PLATFORM_LOG_LEVEL', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
    stateDir,
    modelCacheDir: resolve(reader.text('RAG_LADDER_MODEL_CACHE', join(stateDir, 'models'))),
    modelRecordsDir: resolve(reader.text('RAG_LADDER_MODEL_RECORDS', join(stateDir, MODEL_RECORDS_FOLDER))),
    corpusRoot: resolve(reader.text('RAG_INGESTION_CORPUS_ROOT', join(REPOSITORY, 'corpus'))),
    identity: readIdentitySettings(reader),
    edge: readEdgeSettings(reader),
    rerankAdapter: readRerankAdapterSettings(reader),
    database: readDatabaseSettings(reader),
    tasks: readTaskSettings(reader),
    storage: readStorageSettings(reader),
    extraction: readExtractionSettings(reader),
    memory: readMemorySettings(reader),
    research: readResearchSettings(reader),
    media: readMediaSettings(reader),
    assets: readAssetSettings(reader),
    requestTimeoutMs: reader.seconds('PLATFORM_REQUEST_TIMEOUT_SECONDS', { max: 3600 }) * 1000,
    ragPluginUrl: reader.url('RAG_PLUGIN_URL'),
    graphEngineUrl: reader.url('GRAPHENGINE_URL'),
    vectorStore: { url: reader.url('VECTOR_STORE_URL'), apiKey: reader.optional('VECTOR_STORE_API_KEY') },
    workflowApi: readWorkflowApiSettings(reader),
    ray: readRaySettings(reader),
    workflowToken: reader.optional('WORKFLOW_WEBHOOK_TOKEN'),
    converter: serviceAddress(reader, 'DOCCONV'),
    speech: serviceAddress(reader, 'STT'),
    gatewayCacheTtlMs: reader.integer('GATEWAY_CACHE_TTL_SECONDS', { min: 0, max: 86_400 }) * 1000,
    gatewayListed: reader.oneOf('GATEWAY_LIST_MODELS', ['aliases', 'all']),
    corsOrigins: corsOrigins(reader),
    corpusLimits: corpusLimits(reader),
    ingestionLeaseSeconds: reader.integer('RAG_INGESTION_EXECUTION_LEASE_SECONDS', {
      min: 10,
      max: 300,
    }),
  }
  const manifests = readManifests(reader, env, folder)
  if (manifests === null || reader.problems.length > 0) throw new PlatformConfigError(reader.problems)
  return { ...settings, ...manifests, warnings: [...file.warnings, ...manifests.warnings] }
}

/** Origins such as `http://localhost:3000`, separated by commas. Without a credential check `*` would open the gateway to every page. */
function corsOrigins(reader: EnvReader): string[] {
  const origins = reader.list('PLATFORM_CORS_ORIGINS')
  for (const origin of origins) {
    if (URL.canParse(origin) && new URL(origin).origin === origin) continue
    const form = 'an origin such as http://localhost:3000 is required, without a path'
    reader.problems.push(`PLATFORM_CORS_ORIGINS: invalid value "${origin}": ${form}`)
  }
  return origins
}

function serviceAddress(reader: EnvReader, prefix: 'DOCCONV' | 'STT'): ServiceAddress | null {
  const url = reader.url(`${prefix}_ENDPOINT`)
  return url === null ? null : { url, token: reader.optional(`${prefix}_API_TOKEN`) }
}

function corpusLimits(reader: EnvReader): CorpusLimits {
  const positive = { min: 1, max: Number.MAX_SAFE_INTEGER }
  return {
    maxFileBytes: reader.integer('RAG_INGESTION_MAX_FILE_BYTES', positive),
    maxCorpusBytes: reader.integer('RAG_INGESTION_MAX_CORPUS_BYTES', positive),
    maxFiles: reader.integer('RAG_INGESTION_MAX_FILES', positive),
  }
}

type Manifests = Pick<
  PlatformConfig,
  'consumer' | 'flavors' | 'models' | 'profile' | 'workflowFile' | 'ownDatasetsRoot' | 'plugins' | 'own'
> & { warnings: readonly string[] }

/** An empty variable counts as unset: the project's file may set it. */
const withoutEmpty = (env: Env): Env =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => (value ?? '').trim() !== ''))

function readManifests(reader: EnvReader, env: Env, folder: string): Manifests | null {
  const read = <Schema extends z.ZodType>(name: string, schema: Schema): z.output<Schema> | null => {
    const outcome = readManifest(join(folder, name), schema)
    if (outcome.ok) return outcome.value
    reader.problems.push(...outcome.problems)
    return null
  }
  const wanted = reader.optional('RAG_PROFILE')
  const declared = withDatasetProfiles(folder, read('consumer.yaml', ConsumerManifest), wanted, reader.problems)
  const listed = read('flavors.yaml', FlavorsManifest)
  const models = chooseModels(reader, env, join(folder, 'models.yaml'), resolve(folder, '..', OWN_MODELS_FILE))
  const profile = declared === null ? null : chooseProfile(reader, declared)
  if (declared !== null && listed !== null)
    reader.problems.push(...joinAliases(declared, listed).problems.map((problem) => `flavors.yaml: ${problem}`))
  if (declared === null || listed === null || models === null || profile === null) return null
  const root = resolve(folder, '..')
  const flavored = addOwnFlavors(reader, declared, listed, resolve(root, OWN_FLAVORS_FILE))
  // A plugin elsewhere answers all aliases that this process has.
  const found = reader.url('RAG_PLUGIN_URL') === null ? readOwnApproaches(root) : { usable: [], unusable: [] }
  const taken = takenNames(flavored.consumer, flavored.flavors)
  const { consumer, flavors, own } = withOwnApproaches(flavored.consumer, flavored.flavors, taken, found)
  const warnings = own.unusable.map(({ file, problems }) => `${file} is not used: ${problems.join('; ')}`)
  // The path is relative to the project's root, and the manifests are the root's own folder.
  const ownDatasetsRoot = ownDatasetsFolder(folder)
  const workflowFile = resolve(root, consumer.workflow.file)
  const plugins = readPlugins(reader, root, consumer)
  const trusted = reader.list('RAG_LADDER_TRUSTED_APPROACHES')
  const engine = { files: own.usable, trusted, root }
  return { consumer, flavors, models, profile, workflowFile, ownDatasetsRoot, plugins, own: engine, warnings }
}

/**
 * Adds the ingestion profiles of the dataset files to those of the consumer manifest: the project's, `datasets/<id>.yaml`, and a person's own
 * beside the folder of the manifests. A file that cannot be used is a problem where its profile is `wanted`, or a project's where none is.
 */
function withDatasetProfiles(
  folder: string,
  consumer: ConsumerManifest | null,
  wanted: string | null,
  problems: string[],
): ConsumerManifest | null {
  if (consumer === null) return consumer
  const datasets = join(folder, 'datasets')
  const ofProject = namesIn(datasets)
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => {
      const id = name.slice(0, -'.yaml'.length)
      const outcome = readManifest(join(datasets, name), DatasetFile)
      if (outcome.ok) return datasetOf(id, outcome.value).profile
      if (wanted === null || wanted === id) problems.push(...outcome.problems)
      return []
    })
  const own = ownDatasetsFolder(folder)
  const ofPerson = namesIn(own).flatMap((id) => {
    const file = join(own, id, OWN_DATASET_FILE)
    if (!existsSync(file)) return []
    const outcome = readManifest(file, OwnDatasetFile)
    if (outcome.ok) return ownDatasetOf(id, outcome.value).profile
    if (wanted === id) problems.push(...outcome.problems)
    return []
  })
  const names = new Set([...consumer.ingestion_profiles, ...ofProject].map(({ name }) => name))
  const added = [...ofProject, ...ofPerson.filter(({ name }) => !names.has(name))]
  return { ...consumer, ingestion_profiles: [...consumer.ingestion_profiles, ...added] }
}

const namesIn = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => !name.startsWith('.'))
        .toSorted()
    : []

/** The manifests are the project's own folder; a person's datasets are beside it. */
const ownDatasetsFolder = (manifests: string): string => resolve(manifests, '..', OWN_DATASETS_FOLDER)

/** A person's own flavors are beside the folder of the manifests. */
function addOwnFlavors(reader: EnvReader, consumer: ConsumerManifest, flavors: FlavorsManifest, file: string) {
  const own = existsSync(file) ? readManifest(file, OwnFlavorsFile) : { ok: true as const, value: null }
  if (!own.ok) reader.problems.push(...own.problems)
  const joined = withOwnFlavors(consumer, flavors, own.ok ? own.value : null)
  reader.problems.push(...joined.problems.map(({ path, message }) => `${file}: ${fieldPath(path)}: ${message}`))
  return joined
}

/** Of the project's sets and a person's own, which are beside the folder of the manifests. */
function chooseModels(reader: EnvReader, env: Env, file: string, ownFile: string): SelectedModels | null {
  const project = readManifest(file, ModelsFile)
  const own = existsSync(ownFile) ? readManifest(ownFile, OwnModelsFile) : { ok: true as const, value: null }
  const unread = [project, own].flatMap((outcome) => (outcome.ok ? [] : outcome.problems))
  reader.problems.push(...unread)
  if (!project.ok || !own.ok) return null
  const { models, problems } = joinModels(project.value, own.value)
  const unjoined = [
    ...problems.ofProject.map(({ path, message }) => `${file}: ${fieldPath(path)}: ${message}`),
    ...problems.ofPerson.map(({ path, message }) => `${ownFile}: ${fieldPath(path)}: ${message}`),
  ]
  reader.problems.push(...unjoined)
  if (unjoined.length > 0) return null
  const chosen = selectModels(models, reader.optional('RAG_MODEL_SET'), env)
  if (chosen.ok) return withFolders(chosen.models, dirname(dirname(file)))
  reader.problems.push(...chosen.problems.map((problem) => `${file}: ${problem}`))
  return null
}

/** The folders of models that a set names by a path in the project, wherever this process runs. */
function withFolders({ name, roles }: SelectedModels, project: string): SelectedModels {
  const inProject = (choice: ModelChoice): ModelChoice =>
    isProjectFolder(choice) ? { ...choice, model: resolve(project, choice.model) } : choice
  const placed = ModelRole.options.map((role) => [role, inProject(roles[role])] as const)
  return { name, roles: Object.fromEntries(placed) as SelectedModels['roles'] }
}

function chooseProfile(reader: EnvReader, consumer: ConsumerManifest): string | null {
  const names = consumer.ingestion_profiles.map((profile) => profile.name)
  const wanted = reader.optional('RAG_PROFILE') ?? names[0]!
  if (names.includes(wanted)) return wanted
  reader.problems.push(`RAG_PROFILE: no ingestion profile is named "${wanted}"; there are ${names.join(', ')}`)
  return null
}
