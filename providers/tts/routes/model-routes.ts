import type { FastifyInstance } from 'fastify'
import type { SpeechModel } from '../../../contract/index.ts'
import { HttpError } from '../../kit/http-error.ts'
import type { CloningEngine, SpeechEngine } from '../engines/speech-engine.ts'

/** Weights that can be fetched and removed; engines without them are bundled. */
export interface ModelWeights {
  /** Whether they were here already. */
  download(signal: AbortSignal): Promise<'downloaded' | 'already_there'>
  /** False when there was nothing to remove. */
  remove(): Promise<boolean>
}

export interface ModelRoutesOptions {
  engines: readonly (SpeechEngine | CloningEngine)[]
  weightsOf: (id: string) => ModelWeights | null
}

/** `/v1/models`, `/v1/registry` and `/v1/audio/models|voices`: what can speak, and what could after a download. Ids may hold slashes. */
export function registerModelRoutes(scope: FastifyInstance, { engines, weightsOf }: ModelRoutesOptions): void {
  const models = (): Promise<SpeechModel[]> => Promise.all(engines.map(describe))
  const known = (id: string) => {
    const engine = engines.find((each) => each.id === id)
    if (engine === undefined) throw new HttpError(404, `Model '${id}' not found`)
    return engine
  }
  const idOf = (params: unknown): string => (params as { '*': string })['*']

  scope.get('/v1/models', async () => ({ object: 'list', data: (await models()).filter(({ installed }) => installed) }))
  scope.get('/v1/registry', async () => ({ object: 'list', data: await models() }))
  scope.get('/v1/audio/models', async () => ({ object: 'list', models: await models() }))
  scope.get('/v1/audio/voices', async () => ({
    object: 'list',
    voices: (await models()).flatMap(({ id, voices }) => voices.map((voice) => ({ ...voice, model: id }))),
  }))
  scope.get('/v1/models/*', async (request) => describe(known(idOf(request.params))))

  scope.post('/v1/models/*', async (request, reply) => {
    const { id } = known(idOf(request.params))
    const weights = weightsOf(id)
    const outcome = weights === null ? 'already_there' : await weights.download(new AbortController().signal)
    // 201 for what was there and 200 for what was fetched: so the product does whose clients come here.
    return outcome === 'already_there'
      ? reply.code(201).type('text/plain').send(`Model '${id}' already exists`)
      : reply.code(200).type('text/plain').send(`Model '${id}' downloaded`)
  })

  scope.delete('/v1/models/*', async (request) => {
    const { id } = known(idOf(request.params))
    const weights = weightsOf(id)
    if (weights === null) throw new HttpError(400, `Model '${id}' is part of the installation`)
    if (!(await weights.remove())) throw new HttpError(404, `Model '${id}' is not installed locally`)
    return { detail: `Model '${id}' deleted` }
  })
}

async function describe(engine: SpeechEngine | CloningEngine): Promise<SpeechModel> {
  return {
    id: engine.id,
    created: 0,
    object: 'model',
    owned_by: engine.owner,
    language: [...engine.languages],
    task: 'text-to-speech',
    sample_rate: engine.sampleRate,
    voices: 'voices' in engine ? [...engine.voices] : [],
    license: engine.license,
    description: engine.description,
    clones: 'speakLike' in engine,
    installed: await engine.isInstalled(),
  }
}
