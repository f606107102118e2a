import { join, resolve } from 'node:path'
import { createEnvReader } from '../kit/env-reader.ts'
import { readBoundarySettings, type ServiceBoundarySettings } from '../kit/service-boundary-settings.ts'
import { modelCacheFolder } from '../kit/models/cache-folder.ts'
import type { DeclaredPort } from '../kit/server.ts'
import { ServiceConfigError } from '../kit/service-config-error.ts'
import { BACKENDS, type BackendName } from './backends/recognizer.ts'
import { MODEL_NAMES, type ModelName } from './backends/recognition-models.ts'
import type { WantedDevice } from './backends/engines/engine.ts'

/** Everything the service needs to start, validated. */
export interface SttConfig {
  host: string
  port: DeclaredPort
  logLevel: string
  boundary: ServiceBoundarySettings
  /** auto: the best that can work without a download. */
  backend: BackendName | 'auto'
  /** Of the backends onnx and sherpa. */
  model: ModelName
  /** A folder that has the model's files already; null: the cache, filled at the first use. */
  modelFolder: string | null
  device: WantedDevice
  /** A person has installed sherpa-onnx-node in this folder. */
  sherpaFolder: string
  /** Longest recording that is transcribed. */
  maxAudioSeconds: number
}

/** Reads the environment. Throws `ServiceConfigError` with all problems at once. */
export function loadSttConfig(env: Readonly<Record<string, string | undefined>>): SttConfig {
  const reader = createEnvReader(env)
  const folder = reader.optional('STT_MODEL_DIR')
  const config: SttConfig = {
    host: reader.text('STT_HOST'),
    port: {
      port: reader.integer('STT_PORT', { min: 0, max: 65_535 }),
      isDefault: reader.optional('STT_PORT') === null,
    },
    logLevel: reader.oneOf('STT_LOG_LEVEL', ['error', 'warn', 'info', 'debug', 'silent']),
    boundary: readBoundarySettings(reader, 'STT'),
    backend: reader.oneOf('STT_BACKEND', ['auto', ...BACKENDS]),
    model: reader.oneOf('STT_MODEL', MODEL_NAMES),
    modelFolder: folder === null ? null : resolve(folder),
    device: reader.oneOf('STT_DEVICE', ['auto', 'cpu', 'cuda', 'mps']),
    sherpaFolder: resolve(reader.text('STT_SHERPA_DIR', join(modelCacheFolder(env), '..', 'sherpa'))),
    maxAudioSeconds: reader.integer('STT_MAX_AUDIO_SECONDS', { min: 1, max: 86_400 }),
  }
  if (reader.problems.length > 0) throw new ServiceConfigError('speech to text', reader.problems)
  return config
}
