import type { RunJob, ServiceView, SettingsView } from '../../../contract/control/index.ts'
import type { LadderStep } from '../../../contract/evidence/run-event.ts'
import { rowIdOf } from './cells.ts'
import { refuse } from './implementer.ts'
import { FakeJudging } from './judging.ts'
import type { FakeRun, Feed } from './run.ts'
import { startServices } from './services.ts'
import type { FakeDataset, World } from './world.ts'

/** What the fake serves, and how. */
export interface FakeControlOptions {
  /** Where the project's manifests and corpora are. */
  root: string
  /** Built renderer; without it only the API is served. */
  files?: string
  port?: number
  /** No run yet. */
  empty?: boolean
  /** Texts of cells hold markup, scripts and links. */
  hostile?: boolean
  /** Adds a dataset of this many questions. */
  bigQuestions?: number
  cellMs?: number
  /** A file of the results folder cannot be read. */
  damaged?: boolean
  /** Each run fails at this step the first time. */
  failStep?: LadderStep
}

/** Finished before the server starts, newest first. */
export const RUNS = ['ladder-2026-11-20', 'ladder-2026-11-18-r2']
const DEFAULT_ALIASES = [
  'vanilla-rag',
  'hybrid-rag',
  'contextual-rag',
  'graph-rag',
  'agentic-rag',
  'workflow-adaptive-rag',
  'lazy-graph-rag',
]

/** What the fake remembers, and how its procedures look things up. */
export type FakeState = ReturnType<typeof startState>

const startSettings = (root: string): SettingsView => ({
  settings: {
    ...{ gateway_url: null, platform_url: null, evaluator_url: null, judge_endpoint: null, judge_models: null },
    ...{ model_set: null, concurrency: null },
  },
  secrets: {
    gateway_api_key: 'unset',
    platform_token: 'environment',
    evaluator_api_key: 'unset',
    judge_api_key: 'unset',
  },
  secret_origins: { gateway_api_key: null, platform_token: null, evaluator_api_key: null, judge_api_key: null },
  folders: { project: root, results: 'results', published: 'docs/results', state: '.rag-ladder' },
})

/** The state that every start begins with. */
export function startState(world: World, options: FakeControlOptions, feed: Feed, streams: Set<AbortController>) {
  const services = startServices()
  const done: RunJob[] = []
  const finishedRuns = new Map<string, { datasets: string[]; aliases: string[] }>()
  if (options.empty !== true)
    for (const run of RUNS) finishedRuns.set(run, { datasets: [...world.datasets.keys()], aliases: DEFAULT_ALIASES })
  const started = new Map<string, FakeRun>()
  const runOf = (run: string) => finishedRuns.get(run) ?? refuse('not_found', `no run is called ${run}`)
  const datasetOf = (id: string): FakeDataset =>
    world.datasets.get(id) ?? refuse('not_found', `no dataset is called ${id}`)
  const aliasesOf = (run: string, wanted: string[] | undefined) => wanted ?? runOf(run).aliases
  const running = (): FakeRun => state.active ?? refuse('run_state', 'no run is under way')
  const locate = (run: string, row: string) => {
    const { datasets, aliases } = runOf(run)
    for (const id of datasets)
      for (const question of datasetOf(id).questions)
        for (const alias of aliases)
          if (rowIdOf(run, id, question.id, alias) === row) return { dataset: datasetOf(id), question, alias }
    return refuse('not_found', `run ${run} has no row ${row}`)
  }
  const indexStatus = () => ({
    ...{ revision: 1, schema_version: 1, journal_mode: 'wal', runs: finishedRuns.size, cells: 1_728 },
    ...{ size_bytes: 4_200_000, folders: ['results', 'docs/results'] },
    damaged:
      options.damaged === true
        ? [
            {
              path: 'results/foreign-smoke-evidence.jsonl',
              damage: { offset: 412, line: 3, message: 'question.id: expected a string' },
            },
          ]
        : [],
  })
  const judging = new FakeJudging(world, options.hostile === true)
  const judged = ({ run_id: run, dataset_id: id }: { run_id: string; dataset_id: string }) =>
    [run, datasetOf(id), runOf(run).aliases] as const
  const serviceOf = (name: string): ServiceView => services.find((service) => service.name === name)!
  const setService = (name: string, part: Partial<ServiceView>): ServiceView => {
    Object.assign(serviceOf(name), part)
    feed.publish({ type: 'service.changed', service: name, state: serviceOf(name).state, detail: null })
    return serviceOf(name)
  }
  const state = {
    ...{ world, options, feed, streams, services, done, finishedRuns, started, judging, judged },
    ...{ runOf, datasetOf, aliasesOf, running, locate, indexStatus, serviceOf, setService },
    active: null as FakeRun | null,
    settings: startSettings(options.root),
  }
  return state
}
