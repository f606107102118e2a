// The gateway is the OpenAI-compatible front of the platform. In: HTTP requests for chat, embeddings and the list of models. Out: completions, at once or
// as server-sent frames, and errors in the form that OpenAI clients expect.
//   1. `chat` below checks a request, finds whom its model names (an alias or a role of the model host), and answers it.
//   2. alias-backend.ts is what the gateway needs of a plugin: the one in this process (providers/platform/rag), or one elsewhere (http-alias-backend.ts).
//   3. response-cache.ts serves an equal request again, where its caller allows that and the data have not changed since. Measured answers never use it.
//   4. completion-frames.ts sends a completion of a model piece by piece; the plugin makes the frames of its own answers.
// An alias that cannot answer is refused with its reason before it is called. The counts of calls by alias are what a run reports as its usage.
import { hash, randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ChatRequest, EmbeddingsRequest } from '../../../contract/http/chat.ts'
import { TRACE_HEADER } from '../../../contract/evidence/trace.ts'
import { ModelRole, roleTask } from '../../../contract/manifests/models.ts'
import type { ChatCompletion, ModelList } from '../../../contract/http/chat.ts'
import type { AliasDeclaration } from '../../../contract/manifests/consumer.ts'
import { canonicalJson } from '../../../core/canonical-json.ts'
import { callerSignal } from '../../kit/caller-signal.ts'
import { HttpError } from '../../kit/http-error.ts'
import { useErrorFamily } from '../../kit/server.ts'
import { parseRequest } from '../../kit/validate.ts'
import { sendEvents } from '../http/event-stream.ts'
import type { EventStreamOptions, FrameSource } from '../http/event-stream.ts'
import { countTokens } from '../../../contract/evidence/count-tokens.ts'
import { strictChoice } from '../models/prompts/classify-task.ts'
import type { ChatRole, EmbeddingRole, ModelHost, OnText } from '../models/model-host.ts'
import { WAITED_HEADER, withWaitClock } from '../models/model-waits.ts'
import { createTextFrames } from '../http/text-frames.ts'
import { recordedAnswer } from '../trace/traced-parts.ts'
import type { AliasBackend } from './alias-backend.ts'
import { completionFrames } from './completion-frames.ts'
import { CacheWishes } from './response-cache.ts'
import type { ResponseCache } from './response-cache.ts'

export interface GatewayDeps {
  project: string
  aliases: readonly AliasDeclaration[]
  backend: AliasBackend
  models: ModelHost
  cache: ResponseCache
  /** Which ids `GET /v1/models` lists where the request does not choose: those that a chat client can offer, or every one. */
  listed?: 'aliases' | 'all'
  stream?: EventStreamOptions
  /** Changes whenever the data of the aliases does, so that no answer outlives it in the cache; null when that is unknown. */
  dataVersion: () => Promise<string | null>
}

export interface Gateway {
  register(app: FastifyInstance): void
  /** Calls of the plugin since the start, by alias; failed ones count, cached answers do not. */
  aliasCalls(): Record<string, number>
  /** Aliases with what they can do; with `all` also every role and its model. */
  modelList(all: boolean): Promise<ModelList>
}

const ListQuery = z.looseObject({ all: z.enum(['true', 'false', '1', '0', '']).optional() })

/** Fields of a chat request that are for the gateway only. */
const GatewayFields = z.looseObject({
  cache: CacheWishes.nullish().transform((wishes) => wishes ?? CacheWishes.parse({})),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
})

const EmbeddingExtras = z.looseObject({
  /** Additive: which side of a search the texts are. */
  input_type: z
    .enum(['query', 'document'])
    .nullish()
    .transform((side) => side ?? 'document'),
  dimensions: z.int().positive().nullish(),
})

/** The OpenAI-compatible front of aliases and models. */
export function createGateway(deps: GatewayDeps): Gateway {
  const directory = createModelDirectory(deps.aliases, deps.models)
  const calls = new Map<string, number>()
  const startedAt = Math.floor(Date.now() / 1000)

  async function modelList(all: boolean): Promise<ModelList> {
    const states = await Promise.all(directory.aliases.map(async (alias) => deps.backend.availability(alias)))
    const entry = (id: string, owner: string) => ({ id, object: 'model' as const, created: startedAt, owned_by: owner })
    return {
      object: 'list',
      data: [
        ...directory.aliases.map((alias, index) => ({
          ...entry(alias, deps.project),
          rag_ladder: states[index] ?? { available: false, reason: 'the plugin does not know this alias' },
        })),
        ...(all ? directory.modelIds.map((id) => entry(id, 'model-host')) : []),
      ],
    }
  }

  async function listModels(request: FastifyRequest): Promise<ModelList> {
    const { all } = parseRequest(ListQuery, request.query, 'query')
    return modelList(all === undefined ? deps.listed === 'all' : all !== 'false' && all !== '0')
  }

  async function oneModel(request: FastifyRequest): Promise<ModelList['data'][number]> {
    const { '*': id } = request.params as { '*': string }
    const entry = (await modelList(true)).data.find((model) => model.id === id)
    if (entry !== undefined) return entry
    throw new HttpError(404, `There is no model "${id}"; GET /v1/models?all=true lists what there is`, {
      code: 'model_not_found',
      param: 'model',
    })
  }

  async function answerAlias(
    alias: string,
    chat: ChatRequest,
    signal: AbortSignal,
    onText?: OnText,
  ): Promise<ChatCompletion> {
    const state = await deps.backend.availability(alias)
    if (state?.available !== true) {
      const reason = state?.reason ?? 'the plugin does not know it'
      throw new HttpError(503, `The alias "${alias}" cannot answer now: ${reason}`, {
        code: 'alias_unavailable',
        type: 'service_unavailable_error',
        param: 'model',
        // It will not be there a second later: clients that retry by themselves should not.
        headers: { 'x-should-retry': 'false' },
      })
    }
    calls.set(alias, (calls.get(alias) ?? 0) + 1)
    return deps.backend.answer(alias, chat, signal, onText)
  }

  /** One question as the gateway serves it. */
  async function chat(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    // 1. Check the request, and keep back what is for the gateway only.
    const body = parseRequest(ChatRequest, request.body)
    const { cache: wishes, stream_options: streamOptions } = parseRequest(GatewayFields, request.body)
    const asked = withoutGatewayFields(body)
    // 2. Find who answers: an alias, which is an approach with its parameters, or a model.
    const target = directory.chatTarget(body.model)
    const signal = callerSignal(request, reply)
    const isCacheWanted = deps.cache.wanted(wishes)
    const answer = (onText?: OnText) =>
      recordedAnswer(isCacheWanted ? undefined : request.headers[TRACE_HEADER], () =>
        target.kind === 'alias'
          ? answerAlias(target.alias, asked, signal, onText)
          : withWaitClock(async (clock) => {
              const completion = await answerRole(deps.models, target.role, asked, { signal, onText })
              // An alias reports its waits in its metrics.
              if (onText === undefined) void reply.header(WAITED_HEADER, String(clock.waitedMs))
              return completion
            }),
      )
    // 3. Answer piece by piece, where the caller wants that.
    if (body.stream === true) {
      const frames = createTextFrames(body.model)
      const source: FrameSource = async (send) => {
        const completion = await answer((piece) => send(frames.of(piece)))
        return target.kind === 'alias'
          ? deps.backend.streamFrames(completion, frames.sent())
          : completionFrames(completion, streamOptions?.include_usage === true, frames.sent())
      }
      return sendEvents(reply, source, deps.stream)
    }
    // 4. Else answer at once, from the cache where the caller allows it. A measured answer never comes from it.
    if (!isCacheWanted) return reply.send(await answer())
    const data = target.kind === 'alias' ? await deps.dataVersion() : ''
    if (data === null) return reply.send(await answer())
    const key = hash('sha256', canonicalJson({ asked, namespace: wishes.namespace, data }))
    const kept = deps.cache.get(key, wishes)
    if (kept !== null) return sendJson(reply.header('x-rag-ladder-cache', 'hit'), kept)
    const text = JSON.stringify(await answer())
    deps.cache.put(key, text, wishes)
    return sendJson(reply, text)
  }

  return {
    aliasCalls: () => Object.fromEntries(calls),
    modelList,
    register(app) {
      void app.register(async (scope) => {
        useErrorFamily(scope, 'openai')
        // Also for those who are refused at the door: what clients quote when they ask what went wrong.
        scope.addHook('onSend', async (request, reply) => {
          void reply.header('x-request-id', requestId(request))
        })
        scope.post('/v1/chat/completions', chat)
        scope.post('/v1/embeddings', (request, reply) => embeddings(directory, deps.models, request, reply))
        scope.get('/v1/models', listModels)
        scope.get('/v1/models/*', oneModel)
        scope.route({ method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], url: '/v1/*', handler: unknownRoute })
        scope.get('/health/liveliness', async (_request, reply) => sendJson(reply, JSON.stringify("I'm alive!")))
        scope.get('/health/readiness', async () => ({ status: 'healthy', aliases: directory.aliases.length }))
      })
    },
  }
}

/** The request as the plugin or a model gets it. */
function withoutGatewayFields(body: ChatRequest): ChatRequest {
  const { cache: _cache, stream: _stream, stream_options: _options, ...asked } = body
  return asked
}

async function answerRole(
  models: ModelHost,
  role: Parameters<ModelHost['chat']>[0],
  asked: ChatRequest,
  { signal, onText }: { signal: AbortSignal; onText: OnText | undefined },
): Promise<ChatCompletion> {
  const { model, ...request } = asked
  const completion = await models.chat(role, request, signal, onText)
  const named = { ...completion, model: completion.model === '' ? model : completion.model }
  // What was streamed cannot be taken back.
  return role === 'workflow_classifier' && onText === undefined ? withStrictChoice(request, named) : named
}

/** A workflow finds the route in the reply by a pattern, so it gets the choice alone; other replies of the model stay as they are. */
function withStrictChoice({ messages }: Pick<ChatRequest, 'messages'>, completion: ChatCompletion): ChatCompletion {
  const choices = completion.choices.map((choice) => {
    const content = strictChoice(messages, choice.message.content ?? '')
    return content === null ? choice : { ...choice, message: { ...choice.message, content } }
  })
  return { ...completion, choices }
}

async function embeddings(
  directory: ModelDirectory,
  models: ModelHost,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<object> {
  const body = parseRequest(EmbeddingsRequest, request.body)
  const { input_type: side, dimensions } = parseRequest(EmbeddingExtras, request.body)
  const texts = typeof body.input === 'string' ? [body.input] : body.input
  if (texts.includes(''))
    throw new HttpError(400, 'input must not be empty', { code: 'invalid_request', param: 'input' })
  const role = directory.embeddingRole(body.model)
  const vectors = await models.embed(role, texts, side, callerSignal(request, reply))
  if (dimensions !== undefined && dimensions !== null && vectors.some((vector) => vector.length !== dimensions)) {
    throw new HttpError(400, `The model "${body.model}" has ${vectors[0]?.length ?? 0} dimensions`, {
      param: 'dimensions',
    })
  }
  const encode = body.encoding_format === 'base64' ? base64 : (vector: Float32Array) => Array.from(vector)
  // An estimate: the embedding models report no counts.
  const tokens = texts.reduce((sum, text) => sum + countTokens(text), 0)
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encode(vector) })),
    model: body.model,
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  }
}

/** Little-endian 32-bit floats, as clients of the OpenAI API decode them. */
function base64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4)
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * 4))
  return bytes.toString('base64')
}

function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(json)
}

function unknownRoute(request: FastifyRequest): never {
  const path = request.url.split('?', 1)[0]!
  const known = 'POST /v1/chat/completions, POST /v1/embeddings, GET /v1/models and GET /v1/models/{id}'
  throw new HttpError(404, `There is no route ${request.method} ${path} here; there are ${known}`, {
    type: 'invalid_request_error',
    code: 'unknown_url',
  })
}

/** The caller's own id where it is a short plain one, else one of ours. */
function requestId(request: FastifyRequest): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : `req_${randomUUID()}`
}

/** Describes what a model id of a request refers to. */
type ModelTarget = { kind: 'alias'; alias: string } | { kind: 'role'; role: ModelRole }

/** Every id that the gateway answers to: aliases, then roles, then the names of the models of the roles. */
interface ModelDirectory {
  readonly aliases: readonly string[]
  /** Ids of roles and models, in the order of the roles. */
  readonly modelIds: readonly string[]
  chatTarget(model: string): { kind: 'alias'; alias: string } | { kind: 'role'; role: ChatRole }
  embeddingRole(model: string): EmbeddingRole
}

/** The directory of one start; lookups throw a 400 `HttpError` for ids of nothing or of the wrong kind of model. */
function createModelDirectory(declared: readonly AliasDeclaration[], host: ModelHost): ModelDirectory {
  const targets = new Map<string, ModelTarget>(declared.map(({ alias }) => [alias, { kind: 'alias', alias }]))
  const modelIds = [...ModelRole.options, ...ModelRole.options.map((role) => host.modelName(role))]
  for (const role of ModelRole.options) addOnce(targets, role, { kind: 'role', role })
  for (const role of ModelRole.options) addOnce(targets, host.modelName(role), { kind: 'role', role })

  const find = (model: string): ModelTarget => {
    const target = targets.get(model)
    if (target !== undefined) return target
    throw new HttpError(400, `There is no model "${model}"; GET /v1/models?all=true lists what there is`, {
      code: 'model_not_found',
      param: 'model',
    })
  }
  return {
    aliases: declared.map(({ alias }) => alias),
    modelIds: [...new Set(modelIds)],
    chatTarget(model) {
      const target = find(model)
      if (target.kind === 'alias') return target
      if (roleTask(target.role) !== 'generation') throw wrongKind(model, 'chat')
      return { kind: 'role', role: target.role as ChatRole }
    },
    embeddingRole(model) {
      const target = find(model)
      if (target.kind === 'alias' || roleTask(target.role) !== 'embedding') throw wrongKind(model, 'embeddings')
      return target.role as EmbeddingRole
    },
  }
}

function addOnce(targets: Map<string, ModelTarget>, id: string, target: ModelTarget): void {
  if (!targets.has(id)) targets.set(id, target)
}

function wrongKind(model: string, use: string): HttpError {
  return new HttpError(400, `The model "${model}" cannot be used for ${use}`, {
    code: 'model_not_suitable',
    param: 'model',
  })
}
