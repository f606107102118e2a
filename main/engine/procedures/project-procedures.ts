import { join } from 'node:path'
import { mkdir, realpath } from 'node:fs/promises'
import { cancelPlatformWork, platformWork } from '../services/platform-work.ts'
import { addressProblem } from '../../../contract/service-address.ts'
import { VARIABLES } from '../../../contract/settings/variables.ts'
import type { ConnectionView, EngineSettings, SettingsView } from '../../../contract/control/settings.ts'
import type { AliasView } from '../../../contract/control/experiment.ts'
import { oneAfterAnother } from '../../lib/one-after-another.ts'
import { writeNew } from '../../lib/files/write-atomic.ts'
import type { Experiment, LadderDataset } from '../../manifests/experiment.ts'
import { removeOwnFlavor, saveOwnFlavor } from '../../manifests/own-flavors.ts'
import { RESULTS_FOLDER } from '../../report/publication/published-folder.ts'
import type { PlatformAddress } from '../../runner/platform/platform-client.ts'
import { ControlFailure, inputFailure } from '../control-failure.ts'
import { documentFile, listDocuments, readDocument, readQuestions, readSpeechPrompt } from '../corpora/corpus-reader.ts'
import { datasetGraph } from '../corpora/dataset-graph.ts'
import { filePieces } from '../corpora/dataset-transfer.ts'
import { documentChunks } from '../corpora/document-chunks.ts'
import type { EngineParts } from '../engine-parts.ts'
import { aliasViews, datasetView } from '../experiment-view.ts'
import { answersElsewhere } from '../../manifests/selection.ts'
import { isTrusted, trustAddresses } from '../../lib/trust/trusted-addresses.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { control, untilEither, withControlErrors } from './control-api.ts'
import type { AddDocumentInput, AddedDocument } from '../../../contract/control/corpora.ts'

/** Throws `ControlFailure` for one that is not there. */
export async function datasetOf({ experiment }: EngineParts, id: string): Promise<LadderDataset> {
  const { datasets } = await experiment.current()
  const found = datasets.find(({ dataset }) => dataset.id === id)
  if (found === undefined) throw new ControlFailure('not_found', `the catalogue has no dataset ${id}`)
  return found
}

/** The platform that the settings name elsewhere; null for the embedded one. */
export function platformElsewhere({ settings }: EngineParts): PlatformAddress | null {
  const { gatewayUrl, gatewayApiKey, platformUrl, platformToken, edgeApiKey } = settings.inputs()
  if (gatewayUrl === null) return null
  return {
    url: gatewayUrl,
    platformUrl,
    apiKey: gatewayApiKey,
    operatorToken: platformToken ?? gatewayApiKey,
    edgeKey: edgeApiKey,
  }
}

/** The platform that a run would use: an external one, or the embedded one with this profile; null while a run uses that with another profile. */
export async function platformOf(parts: EngineParts, profile: string): Promise<PlatformAddress | null> {
  const { platform, settings } = parts
  const elsewhere = platformElsewhere(parts)
  if (elsewhere !== null) return elsewhere
  const embedded = await platform.ask(profile, settings.modelSet)
  return embedded && { ...embedded, apiKey: null }
}

export function refuseUnderRun({ runs, tunings }: EngineParts, why: string): void {
  if (tunings.busy !== null) throw new ControlFailure('run_active', `${tunings.busy}: ${why}`, undefined, true)
  if (!runs.isIdle) throw new ControlFailure('run_active', `a run is under way or queued: ${why}`, undefined, true)
}

export function datasetProcedures(parts: EngineParts) {
  const { root } = parts.config
  return {
    list: control.datasets.list.handler(async () => (await parts.experiment.current()).datasets.map(datasetView)),
    documents: control.datasets.documents.handler(async ({ input: { dataset_id: id, ...page } }) =>
      listDocuments(root, await datasetOf(parts, id), page),
    ),
    document: control.datasets.document.handler(async ({ input }) =>
      readDocument(root, await datasetOf(parts, input.dataset_id), input),
    ),
    documentFile: control.datasets.documentFile.handler(async ({ input: { dataset_id: id, path } }) => {
      const file = await documentFile(root, await datasetOf(parts, id), path)
      return withControlErrors(filePieces(file, path.split('/').at(-1)!), parts.report)
    }),
    chunks: control.datasets.chunks.handler(async ({ input }) => {
      const dataset = await datasetOf(parts, input.dataset_id)
      return documentChunks(root, dataset, input, () => platformOf(parts, dataset.profile.name))
    }),
    addDocument: control.datasets.addDocument.handler(async ({ input }) => {
      refuseUnderRun(parts, 'a corpus does not change under it')
      return addDocument(root, await datasetOf(parts, input.dataset_id), input)
    }),
    questions: control.datasets.questions.handler(async ({ input }) =>
      readQuestions(root, await datasetOf(parts, input.dataset_id), input),
    ),
    speechPrompt: control.datasets.speechPrompt.handler(async ({ input }) => ({
      prompt: await readSpeechPrompt(root, await datasetOf(parts, input.dataset_id)),
    })),
    graph: control.datasets.graph.handler(async ({ input }) =>
      datasetGraph(parts.platform, await datasetOf(parts, input.dataset_id), parts.settings.modelSet, input.limit),
    ),
  }
}

/** A person's own flavors, changed one after another. */
export function flavorProcedures(parts: EngineParts) {
  const inTurn = oneAfterAnother()
  const change = (work: (experiment: Experiment) => Promise<void>): Promise<AliasView[]> =>
    inTurn(async () => {
      refuseUnderRun(parts, 'flavors do not change under it')
      await work(await parts.experiment.current())
      return aliasViews(await parts.experiment.current(), answersElsewhere(parts.settings.inputs()))
    })
  return {
    save: control.flavors.save.handler(({ input: { name, flavor } }) =>
      change((experiment) => saveOwnFlavor(experiment, name, flavor)),
    ),
    remove: control.flavors.remove.handler(({ input: { name } }) =>
      change((experiment) => removeOwnFlavor(experiment, name)),
    ),
  }
}

export function serviceProcedures(parts: EngineParts) {
  const { services, stopping, report, settings } = parts
  const platformChoice = async (datasetId: string | undefined) => {
    const { datasets } = await parts.experiment.current()
    const chosen = datasetId === undefined ? datasets[0] : await datasetOf(parts, datasetId)
    return { profile: chosen!.profile.name, modelSet: settings.modelSet }
  }
  /** The platform as it is: nothing is started to see what it does. */
  const runningPlatform = async (): Promise<PlatformAddress> => {
    const elsewhere = platformElsewhere(parts)
    if (elsewhere !== null) return elsewhere
    const embedded = await parts.platform.running()
    if (embedded === null)
      throw new ControlFailure(
        'service_state',
        'the platform is not up: start it with a dataset first',
        undefined,
        true,
      )
    return { ...embedded, apiKey: null }
  }
  return {
    work: control.services.work.handler(async () => platformWork(await runningPlatform())),
    cancelWork: control.services.cancelWork.handler(async ({ input }) =>
      cancelPlatformWork(await runningPlatform(), input),
    ),
    list: control.services.list.handler(() => services.list()),
    logs: control.services.logs.handler(({ input, signal }) =>
      withControlErrors(services.logs(input.name, input.after, input.follow, untilEither(signal, stopping)), report),
    ),
    start: control.services.start.handler(async ({ input }) =>
      services.start(input.name, await platformChoice(input.dataset_id)),
    ),
    stop: control.services.stop.handler(({ input }) => services.stop(input.name)),
    restart: control.services.restart.handler(async ({ input }) => {
      const { profile } = await services.view(input.name)
      await services.stop(input.name)
      return services.start(
        input.name,
        profile === null ? await platformChoice(undefined) : { profile, modelSet: settings.modelSet },
      )
    }),
  }
}

export function indexProcedures({ index }: EngineParts) {
  return {
    status: control.index.status.handler(() => index.query('status', {})),
    verify: control.index.verify.handler(() => index.verify()),
    rebuild: control.index.rebuild.handler(() => index.rebuild()),
  }
}

/** Returns what the engine uses, as of its start: settings of this page come before variables, and these before the project's file. */
function connectionsOf({ connections, settings, config: { env } }: EngineParts): ConnectionView[] {
  return connections.map(({ name, variable, address, source }) => {
    const field = VARIABLES[variable].setting as keyof EngineSettings | undefined
    const chosen = field === undefined ? null : settings.settings[field]
    if (typeof chosen === 'string') return { name, variable, address: chosen, source: 'setting' }
    const isShown = address !== null && addressProblem(address) === null
    const isAllowedNow = source === 'not_allowed' && isTrusted(address!, env)
    return { name, variable, address: isShown ? address : null, source: isAllowedNow ? 'allowed' : source }
  })
}

export function settingsProcedures(parts: EngineParts) {
  const { settings, config, panel } = parts
  const view = (): SettingsView => ({
    settings: settings.settings,
    secrets: settings.secrets(),
    secret_origins: settings.secretOrigins(),
    folders: {
      project: config.root,
      results: config.resultsDir,
      published: join(config.root, RESULTS_FOLDER),
      state: config.stateDir,
    },
  })
  return {
    get: control.settings.get.handler(view),
    update: control.settings.update.handler(async ({ input }) => {
      refuseUnderRun(parts, 'settings do not change under it')
      await settings.update(input)
      return view()
    }),
    connections: control.settings.connections.handler(() => connectionsOf(parts)),
    allowConnection: control.settings.allowConnection.handler(({ input: { name, address } }) => {
      const asked = connectionsOf(parts).find((each) => each.name === name)
      if (asked?.source !== 'not_allowed' || asked.address !== address)
        throw new InputError([`${name}: ${address} is not an address of the project that waits to be allowed`])
      trustAddresses([address], config.env)
      return connectionsOf(parts)
    }),
    panel: control.settings.panel.handler(() => panel.state),
    savePanel: control.settings.savePanel.handler(({ input }) => panel.save(input)),
  }
}

/** Writes a text into a dataset's corpus folder; durable when it resolves. Throws `ControlFailure` for a name that exists. */
async function addDocument(
  root: string,
  { dataset }: LadderDataset,
  { name, text }: AddDocumentInput,
): Promise<AddedDocument> {
  const folder = join(root, dataset.corpus_path)
  await mkdir(folder, { recursive: true })
  const path = `${name}.md`
  const file = join(await realpath(folder), path)
  // Only a new file is written: nothing in a corpus is ever overwritten.
  await writeNew(file, text).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw inputFailure([{ path: 'name', message: `${dataset.corpus_path} already has ${path}` }])
  })
  return { path, size_bytes: Buffer.byteLength(text) }
}
