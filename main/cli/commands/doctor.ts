import { stat } from 'node:fs/promises'
import {
  healthAddressOf,
  isLearnedModel,
  isModelPath,
  isRemoteModel,
} from '../../../contract/manifests/model-backends.ts'
import { ModelRole } from '../../../contract/manifests/models.ts'
import { selectModels } from '../../../core/select-models.ts'
import { withoutCredit } from '../../../core/used-up-credit.ts'
import { sanitizeForTerminal } from '../../lib/text/sanitize-for-terminal.ts'
import { TRUSTED_VARIABLE, trustedOrigins } from '../../lib/trust/trusted-addresses.ts'
import { storedKeyEnvironment } from '../../manifests/models/connection-keys.ts'
import { loadModels } from '../../manifests/experiment.ts'
import { parseRunnerInputs } from '../../manifests/runner-inputs.ts'
import { findProblem, type Asked } from '../../runner/prepare/preflight.ts'
import { checkConfiguredServices } from '../../runner/platform/configured-services.ts'
import { panelOfProject } from '../../runner/prepare/judges-to-test.ts'
import { testModelSet } from '../../runner/prepare/test-models.ts'
import { createNodeLauncher } from '../../supervisor/node-launcher.ts'
import { EXIT, textOption, type Command } from '../command.ts'
import { projectFolder, RUN_OPTIONS } from '../options.ts'
import { probeWords, recordLine } from './model-test-lines.ts'

/** A model may be loaded for the first request. */
const TIMEOUT_MS = 120_000

interface Finding {
  what: string
  problem: string | null
  remedy: string | null
}

type Env = Readonly<Record<string, string | undefined>>

export const doctorCommand: Command = {
  name: 'doctor',
  options: { project: RUN_OPTIONS.project, 'model-set': RUN_OPTIONS['model-set'] },
  async run(invocation) {
    const root = projectFolder(invocation)
    const loaded = await loadModels(root)
    const { models, connections } = loaded
    const { stdout } = invocation
    const env = { ...invocation.env, ...(await storedKeyEnvironment(connections, invocation.env)) }
    const print = (text: string): void => void stdout.write(`${sanitizeForTerminal(text)}\n`)
    const wanted = textOption(invocation, 'model-set') ?? parseRunnerInputs(env).inputs.modelSet
    const selected = selectModels(models, wanted, { ...env, [TRUSTED_VARIABLE]: trustedOrigins(env).join(',') })
    const findings = [
      ...(selected.ok
        ? await checkModels(root, loaded, selected.models, invocation.env)
        : selected.problems.map(unusable)),
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

type Loaded = Awaited<ReturnType<typeof loadModels>>
type Selected = Extract<ReturnType<typeof selectModels>, { ok: true }>['models']
type Roles = Selected['roles']

const unusable = (problem: string): Finding => ({ what: 'model set', problem, remedy: `To do: ${problem}.` })

async function checkModels(root: string, loaded: Loaded, { name: set, roles }: Selected, env: Env): Promise<Finding[]> {
  const findings = await Promise.all([...new Set(pathsOf(roles))].map(checkPath))
  findings.push(...(await checkServices(root, loaded, set, env)))
  findings.push(...(await checkHealth(roles)))
  return findings
}

/** Model services that are not connections, such as TEI: whether they are there. No credential is sent. */
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

/** Each kind of work that roles of the set ask of a service, and what is known of its models. */
async function checkServices(root: string, loaded: Loaded, set: string, env: Env): Promise<Finding[]> {
  const run = { launcher: createNodeLauncher(), root, env, timeoutMs: TIMEOUT_MS }
  const panel = await panelOfProject(root, env)
  const { probes, records } = withoutCredit(await testModelSet(run, loaded, set, panel, isLearnedModel))
  return [
    ...probes.map((probe) => ({
      what: probeWords(probe),
      problem: probe.status === 'failed' || probe.status === 'skipped' ? (probe.error ?? probe.finding) : null,
      remedy: probe.remedy,
    })),
    ...records.map((record) => ({ what: recordLine(record), problem: null, remedy: null })),
  ]
}
