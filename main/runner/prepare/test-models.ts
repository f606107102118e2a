// The test of models: of a set in the roles that it gives them, of a connection with the model that is named or listed first, of a GGUF file. The
// requests are made in a process of the platform's code, as a run makes them, and what they teach is kept for runs.
import { WRONG_ADDRESS } from '../../../core/model-remedies.ts'
import { join, resolve } from 'node:path'
import {
  isLearnedModel,
  isRemoteModel,
  isRuleBased,
  localModel,
  MODEL_BACKENDS,
  modelNameOf,
  type ModelChoice,
} from '../../../contract/manifests/model-backends.ts'
import {
  connectedModel,
  connectionKind,
  ConnectionKind,
  storedKeyVariables,
  type Connection,
} from '../../../contract/manifests/model-connections.ts'
import {
  PROBE_REQUEST_VARIABLE,
  ProbeReply,
  type ModelProbe,
  type ModelTest,
  type ProbedRole,
  type ProbedWork,
  type ProbeRequest,
} from '../../../contract/control/models.ts'
import { ModelRole, roleTask } from '../../../contract/manifests/models.ts'
import { rememberSecrets } from '../../../core/known-secrets.ts'
import { resolveModel, selectModels } from '../../../core/select-models.ts'
import { moduleFile } from '../../lib/module-entry.ts'
import {
  listServiceModels,
  remedyOf,
  remedyOfLimit,
  type ListedModels,
} from '../../lib/services/list-service-models.ts'
import { TRUSTED_VARIABLE, trustedOrigins } from '../../lib/trust/trusted-addresses.ts'
import type { loadModels } from '../../manifests/experiment.ts'
import { checkedKey, originForKey, storedKeyEnvironment } from '../../manifests/models/connection-keys.ts'
import { checkModelFile } from '../../manifests/models/find-models.ts'
import { modelRecordsFolder } from '../../manifests/models/model-records.ts'
import { STATE_FOLDER } from '../../manifests/project/project-folder.ts'
import type { RequestedPanel } from '../../judge/panel-settings.ts'
import type { ProcessLauncher } from '../../supervisor/process-launcher.ts'
import { InputError } from '../../manifests/runner-inputs.ts'
import { isAnswering, keepCalibration, type Calibration } from './calibrations.ts'
import { judgesToTest, type JudgeToTest } from './judges-to-test.ts'

const ENTRY = moduleFile('../../../providers/platform/composition/model-probes/test-models', import.meta.url)
/** Loading a large file from a slow disk. */
const LOAD_MS = 120_000
/** Most requests that one role makes, its repaired replies included. */
const CALLS_PER_ROLE = 4
const EMBEDDING_NAME = /embed|(?:^|[/-])(?:bge|e5|gte|minilm|nomic)\b/i

type Env = Readonly<Record<string, string | undefined>>
type Loaded = Awaited<ReturnType<typeof loadModels>>

interface TestRun {
  launcher: ProcessLauncher
  root: string
  env: Env
  /** For each answer. */
  timeoutMs: number
  signal?: AbortSignal | undefined
}

const UNTESTED: ModelTest = { works: false, problems: [], probes: [], models: [], broken: [], records: [] }

/** Tests the models of a set, each in the roles that it has there, and the judges of the panel. What fails is a result. */
export async function testModelSet(
  run: TestRun,
  { models, connections }: Loaded,
  name: string,
  panel: RequestedPanel | null,
  isTested: (choice: ModelChoice) => boolean = () => true,
): Promise<ModelTest> {
  const env = { ...run.env, ...(await storedKeyEnvironment(connections, run.env)) }
  const selected = selectModels(models, name, { ...env, [TRUSTED_VARIABLE]: trustedOrigins(env).join(',') })
  if (!selected.ok) return { ...UNTESTED, problems: selected.problems }
  const { roles: choices } = selected.models
  const roles = ModelRole.options.filter((role) => !isRuleBased(choices[role].backend) && isTested(choices[role]))
  const judges = panel === null ? [] : judgesToTest(panel, { name, roles: choices })
  const places: { choice: ModelChoice; role: ProbedRole }[] = [
    ...roles.map((role) => ({ choice: choices[role], role })),
    ...judges.flatMap((judge) =>
      'choice' in judge && isTested(judge.choice) ? [{ choice: judge.choice, role: 'judge' as const }] : [],
    ),
  ]
  const asked = [...Map.groupBy(places, ({ choice }) => JSON.stringify(choice)).values()].map((same) => ({
    choice: same[0]!.choice,
    roles: [...new Set(same.map(({ role }) => role))],
  }))
  const services = await listedServices(
    run,
    asked.map(({ choice }) => choice),
    env,
  )
  const isDown = ({ choice }: { choice: ModelChoice }): boolean =>
    services.get(addressOf(choice))?.listed.isUnreachable === true
  const reply = await askedIn(
    run,
    asked.filter((each) => !isDown(each)),
    env,
    panel ?? undefined,
  )
  const downProbes = [...Map.groupBy(asked.filter(isDown), ({ choice }) => addressOf(choice))].map(
    ([address, same]) => ({
      ...services.get(address)!.listed.probe,
      roles: same.flatMap((each) => each.roles),
    }),
  )
  const probes = reply.probes.map((probe) => {
    const found = asked.find(
      ({ choice, roles: its }) => modelNameOf(choice) === probe.model && its.includes(probe.roles[0]!),
    )
    return withRemedy(probe, found === undefined ? undefined : services.get(addressOf(found.choice)))
  })
  const listed = [...services.values()].flatMap(({ listed: { models: names } }) => names)
  return tested([...downProbes, ...probes, ...judges.flatMap(unaskedJudge)], reply, listed, () => true)
}

/** A judge that cannot be asked at all. */
const unaskedJudge = (judge: JudgeToTest): ModelProbe[] =>
  'choice' in judge
    ? []
    : [
        {
          ...skipped('judge', ''),
          roles: ['judge'],
          status: 'failed',
          model: judge.name,
          finding: null,
          error: judge.problem,
        },
      ]

/** For each call of a calibration. */
export const CALIBRATION_TIMEOUT_MS = 300_000

/**
 * Makes three calls of each model that answers questions in a set, and keeps what they took for estimates on this machine. A set of rules has nothing to measure.
 * Throws `InputError` for a set that cannot be used, and for a model that does not answer, with its words.
 */
export async function calibrateSet(
  run: TestRun,
  { models, connections }: Loaded,
  name: string | null,
): Promise<Calibration[]> {
  const env = { ...run.env, ...(await storedKeyEnvironment(connections, run.env)) }
  const selected = selectModels(models, name, { ...env, [TRUSTED_VARIABLE]: trustedOrigins(env).join(',') })
  if (!selected.ok) throw new InputError(selected.problems)
  const declared = models.sets[selected.models.name]!
  const answering = ModelRole.options.filter((role) => isAnswering(role, declared))
  const asked = [...Map.groupBy(answering, (role) => JSON.stringify(selected.models.roles[role])).values()].map(
    (roles) => ({ choice: selected.models.roles[roles[0]!], declared: declared.roles[roles[0]!], roles }),
  )
  const { probes, calibrations = [] } = await askedIn(run, asked, env, undefined, 'calibration')
  const failed = probes.filter(({ status }) => status === 'failed' || status === 'limited')
  if (failed.length > 0) throw new InputError(failed.map(({ model, error }) => `${model}: ${error ?? 'no answer'}`))
  return Array.fromAsync(asked, ({ declared: choice }, place) =>
    keepCalibration(run.root, choice, calibrations[place] ?? []),
  )
}

interface TestedConnection {
  /** Name of the connection, for its stored key; null for one that is not saved. */
  name: string | null
  model: string | null
  embeddingModel: string | null
  listOnly?: boolean
  /** The person has just entered the address: the named key may go there. */
  isEntered?: boolean
  /** A key that the person has just entered; null uses that of the connection. */
  key?: string | null
}

/** Tests one connection as a run would use it, with the named models or the first that it lists. */
export async function testConnection(
  run: TestRun,
  connection: Connection,
  { name, model, embeddingModel, listOnly = false, isEntered = false, key = null }: TestedConnection,
): Promise<ModelTest> {
  const trusted = [...trustedOrigins(run.env), ...(isEntered ? enteredOrigins(connection) : [])]
  const declared: Connection = key === null ? connection : { ...connection, api_key: 'stored' }
  const named = name ?? 'entered'
  const keys =
    key === null
      ? await storedKeyEnvironment({ [named]: declared }, run.env)
      : enteredKey(named, originForKey(named, declared, run.env), checkedKey(key))
  const env: Env = { ...run.env, ...keys, [TRUSTED_VARIABLE]: trusted.join(',') }
  const modelFor = (role: ModelRole, of: string) =>
    resolveModel(role, connectedModel(declared, { connection: named, model: of }, roleTask(role)), env)
  const { choice, problems } = modelFor('light_gen', '-')
  if (problems.length > 0) return { ...UNTESTED, problems }
  const services = await listedServices(run, [choice], env, connection.kind)
  const service = services.get(addressOf(choice))!
  const { probe: listing, models, isUnreachable } = service.listed
  const isKnown = listing.status === 'passed' || model !== null || embeddingModel !== null
  if (listOnly || isUnreachable || !isKnown) return tested([listing], null, models)
  const writes = model ?? models.find((each) => !EMBEDDING_NAME.test(each)) ?? null
  const embeds = connectionKind(connection.kind).hasEmbeddings
    ? (embeddingModel ?? models.find((each) => EMBEDDING_NAME.test(each)) ?? null)
    : null
  const reply = await askedIn(
    run,
    [
      ...(writes === null ? [] : [{ choice: modelFor('light_gen', writes).choice, roles: WRITING_ROLES }]),
      ...(embeds === null ? [] : [{ choice: modelFor('embed', embeds).choice, roles: ['embed' as const] }]),
    ],
    env,
  )
  const probes = reply.probes.map((probe) => withoutRoute(withRemedy(probe, service)))
  const without = embeds === null ? [skipped('embedding', noEmbeddings(connection.kind))] : []
  const silent = writes === null ? [skipped('chat', 'no model is listed for it')] : []
  return tested([listing, ...silent, ...probes, ...without], reply, models)
}

/** One role for each kind of work. */
const WRITING_ROLES: ProbedRole[] = ['light_gen', 'graph_keyword', 'graph_extract', 'agentic', 'evaluator', 'judge']

/** Tests a GGUF file: what it is, and in a process of its own what it writes. */
export async function testModelFile(run: TestRun, path: string): Promise<ModelTest> {
  const file = await checkModelFile(run.root, path)
  if (file.status !== 'passed') return tested([file], null, [])
  const settings = { ...localModel('gguf', resolve(run.root, path), 'generation'), context_size: 4096 }
  const choice = MODEL_BACKENDS.gguf.settings.parse(settings)
  const reply = await askedIn(run, [{ choice, roles: WRITING_ROLES }], run.env)
  return tested([file, ...reply.probes.map((probe) => withRemedy(probe, undefined))], reply, [])
}

/** Work without which a model is of no use. A connection or a file has no roles yet, and need not do the rest. */
const NEEDED: ReadonlySet<ModelProbe['probe']> = new Set(['file', 'models', 'chat', 'embedding'])

function tested(
  probes: ModelProbe[],
  reply: ProbeReply | null,
  models: string[],
  isNeeded = ({ probe }: ModelProbe): boolean => NEEDED.has(probe),
): ModelTest {
  const failed = probes.filter(({ status, roles }) => status === 'failed' || (status === 'skipped' && roles.length > 0))
  const broken = [...ModelRole.options, 'judge' as const].filter((role) =>
    failed.some(({ roles }) => roles.includes(role)),
  )
  return { works: !failed.some(isNeeded), problems: [], probes, models, broken, records: reply?.records ?? [] }
}

const skipped = (probe: ModelProbe['probe'], finding: string): ModelProbe => ({
  probe,
  roles: [],
  status: 'skipped',
  model: null,
  latency_ms: null,
  finding,
  error: null,
  remedy: null,
})

const noEmbeddings = (kind: ConnectionKind): string =>
  connectionKind(kind).hasEmbeddings
    ? 'no embedding model is named or recognized in the list'
    : `${connectionKind(kind).label} has no embeddings: use another model for embed`

export interface Service {
  kind: ConnectionKind
  keyName: string | null
  key: string | null
  listed: ListedModels
}

const addressOf = (choice: ModelChoice): string => (isRemoteModel(choice) ? choice.base_url : '')

/** The kind of service whose usual address this is. */
function kindAt(address: string): ConnectionKind {
  const { origin } = new URL(address)
  const found = ConnectionKind.options.find((kind) => connectionKind(kind).usualAddress?.startsWith(`${origin}/`))
  return found ?? 'compatible'
}

/** The OpenAI-compatible services of models by their addresses, each asked once for what it lists. */
async function listedServices(
  { timeoutMs, signal }: TestRun,
  choices: readonly ModelChoice[],
  env: Env,
  kind?: ConnectionKind,
): Promise<Map<string, Service>> {
  const services = new Map<string, Service>()
  for (const choice of choices) {
    if (!isLearnedModel(choice) || services.has(choice.base_url)) continue
    const key = choice.api_key_env === null ? null : (env[choice.api_key_env] ?? null)
    const service = { kind: kind ?? kindAt(choice.base_url), keyName: choice.api_key_env, key }
    const listed = await listServiceModels({ ...service, baseUrl: choice.base_url, timeoutMs, signal })
    services.set(choice.base_url, { ...service, listed })
  }
  return services
}

/** A result with what the person is to do about it. */
export function withRemedy(
  { code, http_status: status, wait_ms: waitMs, ...probe }: ProbedWork,
  service: Service | undefined,
): ModelProbe {
  const { model, error } = probe
  if (probe.status === 'limited' && error !== null) return { ...probe, remedy: remedyOfLimit(waitMs) }
  if (probe.status !== 'failed' || error === null) return { ...probe, remedy: null }
  if (
    service !== undefined &&
    code === 'unknown_model' &&
    service.listed.models.length > 0 &&
    service.kind !== 'ollama'
  )
    return { ...probe, remedy: `Use one of the models that the service lists: ${shown(service.listed.models)}.` }
  if (service !== undefined && status !== null && status >= 400 && REMEDIES[code ?? ''] === undefined)
    return { ...probe, remedy: remedyOf(service, { status, headers: {} }, model, error) }
  if (code === 'invalid_response' && /a web page|not JSON/.test(error)) return { ...probe, remedy: WRONG_ADDRESS }
  return { ...probe, remedy: REMEDIES[code ?? (probe.probe === 'judge' ? 'judge' : 'reply')] ?? REMEDIES['reply']! }
}

const REMEDIES: Readonly<Record<string, string>> = {
  context_length_exceeded:
    'Give the model a larger context where the service is started (Ollama: OLLAMA_CONTEXT_LENGTH, llama.cpp: -c, vLLM: --max-model-len), or choose another.',
  content_filtered: 'The filter of the service withholds a harmless answer: relax it there, or choose another model.',
  refused: 'The model refuses a harmless question: choose another one.',
  upstream_error: 'The service itself failed: its words and its own log name the cause.',
  timeout: 'The service may still be loading the model: test again, or set a longer time limit.',
  judge: 'Name another model as a judge: the verdicts of this one would be missing, or mean nothing.',
  reply:
    'Give these roles a larger model or another one. A model that reasons can need more room, or its reasoning switched off: defaults: { reasoning_effort: none }.',
}

const MOST_SHOWN = 8
const shown = (names: readonly string[]): string =>
  [...names.slice(0, MOST_SHOWN), ...(names.length > MOST_SHOWN ? [`${names.length - MOST_SHOWN} more`] : [])].join(
    ', ',
  )

/** A connection need not have embeddings; a role that needs them asks for them by its set. */
function withoutRoute(probe: ModelProbe): ModelProbe {
  const hasNoRoute = probe.probe === 'embedding' && /HTTP (?:404|405|501)\b/.test(probe.error ?? '')
  if (!hasNoRoute || /HTTP \d+\): .*model/i.test(probe.error ?? '')) return probe
  const remedy = 'This service has no embeddings: use another model for embed and evaluator_embed.'
  return { ...probe, status: 'unsupported', roles: [], remedy }
}

/** Asks the models in a process of its own, which gets the keys that they need and no others. */
async function askedIn(
  { launcher, root, timeoutMs, signal }: TestRun,
  models: readonly { choice: ModelChoice; roles: readonly ProbedRole[] }[],
  env: Env,
  judging: Pick<RequestedPanel, 'temperature' | 'think'> = { temperature: 0, think: null },
  purpose: ProbeRequest['purpose'] = 'test',
): Promise<ProbeReply> {
  if (models.length === 0) return { probes: [], records: [] }
  const request: ProbeRequest = {
    models: models.map(({ choice, roles }) => ({ choice: timed(choice, timeoutMs / 1000), roles: [...roles] })),
    purpose,
    judging: { temperature: judging.temperature, think: judging.think },
    records: modelRecordsFolder(root),
    model_cache: env['RAG_LADDER_MODEL_CACHE'] ?? join(root, STATE_FOLDER, 'models'),
  }
  const keys = models.flatMap(({ choice }) => {
    const name = isRemoteModel(choice) ? choice.api_key_env : null
    return name === null ? [] : [[name, env[name] ?? ''] as const]
  })
  const child = launcher.launch({
    entry: ENTRY,
    env: { ...Object.fromEntries(keys), [PROBE_REQUEST_VARIABLE]: JSON.stringify(request) },
    withoutCredentials: true,
  })
  const lines: string[] = []
  child.onLine((line) => lines.push(line))
  const ended = new AbortController()
  const calls = models.reduce((sum, { roles }) => sum + roles.length * CALLS_PER_ROLE, 0)
  const limits = [ended.signal, AbortSignal.timeout(LOAD_MS + calls * timeoutMs)]
  const deadline = AbortSignal.any(signal === undefined ? limits : [signal, ...limits])
  const failed = (error: string): ProbeReply => ({ probes: models.map((each) => notTested(each, error)), records: [] })
  try {
    return await new Promise<ProbeReply>((done) => {
      child.onMessage((message) => {
        const reply = ProbeReply.safeParse(message)
        if (reply.success) done(reply.data)
      })
      child.onExit((code) => done(failed(`the process of the test ended with ${code}: ${lines.slice(-3).join(' ')}`)))
      deadline.addEventListener('abort', () => done(failed('the test was cancelled or took too long')), { once: true })
    })
  } finally {
    ended.abort()
    child.signalGroup('SIGKILL')
  }
}

/** A call that fails is not tried again: the person who tests waits for it. */
const timed = (choice: ModelChoice, seconds: number): ModelChoice => ({
  ...choice,
  ...('timeout_s' in choice ? { timeout_s: seconds } : {}),
  ...('retries' in choice ? { retries: 0 } : {}),
})

const notTested = (
  { choice, roles }: { choice: ModelChoice; roles: readonly ProbedRole[] },
  error: string,
): ProbedWork => ({
  probe: 'chat',
  roles: [...roles],
  status: 'failed',
  model: modelNameOf(choice),
  latency_ms: null,
  finding: null,
  error,
  code: null,
  http_status: null,
  wait_ms: null,
})

/** A key that is not stored, as the environment of the test has it. Errors of the service may repeat it. */
function enteredKey(name: string, origin: string, key: string): Record<string, string> {
  rememberSecrets(key)
  const variables = storedKeyVariables(name)
  return { [variables.key]: key, [variables.origin]: origin }
}

const enteredOrigins = ({ base_url: address }: Connection): string[] =>
  address !== undefined && URL.canParse(address) ? [new URL(address).origin] : []
