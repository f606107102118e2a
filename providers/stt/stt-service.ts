import { listenDeclared } from '../kit/listen-declared.ts'
import { createLogger } from '../kit/logger.ts'
import { acceptMultipart } from '../kit/multipart-form.ts'
import type { RunningService } from '../kit/run-service.ts'
import { closeGracefully } from '../kit/server.ts'
import { createServiceBoundary } from '../kit/service-boundary.ts'
import { chooseBackend, expectedOf } from './backends/choose-backend.ts'
import type { SttConfig } from './config.ts'
import { ModelHolder } from './model-holder.ts'
import type { OpenRecogniser } from './model-holder.ts'
import { registerTranscriptionRoutes } from './routes.ts'

const CLOSE_GRACE_MS = 3000

export interface SttServiceOptions {
  /** Ends the process after a deadline; replaced in tests. */
  restart?: () => void
  /** Opens the recogniser; the configured backend when absent. */
  open?: OpenRecogniser
}

/** Starts the service. It listens at once; its model may load for minutes more, and is answered for with 503 until then. */
export async function startStt(config: SttConfig, options: SttServiceOptions = {}): Promise<RunningService> {
  const boundary = createServiceBoundary({
    logger: createLogger('stt', config.logLevel),
    settings: config.boundary,
    ...(options.restart === undefined ? {} : { restart: options.restart }),
  })
  const models = new ModelHolder(options.open ?? chooseBackend(config), expectedOf(config))
  const { app } = boundary
  app.get('/health', boundary.open, async (_request, reply) => {
    const health = models.health()
    return reply.code(health.status === 'healthy' ? 200 : 503).send(health)
  })
  app.get('/v1/models', async () => {
    const { model, backend } = models.health()
    return {
      object: 'list',
      data: [{ id: model, created: 0, object: 'model', owned_by: backend, task: 'automatic-speech-recognition' }],
    }
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
