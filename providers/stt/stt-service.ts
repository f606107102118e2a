import type { ServiceModel } from '../../contract/http/service-model.ts'
import type { TranscriptionHealth } from '../../contract/http/speech.ts'
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
import { RECOGNIZER_RATE } from './backends/recognizer.ts'
import type { SttConfig } from './config.ts'
import { ModelHolder, type OpenRecognizer } from './model-holder.ts'
import { registerTranscriptionRoutes } from './routes.ts'

const CLOSE_GRACE_MS = 3000

export interface SttServiceOptions {
  /** Ends the process after a deadline; replaced in tests. */
  restart?: () => void
  /** Opens the recognizer; the configured backend when absent. */
  open?: OpenRecognizer
  /** Weights are kept here and fetched from here; the person's own cache when absent. */
  store?: ModelStore
}

/** Starts the service. It listens at once; its model may load for minutes more, and is answered for with 503 until then. */
export async function startStt(config: SttConfig, options: SttServiceOptions = {}): Promise<RunningService> {
  const store = options.store ?? new ModelStore()
  const models = new ModelHolder(options.open ?? chooseBackend(config, store), expectedOf(config))
  const boundary = createServiceBoundary({
    logger: createLogger('stt', config.logLevel),
    settings: config.boundary,
    // A second of near silence: whatever is recognized in it, the model ran.
    selfCheck: async (signal) => models.current()?.recognize(FAINT_TONE, signal),
    ...(options.restart === undefined ? {} : { restart: options.restart }),
  })
  const { app } = boundary
  app.get('/health', boundary.open, async (_request, reply) => {
    const known = models.health()
    const problem = known.status === 'healthy' ? boundary.problem() : null
    const health = problem === null ? known : { ...known, status: 'unhealthy', detail: problem }
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

const FAINT_TONE = {
  sampleRate: RECOGNIZER_RATE,
  samples: Float32Array.from({ length: RECOGNIZER_RATE }, (_, at) => 0.001 * Math.sin(at / 6)),
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
