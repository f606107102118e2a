// The engine is the process behind the pages. In: a project folder, settings of the user, calls of the control API. Out: runs, one numbered stream of
// events, and answers about stored runs. It has no window: main/shell and `rag-ladder serve` start it through launch-engine.ts.
//   1. index.ts reads the environment (engine-config.ts) and calls `createEngine`, which opens the parts below in this order and closes them in reverse.
//   2. settings-store.ts and experiment-source.ts hold what a run starts from, and follow the manifests as they are edited.
//   3. index-gateway.ts answers from the run index; services/ starts platform, converter and speech when they are needed first.
//   4. run-control/run-control.ts queues runs and carries them out one at a time; run-control/run-journal.ts survives a crash.
//   5. http/http-server.ts admits a call (http/access.ts), and procedures/ answer it; procedures/launch-run.ts is the click on Run.
//   6. event-hub.ts numbers every event, so that a page which reconnects misses none.
// judging/ holds blind rounds of people, corpora/ a person's own datasets, queries/ answers that need more than the index.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunRequest } from '../../contract/control/run-job.ts'
import type { RunEvent } from '../../contract/evidence/run-event.ts'
import { namedFiles } from '../evidence/files/artifact-files.ts'
import { BALLOTS_FOLDER } from '../judge/human/human-files.ts'
import { rememberSecretsOf } from '../../core/known-secrets.ts'
import { serviceConnections } from '../manifests/models/connections.ts'
import { projectEnvironment } from '../manifests/project/project-env.ts'
import { experimentFiles } from '../manifests/experiment.ts'
import { ManifestError } from '../manifests/manifest-error.ts'
import { readersOf } from '../manifests/models/provider-selection.ts'
import { unpackedFolder, unpackPublished } from '../report/publication/published-folder.ts'
import { openRunIndex } from '../run-index/open-run-index.ts'
import { externalPlatform, type PlatformSource } from '../runner/platform/platform-source.ts'
import type { Preparation, PreparedRun } from '../runner/prepare/prepare-run.ts'
import { openStateFolder } from '../supervisor/state-folder.ts'
import type { EngineConfig } from './engine-config.ts'
import { asConfigError, lockProject } from './engine-lock.ts'
import type { EngineParts } from './engine-parts.ts'
import { EventHub } from './event-hub.ts'
import { EventLog } from './event-log.ts'
import { ExperimentSource } from './experiment-source.ts'
import { startHttpServer } from './http/http-server.ts'
import { openSessions } from './http/sessions.ts'
import { IndexGateway } from './index-gateway.ts'
import { BlindJudging } from './judging/blind-judging.ts'
import { JudgePreparation } from './judging/judge-preparation.ts'
import { NotesStore } from './notes-store.ts'
import { PanelStore } from './panel-store.ts'
import { control } from './procedures/control-api.ts'
import {
  datasetProcedures,
  flavorProcedures,
  indexProcedures,
  serviceProcedures,
  settingsProcedures,
} from './procedures/project-procedures.ts'
import { modelProcedures } from './procedures/model-procedures.ts'
import { ownApproachProcedures } from './procedures/own-approach-procedures.ts'
import { ownDatasetProcedures } from './procedures/own-dataset-procedures.ts'
import {
  cellProcedures,
  comparisonProcedures,
  exportProcedures,
  judgeProcedures,
  matrixProcedures,
} from './procedures/result-procedures.ts'
import { experimentProcedures, runProcedures } from './procedures/run-procedures.ts'
import { workerProcedures } from './procedures/worker-procedures.ts'
import { storedRunProcedures } from './procedures/stored-run-procedures.ts'
import { systemProcedures } from './procedures/system-procedures.ts'
import { tuningProcedures } from './procedures/tuning-procedures.ts'
import { prepareRequest } from './procedures/launch-run.ts'
import { RunControl } from './run-control/run-control.ts'
import { RunJournal } from './run-control/run-journal.ts'
import { isUnderWay } from '../../core/evidence/run-fold.ts'
import { PlatformHost } from './services/platform-host.ts'
import { ServiceRegistry } from './services/service-registry.ts'
import { SettingsStore } from './settings-store.ts'
import { TuningControl } from './tuning/tuning-control.ts'

/** A running engine: pages and control API at `url` until it is stopped. */
export interface Engine {
  /** `http://127.0.0.1:<port>` */
  url: string
  /** Cancels what cannot finish quickly, ends all children and closes. A second call does nothing. */
  stop(): Promise<void>
}

type Undo = () => Promise<void> | void

/** Returns what the engine and its children read instead of the variables alone. A file that cannot be used is reported, and counts as absent. */
async function connectedEnvironment(
  { root, env }: EngineConfig,
  warn: (message: string) => void,
): Promise<Pick<EngineConfig, 'env'> & Pick<EngineParts, 'connections'>> {
  try {
    const connected = await projectEnvironment(root, env, warn)
    rememberSecretsOf(connected)
    return { env: connected, connections: await serviceConnections(root, env) }
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error
    warn(error.message)
    return { env, connections: [] }
  }
}

/** Creates the parts; `undo` closes them in reverse order. */
async function compose(config: EngineConfig, report: (error: unknown) => void, undo: Undo[]): Promise<string> {
  const startedAt = new Date().toISOString()
  const below = (name: string): string => join(config.stateDir, name)
  const lock = lockProject(config.stateDir)
  undo.push(() => lock.close())
  await mkdir(config.resultsDir, { recursive: true })

  const hub = new EventHub()
  const log = await EventLog.start(below('logs'), hub, report)
  undo.push(() => log.close())
  const emit = (event: RunEvent): void => void hub.publish(event)
  const warn = (message: string): void => emit({ type: 'notice', level: 'warning', message })
  const { env, connections } = await connectedEnvironment(config, warn)
  const settings = await SettingsStore.open(below('settings.json'), env, warn)

  const experiment = new ExperimentSource(config.root, experimentFiles(settings.inputs()), (health) =>
    hub.publish({ type: 'experiment.changed', ...health }),
  )
  experiment.watch()
  undo.push(() => experiment.close())

  await unpackPublished(config.root, warn)
  const folders = [config.resultsDir, unpackedFolder(config.root)]
  const artifacts = { resultsDir: config.resultsDir, named: namedFiles(config.root, settings.inputs()) }
  const index = new IndexGateway(openRunIndex(below('run-index.sqlite'), { folders, named: artifacts.named }), hub)
  undo.push(() => index.close())
  index.follow()

  const { root, stateDir, launcher, serviceLauncher } = config
  const platform: PlatformHost = new PlatformHost({
    root,
    stateDir,
    launcher,
    env,
    emit,
    readers: async (name) => {
      const { consumer } = await experiment.current()
      const profile = consumer.ingestion_profiles.find((each) => each.name === name)
      return profile === undefined ? {} : services.readersFor(await readersOf(root, profile))
    },
  })
  const services: ServiceRegistry = new ServiceRegistry({
    platform,
    launcher: serviceLauncher,
    emit,
    env,
    stateDir,
    definitions: config.services,
    externalPlatform: () => settings.inputs().gatewayUrl,
    platformAddress: async () => {
      const { gatewayUrl, gatewayApiKey, edgeApiKey } = settings.inputs()
      if (gatewayUrl === null) return platform.gateway()
      return { url: gatewayUrl, token: gatewayApiKey, edgeKey: edgeApiKey }
    },
  })
  undo.push(() => services.close())
  services.startWithEngine()

  const beginPlatform = ({ inputs, modelSet }: PreparedRun): Promise<PlatformSource> => {
    const { gatewayUrl } = inputs
    return gatewayUrl === null ? platform.beginRun(modelSet) : Promise.resolve(externalPlatform(gatewayUrl, inputs))
  }
  const endPlatform = (): void => {
    platform.endRun()
    services.runEnded()
  }
  const prepare = (request: RunRequest): Promise<Preparation> =>
    prepareRequest({ experiment, settings, config }, request)
  const tunings: TuningControl = new TuningControl({
    resultsDir: config.resultsDir,
    prepare,
    busy: () => (runs.isIdle ? null : 'a run is under way or queued: wait for its end, or cancel it'),
    beginPlatform,
    endPlatform,
    report,
  })
  undo.push(() => tunings.close())

  const runs: RunControl = await RunControl.open({
    journal: new RunJournal(below('runs')),
    hub,
    artifacts,
    prepare,
    busy: () => tunings.busy,
    beginPlatform,
    endPlatform,
    report,
  })
  undo.push(() => runs.close())

  const judging = new BlindJudging({
    root,
    artifacts,
    folder: below(BALLOTS_FOLDER),
    experiment: () => experiment.current(),
    isUnderWay: (runId) => {
      const state = runs.stateOf(runId)
      return state !== null && isUnderWay(state)
    },
    notify: (message) => emit({ type: 'notice', level: 'info', message }),
  })

  const sessions = await openSessions(config.token, below('sessions.json'), report)
  const stopping = new AbortController()
  const parts: EngineParts = {
    config,
    startedAt,
    artifacts,
    hub,
    experiment,
    settings,
    connections,
    runs,
    tunings,
    notes: await NotesStore.open(below('notes.json'), warn),
    panel: await PanelStore.open(below('panel.json'), warn),
    platform,
    services,
    index,
    judging,
    preparation: new JudgePreparation(root, artifacts),
    sessions,
    stopping: stopping.signal,
    newLink: () => server.newLink(),
    report,
  }
  const { port, token, appOrigin, rendererDir } = config
  const server = await startHttpServer({
    router: createControlRouter(parts),
    addressOf: (name) => services.addressFor(name),
    port,
    token,
    sessions,
    appOrigin,
    rendererDir,
    report,
  })
  undo.push(() => {
    stopping.abort()
    return server.close()
  })
  return server.url
}

/** The control API over the engine's parts: every procedure of the contract. */
function createControlRouter(parts: EngineParts) {
  return control.router({
    system: systemProcedures(parts),
    experiment: experimentProcedures(parts),
    runs: { ...runProcedures(parts), ...storedRunProcedures(parts) },
    workers: workerProcedures(parts),
    matrix: matrixProcedures(parts),
    cells: cellProcedures(parts),
    ...comparisonProcedures(parts),
    datasets: { ...datasetProcedures(parts), ...ownDatasetProcedures(parts) },
    flavors: flavorProcedures(parts),
    approaches: ownApproachProcedures(parts),
    tunings: tuningProcedures(parts),
    judges: judgeProcedures(parts),
    models: modelProcedures(parts),
    services: serviceProcedures(parts),
    index: indexProcedures(parts),
    exports: exportProcedures(parts),
    settings: settingsProcedures(parts),
  })
}

async function undoAll(undo: Undo[], report: (error: unknown) => void): Promise<void> {
  for (let step = undo.pop(); step !== undefined; step = undo.pop())
    try {
      await step()
    } catch (error) {
      // The rest must be closed too: a child must not outlive the engine.
      report(error)
    }
}

/**
 * The composition root: manifests, runner, run index, services and the control API. `report` receives unexpected failures.
 * Throws `EngineConfigError` when another engine has the project, and the system's error when the port is taken.
 */
export async function createEngine(config: EngineConfig, report: (error: unknown) => void): Promise<Engine> {
  const undo: Undo[] = []
  try {
    await openStateFolder(config.stateDir)
    const url = await compose(config, report, undo)
    let stopped: Promise<void> | null = null
    return { url, stop: () => (stopped ??= undoAll(undo, report)) }
  } catch (error) {
    await undoAll(undo, report)
    throw asConfigError(config.stateDir, error)
  }
}
