import { z } from 'zod'
import { defaultOf } from '../../../../contract/settings/variables.ts'
import type { VariableName } from '../../../../contract/settings/variables.ts'
import type { EnvReader } from '../../../kit/env-reader.ts'
import { CHECKPOINT } from './comfyui-client.ts'

/** Millionths of the currency: sums of them are exact. */
export type Micro = number

export const toMicro = (amount: number): Micro => Math.round(amount * 1e6)
export const fromMicro = (amount: Micro): number => amount / 1e6

export interface BudgetSettings {
  enabled: boolean
  store: 'database' | 'memory'
  currency: string
  /** Cap of each consumer that `caps` does not name; null: none. */
  defaultCap: Micro | null
  /** Caps by `consumer` or `consumer:project`. */
  caps: ReadonlyMap<string, Micro>
  allowUnknownCost: boolean
  /** Null keeps settled rows for ever. */
  retentionMs: number | null
}

export interface FalSettings {
  endpoint: string
  apiKey: string
  /** Cost of one artifact and licence, by model. */
  models: ReadonlyMap<string, { cost: Micro; license: string | null }>
}

export interface MediaSettings {
  requestMaxBytes: number
  inputMaxBytes: number
  inputMaxPixels: number
  operationTtlMs: number
  imageMaxBytes: number
  /** Longest wait of the image route, from the request to its answer. */
  imageTimeoutMs: number
  defaultTimeoutMs: number
  /** ComfyUI, with the checkpoint for requests that name none; or the variable that keeps the local provider from working. */
  local: { url: string; checkpoint: string | null } | { missing: VariableName }
  /** Null when disabled. */
  fal: FalSettings | null
  budget: BudgetSettings
}

const MAX_AMOUNT = 1_000_000
const DAY_MS = 24 * 60 * 60_000
const Amount = z.number().min(0).max(MAX_AMOUNT)
const NAME = '[A-Za-z0-9][A-Za-z0-9._-]{0,63}'
/** Names of consumers and projects. */
export const SCOPE_NAME = new RegExp(`^${NAME}$`)
const SCOPE = new RegExp(`^${NAME}(?::${NAME})?$`)
/** `owner/app`, with or without a path below it. */
export const FAL_MODEL = /^[a-z0-9][a-z0-9._-]*(?:\/[a-z0-9][a-z0-9._-]*){1,5}$/i

const Caps = z.record(z.string().regex(SCOPE, 'expected consumer or consumer:project'), Amount)
const Models = z.record(
  z.string().regex(FAL_MODEL, 'expected a model such as fal-ai/flux/schnell'),
  z.strictObject({ cost_usd: Amount, license: z.string().min(1).max(200).nullable().default(null) }),
)

/** Reads `MEDIA_*`, `FAL_*`, `HOSTED_PROVIDER_TIMEOUT_SECONDS` and `IMAGEGEN_*`. */
export function readMediaSettings(reader: EnvReader): MediaSettings {
  const bytes = { min: 1, max: Number.MAX_SAFE_INTEGER }
  return {
    requestMaxBytes: reader.integer('MEDIA_REQUEST_MAX_BYTES', bytes),
    inputMaxBytes: reader.integer('MEDIA_INPUT_MAX_BYTES', bytes),
    inputMaxPixels: reader.integer('MEDIA_INPUT_MAX_PIXELS', { min: 1, max: 1_000_000_000 }),
    operationTtlMs: reader.integer('MEDIA_OPERATION_TTL_SECONDS', { min: 60, max: 31_536_000 }) * 1000,
    imageMaxBytes: reader.integer('IMAGEGEN_MAX_IMAGE_BYTES', bytes),
    imageTimeoutMs: reader.seconds('IMAGEGEN_COMPLETION_TIMEOUT_SECONDS', { max: 3600 }) * 1000,
    defaultTimeoutMs: reader.seconds('HOSTED_PROVIDER_TIMEOUT_SECONDS', { max: 3600 }) * 1000,
    local: readLocal(reader),
    fal: readFal(reader),
    budget: readBudget(reader),
  }
}

function readLocal(reader: EnvReader): MediaSettings['local'] {
  const isEnabled = reader.flag('MEDIA_LOCAL_ENABLED')
  const url = reader.url('COMFYUI_URL')
  const checkpoint = reader.optional('COMFYUI_CHECKPOINT')
  if (checkpoint !== null && !CHECKPOINT.test(checkpoint))
    reader.problems.push('COMFYUI_CHECKPOINT: invalid value: expected a file name such as sd_xl_base_1.0.safetensors')
  if (!isEnabled) return { missing: 'MEDIA_LOCAL_ENABLED' }
  return url === null ? { missing: 'COMFYUI_URL' } : { url, checkpoint }
}

function readFal(reader: EnvReader): FalSettings | null {
  const isEnabled = reader.flag('MEDIA_FAL_ENABLED')
  const apiKey = reader.optional('FAL_API_KEY')
  const endpoint = reader.url('FAL_ENDPOINT') ?? defaultOf('FAL_ENDPOINT')
  const models = jsonObject(reader, 'MEDIA_FAL_MODELS', Models)
  if (!isEnabled) return null
  if (apiKey === null) {
    reader.problems.push('FAL_API_KEY: required while MEDIA_FAL_ENABLED is true')
    return null
  }
  const priced = Object.entries(models).map(([model, { cost_usd: cost, license }]) => {
    return [model, { cost: toMicro(cost), license }] as const
  })
  return { endpoint, apiKey, models: new Map(priced) }
}

function readBudget(reader: EnvReader): BudgetSettings {
  const currency = reader.text('MEDIA_BUDGET_CURRENCY')
  if (!/^[A-Z]{3}$/.test(currency))
    reader.problems.push(
      `MEDIA_BUDGET_CURRENCY: invalid value "${currency}": expected three capital letters such as USD`,
    )
  const caps = jsonObject(reader, 'MEDIA_BUDGET_CONSUMER_CAPS', Caps)
  const days = reader.optional('MEDIA_BUDGET_RETENTION_DAYS')
  return {
    enabled: reader.flag('MEDIA_BUDGET_ENABLED'),
    store: reader.oneOf('MEDIA_BUDGET_STORE', ['database', 'memory']),
    currency,
    defaultCap: readAmount(reader, 'MEDIA_BUDGET_DEFAULT_USD'),
    caps: new Map(Object.entries(caps).map(([scope, amount]) => [scope, toMicro(amount)])),
    allowUnknownCost: reader.flag('MEDIA_BUDGET_ALLOW_UNKNOWN_COST'),
    retentionMs: days === null ? null : reader.integer('MEDIA_BUDGET_RETENTION_DAYS', { min: 1, max: 3650 }) * DAY_MS,
  }
}

function readAmount(reader: EnvReader, name: VariableName): Micro | null {
  const value = reader.optional(name)
  if (value === null) return null
  const amount = /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : NaN
  if (amount <= MAX_AMOUNT) return toMicro(amount)
  reader.problems.push(`${name}: invalid value "${value}": expected an amount from 0 to ${MAX_AMOUNT}`)
  return null
}

/** A JSON object in a variable; empty when unset. */
function jsonObject<Value>(
  reader: EnvReader,
  name: VariableName,
  schema: z.ZodType<Record<string, Value>>,
): Record<string, Value> {
  const text = reader.optional(name)
  if (text === null) return {}
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    reader.problems.push(`${name}: invalid value: expected a JSON object`)
    return {}
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const { path, message } = parsed.error.issues[0]!
  reader.problems.push(`${name}: invalid value${path.length === 0 ? '' : ` at ${path.join('.')}`}: ${message}`)
  return {}
}
