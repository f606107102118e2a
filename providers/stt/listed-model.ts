import type { ServiceModel, TranscriptionHealth } from '../../contract/index.ts'
import type { DeclaredModel } from '../kit/models/declared-model.ts'
import type { ModelStore } from '../kit/models/model-store.ts'
import { BUILT_IN, ModelWeights } from '../kit/models/model-weights.ts'
import { ONNX_MODELS, SHERPA_MODELS } from './backends/recognition-models.ts'

const DECLARED = [ONNX_MODELS, SHERPA_MODELS].flatMap((models) =>
  Object.values(models).map(({ declared }): DeclaredModel => declared),
)

/** The one model of the service as pages show it. It is fetched at the service's start, so health knows how far that is and why it failed. */
export async function listedModel(health: TranscriptionHealth, store: ModelStore): Promise<ServiceModel> {
  const declared = DECLARED.find(({ id }) => id === health.model)
  return {
    id: health.model,
    task: 'automatic-speech-recognition',
    license: declared?.license ?? health.license,
    ...(declared === undefined ? BUILT_IN : await new ModelWeights(store, declared).facts()),
    // From a folder of the person's own it is here, too.
    ...(health.model_loaded ? { installed: true } : {}),
    progress: health.progress,
    failure: health.status === 'unhealthy' ? health.detail : null,
  }
}
