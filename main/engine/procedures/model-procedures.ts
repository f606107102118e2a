import type { ModelsView, ModelTest, TestModelInput } from '../../../contract/control/models.ts'
import {
  addConnection,
  connectionNamed,
  connectionViews,
  findLocalModels,
  makeSetDefault,
  removeOwnModels,
  saveSet,
  testDeclaredConnection,
  usualPlaces,
} from '../../manifests/connect-models.ts'
import { loadModels } from '../../manifests/experiment.ts'
import { testModelFile } from '../../runner/test-model-file.ts'
import type { EngineParts } from '../engine-parts.ts'
import { modelSetViews } from '../experiment-view.ts'
import { control, oneAfterAnother, untilEither } from './control-api.ts'
import { refuseUnderRun } from './project-procedures.ts'

export function modelProcedures(parts: EngineParts) {
  const { root, env } = parts.config
  const inTurn = oneAfterAnother()

  const view = async (): Promise<ModelsView> => {
    const loaded = await loadModels(root)
    return { connections: connectionViews(loaded, env), sets: modelSetViews(loaded) }
  }
  const change = (work: () => Promise<unknown>): Promise<ModelsView> =>
    inTurn(async () => {
      refuseUnderRun(parts, 'models do not change under it')
      await work()
      // Reports the edit to the pages; problems of other manifests are in its health.
      await parts.experiment.current().catch(() => undefined)
      return view()
    })
  const test = async (input: TestModelInput, signal: AbortSignal): Promise<ModelTest> => {
    const { target, model, embedding_model: embeddingModel, timeout_s: timeoutS, list_only: listOnly } = input
    if ('file' in target) return testModelFile(parts.config.launcher, { root, path: target.file, timeoutS, signal })
    const isEntered = 'connection' in target
    const connection = isEntered ? target.connection : connectionNamed(await loadModels(root), target.name)
    const options = { model, embeddingModel, timeoutMs: timeoutS * 1000, listOnly, isEntered, signal }
    return testDeclaredConnection(connection, options, env)
  }

  return {
    list: control.models.list.handler(view),
    found: control.models.found.handler(() => findLocalModels(usualPlaces(root))),
    test: control.models.test.handler(({ input, signal }) => test(input, untilEither(signal, parts.stopping))),
    add: control.models.add.handler(({ input: { name, connection } }) =>
      change(() => addConnection(root, name, connection, null, env)),
    ),
    saveSet: control.models.saveSet.handler(({ input: { name, set } }) => change(() => saveSet(root, name, set))),
    remove: control.models.remove.handler(({ input: { name, part } }) =>
      change(() => removeOwnModels(root, name, part ?? null)),
    ),
    use: control.models.use.handler(({ input: { name } }) => change(() => makeSetDefault(root, name))),
  }
}
