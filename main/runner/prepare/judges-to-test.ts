import {
  isRuleBased,
  MODEL_BACKENDS,
  modelNameOf,
  type ModelChoice,
} from '../../../contract/manifests/model-backends.ts'
import { EvaluationManifest, PLATFORM_GATEWAY } from '../../../contract/manifests/evaluation.ts'
import { ModelRole, roleTask } from '../../../contract/manifests/models.ts'
import { isBuiltinName } from '../../judge/builtin/builtin-judges.ts'
import { resolveJudgePanel, type RequestedPanel } from '../../judge/panel-settings.ts'
import { chatUrl } from '../../lib/services/gateway-client.ts'
import { EVALUATION_FILE } from '../../manifests/experiment.ts'
import { loadManifest } from '../../manifests/load-manifest.ts'
import { parseRunnerInputs } from '../../manifests/runner-inputs.ts'

/** One model of the panel: as a test asks it, or why it cannot be asked. */
export type JudgeToTest = { name: string } & ({ choice: ModelChoice } | { problem: string })

const CHAT_ROUTE = '/chat/completions'

/** The panel that a project and the environment set up. Throws `ManifestError`, and `JudgePanelError` for an endpoint that may not get the key. */
export async function panelOfProject(
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<RequestedPanel> {
  const { inputs } = parseRunnerInputs(env)
  const file = inputs.judgeManifestFile ?? inputs.manifestFile ?? EVALUATION_FILE
  return resolveJudgePanel((await loadManifest(root, file, EvaluationManifest)).metrics.judge_panel, inputs)
}

/**
 * The language models among the judges of a panel. Through the gateway of the platform a judge is a model of the set, by its role or its name; else it is asked at
 * the endpoint of the panel.
 */
export function judgesToTest(
  { models, endpoint, apiKey }: Pick<RequestedPanel, 'models' | 'endpoint' | 'apiKey'>,
  set: { name: string; roles: Readonly<Record<ModelRole, ModelChoice>> },
): JudgeToTest[] {
  return models
    .filter((name) => !isBuiltinName(name))
    .map((name) =>
      endpoint === PLATFORM_GATEWAY ? judgeOfSet(name, set) : { name, ...atEndpoint(name, endpoint, apiKey !== null) },
    )
}

function judgeOfSet(name: string, { name: set, roles }: Parameters<typeof judgesToTest>[1]): JudgeToTest {
  const writes = ModelRole.options.filter((role) => roleTask(role) === 'generation')
  const role = writes.find((each) => each === name) ?? writes.find((each) => modelNameOf(roles[each]) === name)
  if (role === undefined)
    return {
      name,
      problem: `the set ${set} has no model of this name that writes. Name one of ${[...new Set(writes.map((each) => modelNameOf(roles[each])))].join(', ')}, or name an endpoint: JUDGE_ENDPOINT`,
    }
  const choice = roles[role]
  return isRuleBased(choice.backend)
    ? {
        name,
        problem: `${modelNameOf(choice)} answers by rules, which write no verdicts. Name a language model as a judge`,
      }
    : { name, choice }
}

function atEndpoint(name: string, endpoint: string, hasKey: boolean): { choice: ModelChoice } | { problem: string } {
  const url = chatUrl(endpoint)
  if (!url.replace(/\/$/, '').endsWith(CHAT_ROUTE))
    return { problem: 'an address with a query cannot be tested. Judge a run of a few questions instead' }
  const base_url = url.replace(/\/$/, '').slice(0, -CHAT_ROUTE.length)
  const api_key_env = hasKey ? 'JUDGE_API_KEY' : null
  return { choice: MODEL_BACKENDS.openai.settings.parse({ backend: 'openai', model: name, base_url, api_key_env }) }
}
