import type { ServiceModel, TranscriptionHealth } from '../../contract/index.ts'
import { createLogger } from '../kit/logger.ts'
import type { DeclaredModel } from '../kit/models/declared-model.ts'
import { ModelStore } from '../kit/models/model-store.ts'
import { BUILT_IN, ModelWeights } from '../kit/models/model-weights.ts'
import { acceptMultipart } from '../kit/multipart-form.ts'
import type { RunningService } from '../kit/run-service.ts'
import { closeGracefully, listenDeclared } from '../kit/server.ts'
import { createServiceBoundary } from '../kit/service-boundary.ts'
import { chooseBackend, expectedOf } from './backends/choose-backend.ts'
import { ONNX_MODELS, SHERPA_MODELS } from './backends/recognition-models.ts'
import type { SttConfig } from './config.ts'
import { ModelHolder } from './model-holder.ts'
import type { OpenRecognizer } from './model-holder.ts'
import { registerTranscriptionRoutes } from './routes.ts'

const CLOSE_GRACE_MS = 3000

export interface SttServiceOptions {
  /** Ends the process after a deadline; replaced in tests. */
  restart?: () => void
  /** Opens the recognizer; the configured backend when absent. */
  open?: OpenRecognizer
  /** Where weights are kept and fetched from; the person's own cache when absent. */
  store?: ModelStore
}

/** Starts the service. It listens at once; its model may load for minutes more, and is answered for with 503 until then. */
export async function startStt(config: SttConfig, options: SttServiceOptions = {}): Promise<RunningService> {
  const boundary = createServiceBoundary({
    logger: createLogger('stt', config.logLevel),
    settings: config.boundary,
    ...(options.restart === undefined ? {} : { restart: options.restart }),
  })
  const store = options.store ?? new ModelStore()
  const models = new ModelHolder(options.open ?? chooseBackend(config, store), expectedOf(config))
  const { app } = boundary
  app.get('/health', boundary.open, async (_request, reply) => {
    const health = models.health()
    return reply.code(health.status === 'healthy' ? 200 : 503).send(health)
  })
  app.get('/v1/models', async () => {
    const health = models.health()
    const listed = await listedModel(health, store)
    return { object: 'list', data: [{ ...listed, created: 0, object: 'model', owned_by: health.backend }] }
  })
  await app.register(async (scope) => {
    acceptMultipart(scope)
    registerTranscriptionRoutes(scope, boundary, models, config)
  })
  const listening = await listenDeclared(app, config.host, config.port)
  return {
    ...listening,
    async close() {
      await closeGracefully(app, CLOSE_GRACE_MS)
      await models.close()
    },
  }
}

const DECLARED = [ONNX_MODELS, SHERPA_MODELS].flatMap((models) =>
  Object.values(models).map(({ declared }): DeclaredModel => declared),
)

/** The one model of the service as pages show it. It is fetched at the service's start, so health knows how far that is and why it failed. */
async function listedModel(health: TranscriptionHealth, store: ModelStore): Promise<ServiceModel> {
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
