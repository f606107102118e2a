import { join } from 'node:path'
import type {
  GitState,
  IngestionProvenance,
  PlatformHealth,
  Reproducibility,
  RuntimeFile,
} from '../../contract/index.ts'
import type { Experiment, LadderDataset } from './experiment.ts'
import { readGitState } from './git-state.ts'
import { datasetFiles } from './load-datasets.ts'
import { hashOf } from './load-manifest.ts'
import { programRevision } from './program-revision.ts'
import { evaluationHash } from './stored-form.ts'

/** Hashes of everything that configures a dataset's run. Values count, not layout: comments and key order change nothing. */
export function configHashes(
  experiment: Experiment,
  { dataset, profile, questions }: LadderDataset,
): Record<string, string> {
  const { published: _published, ...declared } = dataset
  return {
    dataset: hashOf(declared),
    evaluation: evaluationHash(experiment.evaluation),
    flavors: hashOf([...experiment.aliases.values()].map((alias) => alias.flavor)),
    ingestion_profile: hashOf(profile),
    models: hashOf(experiment.models),
    queries: hashOf(questions),
  }
}

/**
 * What the platform reads of its registries for a dataset, as generated from the consumer manifest: hash and entry names. Of the ingestion
 * profiles it reads the dataset's own, so that a dataset that is added leaves the runs of the others as they are.
 */
export function runtimeFiles(experiment: Experiment, { profile }: LadderDataset): RuntimeFile[] {
  const { graph_query_profiles: graph } = experiment.consumer
  return [
    {
      path: 'registry/models',
      sha256: hashOf([...experiment.aliases.values()]),
      entries: [...experiment.aliases.keys()],
    },
    { path: 'registry/ingestion-profiles', sha256: hashOf([profile]), entries: [profile.name] },
    { path: 'registry/graph-query-profiles', sha256: hashOf(graph), entries: graph.map((profile) => profile.name) },
  ]
}

export interface RunEnvironment {
  /** `embedded`, or the address of an external gateway. */
  gateway: string
  basePort: number | null
  providers: Record<string, string>
  /** What runs of this project write: no change of it. Absolute. */
  written: readonly string[]
  judgePanel: { enabled: boolean; endpoint: string; models: string[] }
}

/** Takes user name, password and query out of an address. */
export function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, '')}`
}

/** The project's checkout. A project outside git, as in the packaged app, has the commit of the program, and its change is unknown. */
async function repositoryOf(experiment: Experiment, written: readonly string[]): Promise<GitState> {
  const { root, evaluation } = experiment
  const always = ['docs/results', '.rag-ladder'].map((path) => join(root, path))
  const manifests = [evaluation.datasets_file, ...(await datasetFiles(root))]
  const state = await readGitState(root, { paths: [...always, ...written], manifests })
  return state.revision === null ? { ...state, revision: await programRevision() } : state
}

/** Everything that two rows of one artifact must share. */
export async function reproducibilityOf(
  experiment: Experiment,
  dataset: LadderDataset,
  environment: RunEnvironment,
  health: PlatformHealth | null,
  ingestion: IngestionProvenance | null,
): Promise<Reproducibility> {
  return {
    seed: experiment.evaluation.run.seed,
    config_hashes: configHashes(experiment, dataset),
    ingestion,
    runtime: {
      repository: await repositoryOf(experiment, environment.written),
      platform: { version: health?.version ?? null, revision: health?.revision ?? null },
      project: experiment.consumer.project,
      gateway: environment.gateway === 'embedded' ? 'embedded' : withoutCredentials(environment.gateway),
      base_port: environment.basePort,
      providers: environment.providers,
      models: health?.models ?? null,
      judge_panel: {
        enabled: environment.judgePanel.enabled,
        endpoint: withoutCredentials(environment.judgePanel.endpoint),
        models: environment.judgePanel.models,
      },
      // An external platform has registries of its own, which it does not show.
      runtime_files: environment.gateway === 'embedded' ? runtimeFiles(experiment, dataset) : [],
    },
  }
}
