import type { ModelProgress, ModelStore } from '../../kit/models/model-store.ts'
import { EngineProcess } from './engines/engine-process.ts'
import type { WantedDevice } from './engines/engine.ts'
import type { BackendName, Recognizer } from './recognizer.ts'
import type { RecognitionModel } from './recognition-models.ts'

export interface ModelRecognizerOptions {
  backend: BackendName
  model: RecognitionModel
  store: ModelStore
  /** Null: the cache. */
  localFolder: string | null
  device: WantedDevice
  sherpaFolder: string | null
  signal: AbortSignal
  onProgress: (progress: ModelProgress) => void
  /** States what works without this model, as a sentence. */
  meanwhile: string
}

/** A recognizer on fetched weights. Rejects with `ModelStoreError`, `BackendUnavailableError`, or the engine's error about the files. */
export async function openModelRecognizer(
  options: ModelRecognizerOptions,
): Promise<{ recognizer: Recognizer; note: string | null }> {
  const { backend, model, store, signal } = options
  const { process, facts } = await store.open(
    model.declared,
    async ({ folder }) => {
      const order = { kind: model.kind, folder, device: options.device, sherpaFolder: options.sherpaFolder }
      const process = new EngineProcess(order)
      return { process, facts: await process.load(signal) }
    },
    options,
  )
  const recognizer: Recognizer = {
    backend,
    model: model.declared.id,
    license: model.declared.license,
    device: facts.device,
    languages: model.languages,
    isAligned: facts.isAligned,
    windowSeconds: model.windowSeconds,
    recognize: ({ samples }, windowSignal, hints) => process.recognize(samples, windowSignal, hints?.language ?? ''),
    async close() {
      process.close()
    },
  }
  return { recognizer, note: facts.note }
}
