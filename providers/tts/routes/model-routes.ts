import type { FastifyInstance } from 'fastify'
import type { SpeechModel } from '../../../contract/http/speech.ts'
import { HttpError } from '../../kit/http-error.ts'
import { BUILT_IN } from '../../kit/models/model-weights.ts'
import { engineNamed, type CloningEngine, type SpeechEngine } from '../engines/speech-engine.ts'

type Engine = SpeechEngine | CloningEngine

/** `/v1/models`, `/v1/registry` and `/v1/audio/models|voices`: what can speak, and what could after a download. Ids may hold slashes. */
export function registerModelRoutes(scope: FastifyInstance, engines: readonly Engine[]): void {
  const models = (): Promise<SpeechModel[]> => Promise.all(engines.map(describe))
  const known = (params: unknown): Engine => {
    const id = (params as { '*': string })['*']
    const engine = engineNamed(engines, id)
    if (engine === undefined)
      throw new HttpError(404, `Model '${id}' not found. GET /v1/registry lists the models.`, { type: 'model_error' })
    return engine
  }

  scope.get('/v1/models', async () => ({ object: 'list', data: (await models()).filter(({ installed }) => installed) }))
  scope.get('/v1/registry', async () => ({ object: 'list', data: await models() }))
  scope.get('/v1/audio/models', async () => ({ object: 'list', models: await models() }))
  scope.get('/v1/audio/voices', async () => ({
    object: 'list',
    voices: (await models()).flatMap(({ id, voices }) => voices.map((voice) => ({ ...voice, model: id }))),
  }))
  scope.get('/v1/models/*', async (request) => describe(known(request.params)))

  scope.post('/v1/models/*', async (request, reply) => {
    const { id, weights } = known(request.params)
    const outcome = weights === null ? 'already_there' : await weights.download()
    // 201 for what was there and 200 for what was fetched: so the product does whose clients come here.
    return outcome === 'already_there'
      ? reply.code(201).type('text/plain').send(`Model '${id}' already exists`)
      : reply.code(200).type('text/plain').send(`Model '${id}' downloaded`)
  })

  scope.delete('/v1/models/*', async (request) => {
    const engine = known(request.params)
    const { id, weights } = engine
    if (weights === null) throw new HttpError(400, `Model '${id}' is part of the installation`, { type: 'model_error' })
    // A loaded model must not go on speaking without its files.
    await engine.close()
    if (await weights.remove()) return { detail: `Model '${id}' deleted` }
    throw new HttpError(404, `Model '${id}' is not installed locally`, { type: 'model_error' })
  })
}

async function describe(engine: Engine): Promise<SpeechModel> {
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
    ...((await engine.weights?.facts()) ?? BUILT_IN),
  }
}
