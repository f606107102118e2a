import { existsSync } from 'node:fs'
import { join, delimiter } from 'node:path'
import { createRequire } from 'node:module'
import { isPinned } from '../../kit/models/declared-model.ts'
import { ModelStore } from '../../kit/models/model-store.ts'
import type { SttConfig } from '../config.ts'
import type { Expected, OpenRecognizer } from '../model-holder.ts'
import { processorInstead } from './engines/engine.ts'
import { openModelRecognizer } from './model-recognizer.ts'
import { openPocketsphinx, POCKETSPHINX_PROGRAM } from './pocketsphinx.ts'
import type { BackendName } from './recognizer.ts'
import { ONNX_MODELS, SHERPA_MODELS, type RecognitionModel } from './recognition-models.ts'

/** Returns true when a program is in the search path. */
function isOnPath(name: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.some((folder) => existsSync(join(folder, name)))
}

/** Health reports this before anything is loaded. */
export function expectedOf(config: SttConfig): Expected {
  const { backend, device } = config
  if (backend === 'pocketsphinx') return { backend, model: 'pocketsphinx-en-us', device: 'cpu' }
  return { backend, model: modelOf(config, backend).declared.id, device }
}

/**
 * The recognizer that the configuration asks for. `auto` takes the best that can work at once: fetched weights, else the installed
 * PocketSphinx; only where there is neither does it fetch weights.
 */
export function chooseBackend(config: SttConfig, store = new ModelStore()): OpenRecognizer {
  return async (progress, signal) => {
    const ready = await readyBackends(config, store)
    const backend = config.backend === 'auto' ? (ready[0] ?? 'onnx') : config.backend
    if (backend === 'pocketsphinx') {
      const notes = [
        config.backend === 'auto'
          ? `The weights of ${config.model} are not here. To fetch them: STT_BACKEND=onnx`
          : null,
        processorInstead(config.device, 'PocketSphinx runs on nothing else'),
      ].filter((note) => note !== null)
      return { recognizer: await openPocketsphinx(), note: notes.length === 0 ? null : notes.join('. ') }
    }
    const model = modelOf(config, backend)
    const pin = isPinned(model.declared) ? '' : ', unpinned'
    const others = ready.filter((name) => name !== backend)
    return openModelRecognizer({
      backend,
      model,
      store,
      localFolder: config.modelFolder,
      device: config.device,
      sherpaFolder: config.sherpaFolder,
      signal,
      onProgress: ({ receivedBytes, totalBytes, license, model: id }) =>
        progress({ receivedBytes, totalBytes, what: `fetching ${id} (${license}${pin})` }),
      meanwhile:
        others.length === 0
          ? 'No other backend would work here now; on Debian: apt-get install pocketsphinx pocketsphinx-en-us'
          : `What would work here now: ${others.map((name) => `STT_BACKEND=${name}`).join(', ')}`,
    })
  }
}

/** Backends that need no download now, the best first. */
export async function readyBackends(config: SttConfig, store: ModelStore): Promise<BackendName[]> {
  const has = async (model: RecognitionModel) =>
    config.modelFolder === null ? store.isPresent(model.declared) : hasFiles(config.modelFolder, model)
  const ready: BackendName[] = []
  if (await has(ONNX_MODELS[config.model])) ready.push('onnx')
  if (isInstalled('sherpa-onnx-node', config.sherpaFolder) && (await has(SHERPA_MODELS[config.model])))
    ready.push('sherpa')
  if (isOnPath(POCKETSPHINX_PROGRAM)) ready.push('pocketsphinx')
  return ready
}

function modelOf(config: SttConfig, backend: 'auto' | 'onnx' | 'sherpa'): RecognitionModel {
  return (backend === 'sherpa' ? SHERPA_MODELS : ONNX_MODELS)[config.model]
}

function hasFiles(folder: string, { declared }: RecognitionModel): boolean {
  return declared.files.every(({ path }) => existsSync(join(folder, path)))
}

function isInstalled(name: string, folder: string): boolean {
  try {
    createRequire(join(folder, 'from-here.js')).resolve(name)
    return true
  } catch {
    return false
  }
}
