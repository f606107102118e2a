import { access } from 'node:fs/promises'
import { join, delimiter } from 'node:path'
import { createRequire } from 'node:module'
import { isPinned } from '../../kit/models/declared-model.ts'
import { ModelStore } from '../../kit/models/model-store.ts'
import type { SttConfig } from '../config.ts'
import type { Expected, OpenRecogniser } from '../model-holder.ts'
import { processorInstead } from './engines/engine.ts'
import { openModelRecogniser } from './model-recogniser.ts'
import { openPocketsphinx, POCKETSPHINX_PROGRAM } from './pocketsphinx.ts'
import type { BackendName } from './recogniser.ts'
import { ONNX_MODELS, SHERPA_MODELS, type RecognitionModel } from './recognition-models.ts'

/** Where a program is in the search path; null when it is not. */
async function findOnPath(name: string): Promise<string | null> {
  const places = (process.env['PATH'] ?? '').split(delimiter).filter((place) => place !== '')
  for (const place of places) {
    const path = join(place, name)
    const isThere = await access(path).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return null
}

type Progress = Parameters<OpenRecogniser>[0]

/** What health reports before anything is loaded. */
export function expectedOf(config: SttConfig): Expected {
  const { backend, model, device } = config
  if (backend === 'pocketsphinx') return { backend, model: 'pocketsphinx-en-us', device: 'cpu' }
  return { backend, model: (backend === 'sherpa' ? SHERPA_MODELS : ONNX_MODELS)[model].declared.id, device }
}

/**
 * The recogniser that the configuration asks for. `auto` takes the best that can work at once: fetched weights, else the installed
 * PocketSphinx; only where there is neither does it fetch weights.
 */
export function chooseBackend(config: SttConfig, store = new ModelStore()): OpenRecogniser {
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
      return { recogniser: await openPocketsphinx(), note: notes.length === 0 ? null : notes.join('. ') }
    }
    const model = modelOf(config, backend)
    const pin = isPinned(model.declared) ? '' : ', unpinned'
    const others = ready.filter((name) => name !== backend)
    return openModelRecogniser({
      backend,
      model,
      store,
      localFolder: config.modelFolder,
      device: config.device,
      sherpaFolder: config.sherpaFolder,
      signal,
      onProgress: ({ receivedBytes, totalBytes, license, model: id }) =>
        reported(progress, { receivedBytes, totalBytes }, `fetching ${id} (${license}${pin})`),
      meanwhile:
        others.length === 0
          ? 'No other backend would work here now; on Debian: apt-get install pocketsphinx pocketsphinx-en-us'
          : `What would work here now: ${others.map((name) => `STT_BACKEND=${name}`).join(', ')}`,
    })
  }
}

function reported(progress: Progress, bytes: { receivedBytes: number; totalBytes: number }, what: string): void {
  progress({ ...bytes, what })
}

/** Backends that need no download now, the best first. */
export async function readyBackends(config: SttConfig, store: ModelStore): Promise<BackendName[]> {
  const has = async (model: RecognitionModel) =>
    config.modelFolder === null ? store.isPresent(model.declared) : hasFiles(config.modelFolder, model)
  const ready: BackendName[] = []
  if (await has(ONNX_MODELS[config.model])) ready.push('onnx')
  if (isInstalled('sherpa-onnx-node', config.sherpaFolder) && (await has(SHERPA_MODELS[config.model])))
    ready.push('sherpa')
  if ((await findOnPath(POCKETSPHINX_PROGRAM)) !== null) ready.push('pocketsphinx')
  return ready
}

function modelOf(config: SttConfig, backend: 'onnx' | 'sherpa'): RecognitionModel {
  return (backend === 'sherpa' ? SHERPA_MODELS : ONNX_MODELS)[config.model]
}

async function hasFiles(folder: string, { declared }: RecognitionModel): Promise<boolean> {
  const there = await Promise.all(declared.files.map(({ path }) => exists(join(folder, path))))
  return there.every(Boolean)
}

function isInstalled(name: string, folder: string): boolean {
  try {
    createRequire(join(folder, 'from-here.js')).resolve(name)
    return true
  } catch {
    return false
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
