import { isCloudModel, modelNameOf } from '../../../contract/manifests/model-backends.ts'
import type {
  CalibratedModel,
  FetchProgress,
  ModelsView,
  ModelTest,
  PricesView,
  TestModelInput,
} from '../../../contract/control/models.ts'
import { withoutCredit } from '../../../core/used-up-credit.ts'
import {
  addConnection,
  connectionNamed,
  connectionViews,
  makeSetDefault,
  removeConnectionKey,
  removeOwnModels,
  saveSet,
  setConnectionKey,
} from '../../manifests/models/connect-models.ts'
import { findLocalModels, usualPlaces } from '../../manifests/models/find-models.ts'
import { catalogueEntries, removeFetchedModel } from '../../manifests/models/model-catalogue.ts'
import { fetchModel } from '../../runner/prepare/fetch-model.ts'
import { loadModels } from '../../manifests/experiment.ts'
import { loadPrices, savePrices } from '../../manifests/models/own-prices.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { panelOfProject } from '../../runner/prepare/judges-to-test.ts'
import {
  CALIBRATION_TIMEOUT_MS,
  calibrateSet,
  testConnection,
  testModelFile,
  testModelSet,
} from '../../runner/prepare/test-models.ts'
import type { EngineParts } from '../engine-parts.ts'
import { modelSetViews } from '../experiment-view.ts'
import { control, untilEither, withControlErrors } from './control-api.ts'
import { refuseUnderRun } from './project-procedures.ts'
import { oneAfterAnother } from '../../lib/one-after-another.ts'

export function modelProcedures(parts: EngineParts) {
  const { root, env } = parts.config
  const inTurn = oneAfterAnother()

  const view = async (): Promise<ModelsView> => {
    const loaded = await loadModels(root)
    return { connections: await connectionViews(loaded, env), sets: modelSetViews(loaded, root) }
  }
  const change = (work: () => Promise<unknown>): Promise<ModelsView> =>
    inTurn(async () => {
      refuseUnderRun(parts, 'models do not change under it')
      await work()
      // Reports the edit to the pages; problems of other manifests are in its health.
      await parts.experiment.current().catch(() => undefined)
      return view()
    })
  const prices = async (): Promise<PricesView> => {
    const [{ models }, { currency, models: priced }] = await Promise.all([loadModels(root), loadPrices(root)])
    const roles = Object.values(models.sets).flatMap((set) => Object.values(set.roles))
    const paid = [...new Set(roles.filter(isCloudModel).map(modelNameOf))]
    return { currency, models: priced, paid }
  }
  const test = async (input: TestModelInput, signal: AbortSignal): Promise<ModelTest> => {
    const { target, model, embedding_model: embeddingModel, timeout_s: timeoutS, list_only: listOnly } = input
    const run = { launcher: parts.config.launcher, root, env, timeoutMs: timeoutS * 1000, signal }
    if ('file' in target) return testModelFile(run, target.file)
    if ('set' in target) return testModelSet(run, await loadModels(root), target.set, await panelOfProject(root, env))
    const isEntered = 'connection' in target
    const connection = isEntered ? target.connection : connectionNamed(await loadModels(root), target.name)
    const { name = null, key = null } = isEntered ? target : { name: target.name }
    return testConnection(run, connection, { model, embeddingModel, listOnly, name, isEntered, key })
  }

  const calibrate = async (set: string | null, signal: AbortSignal): Promise<CalibratedModel[]> => {
    const run = { launcher: parts.config.launcher, root, env, timeoutMs: CALIBRATION_TIMEOUT_MS, signal }
    const measured = await calibrateSet(run, await loadModels(root), set)
    return measured.map(({ model, latency_ms, input_tokens, output_tokens }) => ({
      model,
      latency_ms,
      input_tokens,
      output_tokens,
    }))
  }

  /** Models that are being fetched: two downloads of one file would write into each other. */
  const fetching = new Set<string>()

  /** The newest progress at each step of the caller, and at last the paths. */
  async function* fetchProgress(id: string, signal: AbortSignal): AsyncGenerator<FetchProgress> {
    if (fetching.has(id)) throw new InputError([`${id} is being fetched already`])
    fetching.add(id)
    const left = new AbortController()
    let [received, total, wake] = [0, 1, (): void => undefined]
    const onProgress = (bytes: number, all: number): void => {
      ;[received, total] = [bytes, all]
      wake()
    }
    const fetched = fetchModel(parts.config.launcher, {
      root,
      id,
      signal: AbortSignal.any([signal, left.signal]),
      onProgress,
    })
    const ended = fetched.then(
      () => true,
      () => true,
    )
    try {
      for (;;) {
        const changed = new Promise<boolean>((done) => (wake = () => done(false)))
        if (await Promise.race([ended, changed])) break
        yield { received_bytes: received, total_bytes: total, paths: null }
      }
      yield { received_bytes: total, total_bytes: total, paths: await fetched }
    } finally {
      left.abort()
      // The next try continues what this one has written, so it may begin when this one has ended.
      void ended.then(() => fetching.delete(id))
    }
  }

  return {
    list: control.models.list.handler(view),
    found: control.models.found.handler(() => findLocalModels(usualPlaces(root))),
    test: control.models.test.handler(async ({ input, signal }) =>
      withoutCredit(await test(input, untilEither(signal, parts.stopping))),
    ),
    calibrate: control.models.calibrate.handler(({ input: { set }, signal }) =>
      calibrate(set, untilEither(signal, parts.stopping)),
    ),
    catalogue: control.models.catalogue.handler(() => catalogueEntries(root)),
    removeFetched: control.models.removeFetched.handler(async ({ input: { id } }) => {
      await change(() => removeFetchedModel(root, id))
      return catalogueEntries(root)
    }),
    fetch: control.models.fetch.handler(({ input, signal }) =>
      withControlErrors(fetchProgress(input.id, untilEither(signal, parts.stopping)), parts.report),
    ),
    add: control.models.add.handler(({ input: { name, connection, key } }) =>
      change(() => addConnection(root, name, connection, { key: key ?? null }, env)),
    ),
    setKey: control.models.setKey.handler(({ input: { name, key } }) =>
      change(() => (key === null ? removeConnectionKey(root, name, env) : setConnectionKey(root, name, key, env))),
    ),
    saveSet: control.models.saveSet.handler(({ input: { name, set } }) => change(() => saveSet(root, name, set))),
    remove: control.models.remove.handler(({ input: { name, part } }) =>
      change(() => removeOwnModels(root, name, part ?? null, env)),
    ),
    prices: control.models.prices.handler(() => prices()),
    savePrices: control.models.savePrices.handler(({ input }) =>
      inTurn(async () => {
        await savePrices(root, input)
        return prices()
      }),
    ),
    use: control.models.use.handler(({ input: { name } }) => change(() => makeSetDefault(root, name))),
  }
}
