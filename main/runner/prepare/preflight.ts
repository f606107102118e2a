import type { Alias } from '../../../contract/manifests/aliases.ts'
import { calledAlias } from '../../../core/matched-hybrid.ts'
import { isRemoteModel } from '../../../contract/manifests/model-backends.ts'
import { createHttpClient, HttpFault } from '../../../core/http/http-client.ts'
import { selectModels } from '../../../core/select-models.ts'
import { needsPlatformGateway } from '../../judge/create-judges.ts'
import { isBuiltinName } from '../../judge/builtin/builtin-judges.ts'
import { modelsFileOf } from '../../manifests/experiment.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { plural } from '../../../contract/words.ts'
import { storedKeyEnvironment } from '../../manifests/models/connection-keys.ts'
import { TRUSTED_VARIABLE, trustedOrigins } from '../../lib/trust/trusted-addresses.ts'
import { credentialHeaders, type Credentials } from '../../lib/trust/credential-headers.ts'
import type { DatasetRun } from '../dataset-run.ts'
import { apiUrl, evaluateUrl, modelsUrl } from '../../lib/services/gateway-client.ts'
import {
  createPlatformClient,
  PlatformError,
  type PlatformAddress,
  type PlatformClient,
} from '../platform/platform-client.ts'
import { remedyFor } from '../../evidence/typed-command.ts'

// A run asks the services that other people run for what it needs before anything is deleted, ingested or paid for: one call to each, none of
// which makes a model work. Only routes of the specification are asked for; what a route answers beyond "here I am, and you may" is left to
// the call that needs it.

/** A service that a run needs is missing, refuses the credential, or does not know an alias. Every problem at once. */
export class PreflightError extends Error {
  override readonly name = 'PreflightError'
  readonly code = 'preflight_failed'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(
      [
        `${plural(problems.length, 'problem')} found before the first call`,
        ...problems.map((text) => `  ${text}`),
      ].join('\n'),
    )
    this.problems = problems
  }
}

const CALL_TIMEOUT_MS = 20_000

/** Returns how a person sets the address of a service where they read the problem. */
const addressOf = (service: string, option: string): string =>
  remedyFor({ panel: `the address of the ${service}`, commandLine: option })

const setKey = (variable: string): string =>
  remedyFor({ panel: `enter its token under Settings, or set ${variable}`, commandLine: `set ${variable}` })

const selectOthers = (): string =>
  remedyFor({ panel: 'select other approaches', commandLine: 'select others with --models' })

/** Describes how a service is named in a problem, and by which variables its address and its credential are set. */
export interface Asked {
  name: string
  method: 'GET' | 'POST'
  url: string
  credentials: Credentials
  addressVariable: string
  /** Null where no credential is sent. */
  keyVariable: string | null
  /** True when an address without this route cannot be used. */
  needsRoute: boolean
  /** The route reports whether the service works: anything but 2xx is a problem. */
  isHealth?: boolean
}

/** Describes what is wrong with a service, and what to do about it. */
export interface ServiceProblem {
  problem: string
  remedy: string
}

/** Asks once; null when the service is there and takes the credential. */
export async function findProblem(asked: Asked, signal: AbortSignal): Promise<ServiceProblem | null> {
  const { method, url, addressVariable, keyVariable } = asked
  let status: number
  try {
    // Refused by every evaluator before it works: no record, no metric.
    const json = method === 'POST' ? {} : undefined
    const call = { method, json, signal, timeoutMs: CALL_TIMEOUT_MS }
    status = (await createHttpClient(credentialHeaders(asked.credentials)).send(url, call)).status
  } catch (error) {
    if (!(error instanceof HttpFault)) throw error
    return { problem: `cannot be reached (${error.reason})`, remedy: `start it, or correct ${addressVariable}` }
  }
  const answered = `answered HTTP ${status}`
  if (asked.isHealth === true && (status < 200 || status > 299))
    return { problem: answered, remedy: `look at its log, or correct ${addressVariable}` }
  // Without a credential any answer shows that the service runs.
  if (keyVariable === null) return null
  if (status === 401 || status === 403)
    return { problem: `${answered}: it does not accept the credential`, remedy: setKey(keyVariable) }
  if (asked.needsRoute && (status === 404 || status === 405))
    return { problem: `${answered}: there is no such route`, remedy: `correct ${addressVariable}` }
  return null
}

async function problemWith(asked: Asked, signal: AbortSignal): Promise<string | null> {
  const found = await findProblem(asked, signal)
  return found === null ? null : `${asked.name}: ${asked.method} ${asked.url} ${found.problem}; ${found.remedy}`
}

/** Selected aliases that the gateway does not list; null when it lists all. */
function missingAliases(listed: readonly string[], aliases: readonly Alias[]): string | null {
  const missing = aliases.map(({ alias }) => alias).filter((alias) => !listed.includes(alias))
  if (missing.length === 0) return null
  const present = aliases.map(({ alias }) => alias).filter((alias) => listed.includes(alias))
  const others = listed.filter((id) => !present.includes(id))
  return [
    `the gateway does not list ${missing.join(', ')}`,
    `of the selected aliases it lists ${present.length === 0 ? 'none' : present.join(', ')}`,
    ...(others.length === 0 ? [] : [`it also lists ${others.slice(0, 30).join(', ')}`]),
    `declare them there, or ${selectOthers()}`,
  ].join('; ')
}

type ListedModel = Awaited<ReturnType<PlatformClient['models']>>['data'][number]

/** Selected aliases that the gateway lists as unavailable, each with its reason; null when there is none. */
function unavailableAliases(listed: readonly ListedModel[], aliases: readonly Alias[]): string | null {
  const byId = new Map(listed.map((entry) => [entry.id, entry.rag_ladder]))
  const [unavailable, present] = [[] as string[], [] as string[]]
  for (const { alias } of aliases) {
    const state = byId.get(alias)
    if (state?.available === false) unavailable.push(`${alias} cannot answer: ${state.reason ?? 'no reason given'}`)
    else present.push(alias)
  }
  if (unavailable.length === 0) return null
  return [
    ...unavailable,
    `of the selected aliases ${present.length === 0 ? 'none' : present.join(', ')} can`,
    `repair what is named and start the run again, or ${selectOthers()}`,
  ].join('; ')
}

/** States whether the collections exist that an alias needs to be available. Before ingestion, its name alone can be checked. */
export type Collections = 'to_come' | 'there'

/**
 * Asks the gateway for its models. Throws `PlatformError`, and `PreflightError` for aliases that it does not list, or that cannot answer
 * although their collections exist.
 */
export async function checkAliases(
  client: Pick<PlatformClient, 'models'>,
  aliases: readonly Alias[],
  collections: Collections,
): Promise<void> {
  const listed = (await client.models()).data
  const names = listed.map(({ id }) => id)
  const called = aliases.map((alias) => ({ ...alias, alias: calledAlias(alias) }))
  const problem = missingAliases(names, called) ?? (collections === 'there' ? unavailableAliases(listed, called) : null)
  if (problem !== null) throw new PreflightError([problem])
}

/** A LiteLLM proxy without a database looks for a key that is not its own there, and answers that it has none. */
const isRefusedByLiteLlm = ({ status, message }: PlatformError): boolean =>
  status === 400 && message.includes('No connected db')

async function gatewayProblems(
  address: PlatformAddress,
  aliases: readonly Alias[],
  collections: Collections,
): Promise<string[]> {
  const client = createPlatformClient(address)
  try {
    await checkAliases(client, aliases, collections)
    return []
  } catch (error) {
    if (error instanceof PreflightError) return [...error.problems]
    if (!(error instanceof PlatformError)) throw error
    const isRefused = error.status === 401 || error.status === 403 || isRefusedByLiteLlm(error)
    const remedy = isRefused
      ? setKey('MATRIX_GATEWAY_API_KEY (and MATRIX_EDGE_API_KEY for an edge)')
      : `correct ${addressOf('gateway', '--gateway (MATRIX_GATEWAY_URL)')}`
    return [`gateway ${address.url}: ${error.message}; ${remedy}`]
  } finally {
    await client.close()
  }
}

/** The ingestion route of a platform that runs elsewhere; it is only looked at, nothing is submitted. */
const ingestionOf = (address: PlatformAddress): Asked => ({
  name: 'platform',
  method: 'GET',
  url: apiUrl(address.platformUrl ?? address.url, '/api/rag/ingestions?limit=1'),
  credentials: { apiKey: address.operatorToken, edgeKey: address.edgeKey ?? null },
  addressVariable: addressOf('platform', '--platform (MATRIX_PLATFORM_URL)'),
  keyVariable: 'MATRIX_PLATFORM_TOKEN (and MATRIX_EDGE_API_KEY for an edge)',
  // A platform need not list its jobs: submitting one is what is specified.
  needsRoute: false,
})

/** The route that scores answers; `keyVariable` is where its credential is set. */
const evaluatorAt = ({ url, ...credentials }: { url: string } & Credentials, keyVariable: string): Asked => ({
  name: 'evaluator',
  method: 'POST',
  url,
  credentials,
  addressVariable: `${addressOf('evaluator', '--evaluator (MATRIX_EVALUATOR_URL)')}, or ${remedyFor({ panel: 'run without evaluation', commandLine: 'pass --no-evaluate' })}`,
  keyVariable,
  needsRoute: true,
})

function evaluatorOf({ evaluator, metrics }: DatasetRun, address: PlatformAddress | null): Asked[] {
  if (evaluator === null || metrics.length === 0 || (evaluator === 'platform' && address === null)) return []
  const target =
    evaluator === 'platform'
      ? {
          url: evaluateUrl(address!.platformUrl ?? address!.url),
          apiKey: address!.operatorToken,
          edgeKey: address!.edgeKey ?? null,
        }
      : evaluator
  return [evaluatorAt(target, evaluator === 'platform' ? 'MATRIX_PLATFORM_TOKEN' : 'MATRIX_EVALUATOR_API_KEY')]
}

function judgesOf({ judgePanel: panel }: Pick<DatasetRun, 'judgePanel'>): Asked[] {
  const hasChat = panel.models.some((name) => !isBuiltinName(name))
  if (!panel.enabled || !hasChat || needsPlatformGateway(panel)) return []
  return [
    {
      name: 'judges',
      method: 'GET',
      url: modelsUrl(panel.endpoint),
      credentials: { apiKey: panel.apiKey },
      addressVariable: addressOf('judges', '--judge-endpoint (JUDGE_ENDPOINT)'),
      keyVariable: 'JUDGE_API_KEY',
      // Not every chat endpoint lists its models.
      needsRoute: false,
    },
  ]
}

/**
 * The addresses of the models of an embedded platform, each asked once. Throws `InputError` before any is asked where the platform would refuse
 * the set: a project may come from anywhere, and an address may ask for a secret.
 */
async function modelsOf({ platform, experiment }: DatasetRun): Promise<Asked[]> {
  if (platform.kind !== 'embedded') return []
  const { models, connections } = experiment
  const keys = await storedKeyEnvironment(connections, platform.env ?? {})
  const env = { ...platform.env, ...keys, [TRUSTED_VARIABLE]: trustedOrigins().join(',') }
  const selected = selectModels(models, platform.modelSet, env)
  const file = modelsFileOf(experiment, platform.modelSet ?? models.default_set)
  if (!selected.ok) throw new InputError(selected.problems.map((problem) => `${file}: ${problem}`))
  const { name, roles } = selected.models
  const addresses = new Set(Object.values(roles).flatMap((choice) => (isRemoteModel(choice) ? [choice.base_url] : [])))
  return [...addresses].map((url) => ({
    name: `model set ${name}`,
    method: 'GET',
    url,
    credentials: { apiKey: null },
    addressVariable: `sets.${name} in ${file}`,
    keyVariable: null,
    needsRoute: false,
  }))
}

/**
 * Asks every service that a run needs and that runs elsewhere, each once. `parts` names what an external platform must have: a matrix
 * without a ladder ingests nothing, and so its aliases must be available. Throws `PreflightError` with every problem at once, and `InputError` for
 * variables that the model set needs.
 */
export async function preflight(run: DatasetRun, parts: { ingestion: boolean; judges: boolean }): Promise<void> {
  const address = run.platform.kind === 'external' ? await run.platform.start(run.dataset.profile.name) : null
  const models = await modelsOf(run)
  const asked = [
    ...models,
    ...(address !== null && parts.ingestion ? [ingestionOf(address)] : []),
    ...evaluatorOf(run, address),
    ...(parts.judges ? judgesOf(run) : []),
  ]
  const stop = AbortSignal.any([run.drain, run.abort])
  const [gateway, others] = await Promise.all([
    address === null ? [] : gatewayProblems(address, run.aliases, parts.ingestion ? 'to_come' : 'there'),
    Promise.all(asked.map((each) => problemWith(each, stop))),
  ])
  const problems = [...gateway, ...others.filter((problem) => problem !== null)]
  if (problems.length > 0) throw new PreflightError(problems)
}

async function requireAll(asked: readonly Asked[], stop: AbortSignal): Promise<void> {
  const problems = (await Promise.all(asked.map((each) => problemWith(each, stop)))).filter((text) => text !== null)
  if (problems.length > 0) throw new PreflightError(problems)
}

/** Sends one request to where verdicts come from: the judges' endpoint, or the gateway of an external platform. Throws `PreflightError`. */
export async function preflightJudges(
  run: Pick<DatasetRun, 'judgePanel' | 'platform' | 'dataset' | 'drain' | 'abort'>,
): Promise<void> {
  const stop = AbortSignal.any([run.drain, run.abort])
  if (!needsPlatformGateway(run.judgePanel)) return requireAll(judgesOf(run), stop)
  // The embedded platform is started when its judges are asked.
  if (run.platform.kind === 'embedded') return
  const { url, apiKey, edgeKey } = await run.platform.start(run.dataset.profile.name)
  const gateway: Asked = {
    name: 'judges',
    method: 'GET',
    url: modelsUrl(url),
    credentials: { apiKey, edgeKey },
    addressVariable: addressOf('gateway', '--gateway (MATRIX_GATEWAY_URL)'),
    keyVariable: 'MATRIX_GATEWAY_API_KEY (and MATRIX_EDGE_API_KEY for an edge)',
    needsRoute: false,
  }
  return requireAll([gateway], stop)
}

/** Asks an evaluator once. Throws `PreflightError`. */
export const preflightEvaluator = (
  target: { url: string } & Credentials,
  keyVariable: string,
  stop: AbortSignal,
): Promise<void> => requireAll([evaluatorAt(target, keyVariable)], stop)
