import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { UserPage } from '../../http/user-page.ts'
import { HttpError } from '../../../kit/http-error.ts'
import { parseRequest } from '../../../kit/validate.ts'
import { namedUser, subjectOf } from '../../identity/guard.ts'
import type { TaskStore } from '../../jobs/task-store.ts'
import type { BeginOperation } from './begin-operation.ts'
import type { BudgetLedger } from './budget-ledger.ts'
import { checkInputImages } from './input-images.ts'
import { CHECKPOINT, LocalInput } from './comfyui-client.ts'
import { FAL_MODEL, fromMicro, SCOPE_NAME, toMicro } from './media-settings.ts'
import type { MediaSettings } from './media-settings.ts'
import { isEnded, MODALITIES } from './operation-store.ts'
import type { Artifact, MediaOperation, MediaStatus, OperationStore } from './operation-store.ts'
import { ARTIFACTS } from './run-operation.ts'

/** An operation as its routes show it. */
export interface MediaOperationView {
  operation_id: string
  status: MediaStatus
  provider: string
  model: string
  modality: string
  operation_url: string
  /** Of the first artifact. */
  artifact_url: string | null
  artifacts: (Omit<Artifact, 'name'> & { url: string })[]
  /** Null until the end, and where it is unknown. */
  cost_usd: number | null
  license: string | null
  provenance: Record<string, unknown>
  /** The hosted provider's result. */
  raw: unknown
  user_id: string | null
  consumer: string
  project: string | null
  error: string | null
  log: { at: string; message: string }[]
  created_at: string
  updated_at: string
}

export interface MediaRoutesDeps {
  operations: OperationStore
  ledger: BudgetLedger
  tasks: TaskStore
  settings: MediaSettings
  begin: BeginOperation
  /** Counts for operations that name no consumer. */
  ownConsumer: string
  /** Starts looking for operations to run. */
  wake: () => void
}

const Name = z.string().regex(SCOPE_NAME, 'expected 1 to 64 letters, digits, dots, hyphens and underscores')
const Generate = z.strictObject({
  modality: z.enum(MODALITIES),
  provider: z.enum(['fal', 'local']).default('fal'),
  model: z.string().max(200).optional(),
  input: z.record(z.string().max(200), z.unknown()).default({}),
  timeout_seconds: z.number().int().min(1).max(3600).optional(),
  consumer: Name.optional(),
  project: Name.optional(),
  user_id: z.string().max(256).optional(),
})
type Generate = z.output<typeof Generate>
const Count = z.number().int().min(1).max(16)
const Params = z.object({ operation_id: z.string().min(1).max(128) })
const Reconcile = z.strictObject({
  outcome: z.enum(['commit', 'release']),
  final_cost_usd: z.number().min(0).max(1_000_000).optional(),
})

/**
 * Media operations. A user has its own; an operator has all and may name a user. 400 a provider, model or input that does not fit, 402 over a cap,
 * 403 another user or consumer, 404 unknown operation or one of another user, 409 a step that its state does not allow, 413 too large, 422
 * malformed request, 503 disabled provider.
 */
export function registerMediaRoutes(app: FastifyInstance, deps: MediaRoutesDeps): void {
  const { operations, ledger, tasks, settings, begin, ownConsumer, wake } = deps
  const { budget, fal } = settings

  app.post('/media/generate', { bodyLimit: settings.requestMaxBytes }, async (request): Promise<MediaOperationView> => {
    const asked = parseRequest(Generate, request.body)
    const subject = namedUser(request, asked.user_id)
    const chosen = asked.provider === 'local' ? localChoice(asked) : falChoice(asked)
    await checkInputImages(asked.input, settings)
    const operation = await begin({
      subject,
      consumer: consumerOf(request, asked.consumer),
      project: asked.project ?? null,
      provider: asked.provider,
      modality: asked.modality,
      ...chosen,
      input: asked.input,
      timeoutMs: asked.timeout_seconds === undefined ? settings.defaultTimeoutMs : asked.timeout_seconds * 1000,
    })
    return view(request, operation)
  })

  app.get('/media/operations', async (request): Promise<{ operations: MediaOperationView[] }> => {
    const { user_id: given, limit, offset } = parseRequest(UserPage, request.query, 'query')
    const found = await operations.list(namedUser(request, given), limit, offset)
    const views: MediaOperationView[] = []
    for (const operation of found) views.push(await view(request, operation))
    return { operations: views }
  })

  app.get('/media/operations/:operation_id', async (request): Promise<MediaOperationView> =>
    view(request, await operationOf(request)),
  )

  app.post('/media/operations/:operation_id/cancel', async (request, reply): Promise<MediaOperationView> => {
    const { id, status } = await operationOf(request)
    const outcome = await operations.requestCancel(id)
    if (outcome === 'ended')
      throw new HttpError(409, `The media operation has ended: it is ${(await operations.get(id))!.status}`)
    if (outcome === 'already_requested')
      throw new HttpError(409, 'The cancellation of this media operation is requested already')
    if (outcome === 'not_submitted')
      throw new HttpError(
        409,
        `The media operation cannot be cancelled while it is ${status}: the provider gave no request id yet`,
      )
    wake()
    void reply.code(202)
    return view(request, (await operations.get(id))!)
  })

  app.post('/media/operations/:operation_id/reconcile', async (request): Promise<MediaOperationView> => {
    const { outcome, final_cost_usd: given } = parseRequest(Reconcile, request.body)
    const operation = await operationOf(request)
    const { id, status } = operation
    if (outcome === 'release' && given !== undefined)
      throw new HttpError(400, 'final_cost_usd is for the outcome "commit" only')
    if (isEnded(operation)) {
      if (outcome === 'commit' && given !== undefined && (await operations.correctCost(id, toMicro(given))))
        return view(request, (await operations.get(id))!)
      throw new HttpError(409, `The cost of this media operation is settled: it is ${status}`)
    }
    const isStuck =
      status === 'submission_unknown' ||
      status === 'cancellation_requested' ||
      (status === 'running' && !(operation.provider === 'fal' ? fal !== null : 'url' in settings.local))
    if (!isStuck) throw new HttpError(409, `The media operation is ${status}: its provider will report the outcome`)
    const reserved = (await ledger.find(id))?.reserved_micro ?? operation.price
    const isEndedHere = await operations.end(
      id,
      outcome === 'commit'
        ? {
            status: 'failed',
            settlement: { state: 'committed', cost: given === undefined ? reserved : toMicro(given) },
            error: 'its outcome is unknown; its cost was committed by hand',
          }
        : {
            status: 'failed',
            settlement: { state: 'released' },
            error: 'its outcome is unknown; its reservation was released by hand',
          },
      [status],
    )
    if (!isEndedHere)
      throw new HttpError(409, `The media operation has changed: it is ${(await operations.get(id))!.status}`)
    return view(request, (await operations.get(id))!)
  })

  app.get('/media/spend', async (request) => {
    const { user_id: given } = parseRequest(UserPage.pick({ user_id: true }), request.query, 'query')
    const subject = namedUser(request, given)
    const totals = await ledger.totals(subject)
    return {
      enabled: budget.enabled,
      currency: budget.currency,
      scopes: totals.map(({ scope, reserved, committed, recoveries, cap }) => ({
        scope,
        reserved_usd: fromMicro(reserved),
        committed_usd: fromMicro(committed),
        recovery_rows: recoveries,
        // A cap is of all users together: what one of them spent does not show how much is left.
        cap_usd: subject !== null || cap === null ? null : fromMicro(cap),
      })),
    }
  })

  function localChoice({ modality, model, input }: Generate) {
    const { checkpoint } = localProvider(settings)
    if (modality !== 'image') throw new HttpError(400, `The provider "local" makes images, no ${modality}`)
    const checked = LocalInput.safeParse(input)
    if (!checked.success) {
      const { path, message } = checked.error.issues[0]!
      throw new HttpError(400, `Invalid input${path.length === 0 ? '' : ` at ${path.join('.')}`}: ${message}`)
    }
    // The licence is that of the checkpoint, which ComfyUI does not report.
    return { model: checkpointOf(model, checkpoint), license: null, price: 0, reserved: 0 }
  }

  function falChoice({ model, input }: Generate) {
    if (fal === null) throw providerDisabled('fal', 'MEDIA_FAL_ENABLED')
    if (model === undefined || !FAL_MODEL.test(model) || model.includes('..'))
      throw new HttpError(400, 'model is required with the provider "fal", such as fal-ai/flux/schnell')
    const count = Count.safeParse(input['num_images'] ?? 1)
    if (!count.success) throw new HttpError(400, 'Invalid input at num_images: expected a whole number from 1 to 16')
    const known = fal.models.get(model)
    const price = known?.cost ?? null
    return { model, license: known?.license ?? null, price, reserved: price === null ? null : price * count.data }
  }

  /** A user may count an operation for a consumer that has a cap of its own: with invented names every cap could be passed by. */
  function consumerOf(request: FastifyRequest, given: string | undefined): string {
    if (given === undefined || given === ownConsumer) return ownConsumer
    if (subjectOf(request) !== null && !budget.caps.has(given))
      throw new HttpError(403, `Users cannot name the consumer "${given}": MEDIA_BUDGET_CONSUMER_CAPS does not list it`)
    return given
  }

  async function operationOf(request: FastifyRequest): Promise<MediaOperation> {
    const { operation_id: id } = parseRequest(Params, request.params, 'path')
    const operation = await operations.get(id)
    const subject = subjectOf(request)
    if (operation === null || (subject !== null && operation.subject !== subject))
      throw new HttpError(404, 'Unknown media operation')
    return operation
  }

  async function view(request: FastifyRequest, operation: MediaOperation): Promise<MediaOperationView> {
    const base = `${request.protocol}://${request.host}`
    const at = (ms: number): string => new Date(ms).toISOString()
    const artifacts = operation.artifacts.map(({ name, ...artifact }) => ({
      url: `${base}/storage/objects/${ARTIFACTS}/${name}`,
      ...artifact,
    }))
    return {
      operation_id: operation.id,
      status: operation.status,
      provider: operation.provider,
      model: operation.model,
      modality: operation.modality,
      operation_url: `${base}/media/operations/${operation.id}`,
      artifact_url: artifacts[0]?.url ?? null,
      artifacts,
      cost_usd: operation.cost === null ? null : fromMicro(operation.cost),
      license: operation.license,
      provenance: operation.provenance,
      raw: operation.raw,
      user_id: operation.subject,
      consumer: operation.consumer,
      project: operation.project,
      error: operation.error,
      log: await tasks.logOf(operation.id),
      created_at: at(operation.createdMs),
      updated_at: at(operation.updatedMs),
    }
  }
}

/** The refusal of work for a provider that a variable disables. */
const providerDisabled = (provider: string, variable: string): HttpError =>
  new HttpError(503, `The media provider "${provider}" is disabled (${variable})`)

/** Returns where the local provider is. Throws 503 with what is missing. */
export function localProvider({ local }: Pick<MediaSettings, 'local'>): { url: string; checkpoint: string | null } {
  if ('url' in local) return local
  if (local.missing === 'COMFYUI_URL')
    throw new HttpError(503, 'The media provider "local" has no image service: set COMFYUI_URL to a ComfyUI server')
  throw providerDisabled('local', local.missing)
}

/** The checkpoint of a request, else the configured one. Throws 400 where there is neither. */
export function checkpointOf(asked: string | null | undefined, configured: string | null): string {
  const model = asked ?? configured
  if (model !== null && CHECKPOINT.test(model) && !model.split(/[/\\]/).includes('..')) return model
  throw new HttpError(
    400,
    'The provider "local" needs a checkpoint of ComfyUI, such as sd_xl_base_1.0.safetensors: name it in the request, or set COMFYUI_CHECKPOINT',
  )
}
