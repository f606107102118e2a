import { stat } from 'node:fs/promises'
import {
  ConnectionKind,
  connectionKind,
  healthAddressOf,
  isModelPath,
  isRemoteModel,
  ModelRole,
  roleTask,
  selectModels,
  type ModelOf,
} from '../../../contract/index.ts'
import { durationWords } from '../../../contract/words.ts'
import { sanitizeForTerminal } from '../../lib/sanitize-for-terminal.ts'
import { testConnection, type ProbeResult } from '../../lib/test-connection.ts'
import { TRUSTED_VARIABLE, trustedOrigins } from '../../lib/trusted-addresses.ts'
import { storedKeyEnvironment } from '../../manifests/connection-keys.ts'
import { loadModels } from '../../manifests/experiment.ts'
import { parseRunnerInputs } from '../../manifests/runner-inputs.ts'
import { findProblem, type Asked } from '../../runner/preflight.ts'
import { checkConfiguredServices } from '../../runner/configured-services.ts'
import { EXIT, textOption, type Command } from '../command.ts'
import { projectFolder, RUN_OPTIONS } from '../options.ts'

/** A model may be loaded for the first request. */
const TIMEOUT_MS = 120_000

interface Finding {
  what: string
  problem: string | null
  remedy: string | null
}

/** One model service as the roles of the set use it. */
interface Service {
  address: string
  keyName: string | null
  generation: ModelOf<'openai'> | null
  embedding: ModelOf<'openai'> | null
}

type Env = Readonly<Record<string, string | undefined>>

export const doctorCommand: Command = {
  name: 'doctor',
  summary:
    'Check every model of the chosen set and every service that variables name; name the first thing that is wrong with what to do.',
  options: { project: RUN_OPTIONS.project, 'model-set': RUN_OPTIONS['model-set'] },
  async run(invocation) {
    const { models, connections } = await loadModels(projectFolder(invocation))
    const { stdout } = invocation
    const env = { ...invocation.env, ...(await storedKeyEnvironment(connections, invocation.env)) }
    const print = (text: string): void => void stdout.write(`${sanitizeForTerminal(text)}\n`)
    const wanted = textOption(invocation, 'model-set') ?? parseRunnerInputs(env).inputs.modelSet
    const selected = selectModels(models, wanted, { ...env, [TRUSTED_VARIABLE]: trustedOrigins(env).join(',') })
    const findings = [
      ...(selected.ok ? await checkModels(selected.models.roles, env) : selected.problems.map(unusable)),
      ...(await checkConfiguredServices(env, AbortSignal.timeout(TIMEOUT_MS))).map(({ what, found }) => ({
        what,
        problem: found?.problem ?? null,
        remedy: found === null ? null : `To do: ${found.remedy}.`,
      })),
    ]
    for (const { what, problem } of findings) print(problem === null ? `● ${what}` : `▲ ${what}: ${problem}`)
    const first = findings.find(({ problem }) => problem !== null)
    if (first === undefined) {
      const name = selected.ok ? selected.models.name : ''
      print(`The set ${name} is ready${findings.length === 0 ? ': it needs no service and no file' : ''}.`)
      return EXIT.ok
    }
    print(`Correct this first: ${first.what}. ${first.remedy ?? ''}`.trim())
    return selected.ok ? EXIT.serviceFailed : EXIT.badInput
  },
}

type Roles = Extract<ReturnType<typeof selectModels>, { ok: true }>['models']['roles']

const unusable = (problem: string): Finding => ({ what: 'model set', problem, remedy: `To do: ${problem}.` })

async function checkModels(roles: Roles, env: Env): Promise<Finding[]> {
  const findings = await Promise.all([...new Set(pathsOf(roles))].map(checkPath))
  // One after another: two models of one service would slow each other down.
  for (const service of servicesOf(roles)) findings.push(...(await checkService(service, env)))
  findings.push(...(await checkHealth(roles)))
  return findings
}

/** Model services that are no connection, such as TEI: whether they are there. No credential is sent. */
async function checkHealth(roles: Roles): Promise<Finding[]> {
  const models = ModelRole.options.flatMap((role) => {
    const model = roles[role]
    return isRemoteModel(model) && !('defaults' in model) ? [{ role, model }] : []
  })
  return Promise.all(
    models.map(async ({ role, model }) => {
      const asked: Asked = {
        name: role,
        method: 'GET',
        url: healthAddressOf(model),
        credentials: { apiKey: null },
        addressVariable: `base_url of ${role} in the set`,
        keyVariable: null,
        needsRoute: false,
        isHealth: true,
      }
      const found = await findProblem(asked, AbortSignal.timeout(TIMEOUT_MS))
      return {
        what: `${role} · ${model.model} · GET ${asked.url}`,
        problem: found?.problem ?? null,
        remedy: found === null ? null : `To do: ${found.remedy}.`,
      }
    }),
  )
}

/** Files and folders; a hub id of the onnx backend is fetched at first use and cannot be checked here. */
const pathsOf = (roles: Roles): string[] =>
  Object.values(roles).flatMap((choice) =>
    !isRemoteModel(choice) && (isModelPath(choice) || ABSOLUTE_PATH.test(choice.model)) ? [choice.model] : [],
  )

const ABSOLUTE_PATH = /^(?:[/\\]|[A-Za-z]:[/\\])/

async function checkPath(path: string): Promise<Finding> {
  const exists = (await stat(path).catch(() => null)) !== null
  return {
    what: path,
    problem: exists ? null : 'there is no such file or folder',
    remedy: exists ? null : 'Correct the path, or put the model there.',
  }
}

function servicesOf(roles: Roles): Service[] {
  const services: Service[] = []
  for (const role of ModelRole.options) {
    const model = roles[role]
    const task = roleTask(role)
    // Only a service of a connection takes defaults for its requests.
    if (!('defaults' in model) || task === 'rerank') continue
    // Another model at the same service is another test.
    const known = services.find(
      ({ address, keyName, [task]: tested }) =>
        address === model.base_url &&
        keyName === model.api_key_env &&
        (tested === null || tested.model === model.model),
    )
    if (known === undefined)
      services.push({
        address: model.base_url,
        keyName: model.api_key_env,
        generation: null,
        embedding: null,
        [task]: model,
      })
    else known[task] ??= model
  }
  return services
}

/** The kind of service whose usual address this is. */
function kindAt(address: string): ConnectionKind {
  const { origin } = new URL(address)
  const found = ConnectionKind.options.find((kind) => connectionKind(kind).usualAddress?.startsWith(`${origin}/`))
  return found ?? 'compatible'
}

async function checkService({ address, keyName, generation, embedding }: Service, env: Env): Promise<Finding[]> {
  const { probes } = await testConnection({
    kind: kindAt(address),
    baseUrl: address,
    keyName,
    key: keyName === null ? null : (env[keyName] ?? null),
    model: generation?.model ?? null,
    embeddingModel: embedding?.model ?? null,
    generationDefaults: generation?.defaults ?? {},
    timeoutMs: TIMEOUT_MS,
  })
  // Not every service lists its models, and roles that need JSON can do without a schema: what the roles ask for decides.
  const needed = probes.filter(
    ({ probe }) => (probe === 'chat' && generation !== null) || (probe === 'embedding' && embedding !== null),
  )
  return (needed.length === 0 ? probes.slice(0, 1) : needed).map((result) => findingOf(address, result))
}

function findingOf(address: string, { probe, status, model, latencyMs, finding, error, remedy }: ProbeResult): Finding {
  const what = [address, probe, ...(model === null ? [] : [model])].join(' · ')
  return status === 'passed'
    ? { what: `${what} · ${finding ?? ''} · ${durationWords(latencyMs ?? 0)}`, problem: null, remedy: null }
    : { what, problem: error ?? finding ?? status, remedy }
}
