import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { HttpError } from '../kit/http-error.ts'
import type { DeclaredModel } from '../kit/models/declared-model.ts'
import { ModelStore } from '../kit/models/model-store.ts'
import { ModelWeights } from '../kit/models/model-weights.ts'
import { createLogger } from '../kit/logger.ts'
import { acceptMultipart } from '../kit/multipart-form.ts'
import type { RunningService } from '../kit/run-service.ts'
import { closeGracefully, listenDeclared, useErrorFamily } from '../kit/server.ts'
import { createServiceBoundary, type ServiceBoundary } from '../kit/service-boundary.ts'
import type { TtsConfig } from './config.ts'
import { CHATTERBOX_WEIGHTS, ChatterboxEngine } from './engines/chatterbox/chatterbox-engine.ts'
import { FliteEngine } from './engines/flite/flite-engine.ts'
import { KOKORO_WEIGHTS, KokoroEngine } from './engines/kokoro/kokoro-engine.ts'
import { VoiceFitEngine } from './engines/voice-fit/voice-fit-engine.ts'
import { registerModelRoutes } from './routes/model-routes.ts'
import { registerSpeechRoutes } from './routes/speech-routes.ts'
import { registerVoiceRoutes } from './routes/voice-routes.ts'
import { SpeechDesk } from './speech-desk.ts'
import { VoiceStore } from './voices/voice-store.ts'

const CLOSE_GRACE_MS = 3000

export interface TtsServiceOptions {
  /** Ends the process after a deadline; replaced in tests. */
  restart?: () => void
  /** Weights are kept here and fetched from here; the person's own cache when absent. */
  models?: { store: ModelStore; kokoro: DeclaredModel; chatterbox: DeclaredModel }
}

/** Starts the service. */
export async function startTts(config: TtsConfig, options: TtsServiceOptions = {}): Promise<RunningService> {
  const flite = new FliteEngine()
  const boundary = createServiceBoundary({
    logger: createLogger('tts', config.logLevel),
    settings: config.boundary,
    selfCheck: (signal) => flite.speak({ text: 'One.', voice: flite.voices[0]!.id, speed: 1 }, signal),
    ...(options.restart === undefined ? {} : { restart: options.restart }),
  })
  const models = options.models ?? { store: new ModelStore(), kokoro: KOKORO_WEIGHTS, chatterbox: CHATTERBOX_WEIGHTS }
  const refusal = refusalOf(config.source)
  const close = refusal !== null ? refuseAll(boundary.app, refusal) : await addRoutes(boundary, flite, config, models)
  const listening = await listenDeclared(boundary.app, config.host, config.port)
  return {
    ...listening,
    async close() {
      await closeGracefully(boundary.app, CLOSE_GRACE_MS)
      await close()
    },
  }
}

async function addRoutes(
  boundary: ServiceBoundary,
  flite: FliteEngine,
  config: TtsConfig,
  models: NonNullable<TtsServiceOptions['models']>,
): Promise<() => Promise<void>> {
  const { app } = boundary
  const voiceFit = new VoiceFitEngine(flite)
  const kokoro = new KokoroEngine(new ModelWeights(models.store, models.kokoro), flite.reader)
  const chatterbox = new ChatterboxEngine(new ModelWeights(models.store, models.chatterbox))
  const voices = new VoiceStore(join(config.stateDir, 'voices'))
  const isVoiceSource = config.source.startsWith('ttsvoice')
  const engines = [flite, kokoro]
  const cloningEngines = [voiceFit, chatterbox]
  const all = [...engines, ...cloningEngines]
  const builtIn = new Set(engines.flatMap((engine) => engine.voices.map(({ id }) => id.toLowerCase())))
  const desk = new SpeechDesk({ engines, cloningEngines, voices, defaultModel: isVoiceSource ? voiceFit.id : flite.id })
  const maxClipBytes = config.boundary.maxUploadBytes

  app.get('/health', boundary.open, async (_request, reply) => {
    const problem = boundary.problem()
    return reply.code(problem === null ? 200 : 503).send({
      status: problem === null ? 'healthy' : 'unhealthy',
      message: problem === null ? 'OK' : 'Speech synthesis fails',
      source: config.source,
      device: 'cpu',
      // Flite comes with the service and speaks as soon as this answers.
      model_loaded: problem === null,
      detail: problem,
    })
  })
  await app.register(async (scope) => {
    useErrorFamily(scope, isVoiceSource ? 'voice' : 'detail')
    acceptMultipart(scope)
    registerSpeechRoutes(scope, boundary, desk, maxClipBytes)
    registerModelRoutes(scope, all)
    scope.get('/languages', async () => {
      const codes = [...new Set(all.flatMap(({ languages }) => languages))]
      const names = new Intl.DisplayNames(['en'], { type: 'language' })
      return { languages: codes.map((code) => ({ code, name: names.of(code) ?? code })), count: codes.length }
    })
  })
  await app.register(async (scope) => {
    useErrorFamily(scope, 'voice')
    acceptMultipart(scope)
    registerVoiceRoutes(scope, boundary, voices, maxClipBytes, cloningEngines, builtIn)
  })
  return async () => {
    await Promise.all(
      all.map(async (engine) => {
        await engine.weights?.stop()
        await engine.close()
      }),
    )
  }
}

/** Why nothing speaks under a source; null when it does. */
function refusalOf(source: TtsConfig['source']): string | null {
  if (source === 'disabled') return 'Text to speech is disabled: TTS_PROVIDER_SOURCE'
  if (!source.endsWith('-gpu')) return null
  const instead = source.startsWith('ttsvoice') ? 'ttsvoice-localhost' : 'ttsbasic-container-cpu'
  return `TTS_PROVIDER_SOURCE=${source} asks for a graphics card, which this service does not use. Set ${instead} to speak with the processor, or TTS_ENDPOINT to a service that has one.`
}

/** The address answers, and reports why nothing speaks. */
function refuseAll(app: FastifyInstance, reason: string): () => Promise<void> {
  app.addHook('onRequest', async () => {
    throw new HttpError(503, reason)
  })
  return async () => undefined
}
