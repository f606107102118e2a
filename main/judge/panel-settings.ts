import { BaseApproach } from '../../contract/approaches.ts'
import { type JudgePanelSettings, PLATFORM_GATEWAY } from '../../contract/manifests/evaluation.ts'
import { isTrusted, originOf } from '../lib/trust/trusted-addresses.ts'
import { withoutCredentials } from '../manifests/project/provenance.ts'
import type { RunnerInputs } from '../manifests/runner-inputs.ts'
import { BUILTIN_JUDGES, isBuiltinJudge, isBuiltinName } from './builtin/builtin-judges.ts'
import { JudgePanelError } from './judge-error.ts'
import { modelFamily } from './model-family.ts'
import { remedyFor } from '../evidence/typed-command.ts'

/** A judge panel as a run asks for it, manifest and environment laid over each other. */
export interface RequestedPanel {
  enabled: boolean
  /** `platform-gateway`, or the address of any chat endpoint. */
  endpoint: string
  /** For the generic endpoint only; the platform gateway has a credential of its own. */
  apiKey: string | null
  models: string[]
  /** Null sends no `temperature`. */
  temperature: number | null
  /** Holds what chat judges are sent as `think`; null sends nothing. */
  think: boolean | null
  /** Null: as often as the stored panel of these judges, else `DEFAULT_ROTATIONS`. */
  rotations: number | null
  /** True when chat judges are shown the ground truth. */
  reference: boolean
  families: Readonly<Record<string, string>>
}

/** A judge panel whose judges can be asked. */
export interface JudgePanel extends RequestedPanel {
  rotations: number
}

/** Values of the command line's options; absent where an option is not given. */
interface JudgeChoices {
  enabled?: boolean
  models?: string[]
  endpoint?: string
  rotations?: number
  reference?: boolean
}

type JudgeInputs = Pick<RunnerInputs, 'judgeModels' | 'judgeEndpoint' | 'judgeApiKey' | 'judgeThink' | 'judgeFamilies'>

// Judges are shown the ground truth unless asked not to be: of documents that they have not read they could grade only how plausible an answer is,
// and they could not know that a refusal is right where the documents hold no answer.
const SHOWS_REFERENCE = true

/**
 * Options win over the environment, which wins over the manifest. Naming judges by option or variable enables the panel. A generic
 * endpoint gets `think` only when it is explicit, because foreign endpoints refuse fields that they do not know: JUDGE_THINK, `thinking: true`, or
 * `thinking: false` in a manifest that names this endpoint. A false that was written for the platform gateway is not sent elsewhere.
 */
export function resolveJudgePanel(
  manifest: JudgePanelSettings,
  inputs: JudgeInputs,
  choices: JudgeChoices = {},
): RequestedPanel {
  const named = choices.models ?? inputs.judgeModels
  const endpoint = choices.endpoint ?? inputs.judgeEndpoint ?? manifest.endpoint
  const isPlatform = endpoint === PLATFORM_GATEWAY
  const { judgeThink } = inputs
  const isOwn = (choices.endpoint ?? inputs.judgeEndpoint) !== null
  if (!isPlatform && !isOwn && inputs.judgeApiKey !== null && !isTrusted(endpoint)) throw untrustedEndpoint(endpoint)
  return {
    enabled: choices.enabled ?? (manifest.enabled || named !== null),
    endpoint,
    apiKey: isPlatform ? null : inputs.judgeApiKey,
    models: named ?? manifest.models,
    temperature: manifest.temperature,
    think: judgeThink === 'omit' ? null : (judgeThink ?? manifestThinking(manifest, endpoint)),
    rotations: choices.rotations ?? manifest.rotations ?? null,
    reference: choices.reference ?? manifest.reference ?? SHOWS_REFERENCE,
    families: { ...manifest.families, ...inputs.judgeFamilies },
  }
}

/** The project names the endpoint and may come from another person; the key is the user's. */
function untrustedEndpoint(endpoint: string): JudgePanelError {
  const remedy = remedyFor({
    panel: 'enter it as the address of the judges under Settings',
    commandLine: `set JUDGE_ENDPOINT or run: rag-ladder trust ${originOf(endpoint) ?? endpoint}`,
  })
  return new JudgePanelError(
    'judge_endpoint_untrusted',
    `JUDGE_API_KEY is not sent to ${withoutCredentials(endpoint)}, because the project's manifest names this endpoint and you have not allowed it. If you trust it with the key, ${remedy}`,
  )
}

function manifestThinking({ thinking, endpoint: written }: JudgePanelSettings, endpoint: string): boolean | null {
  if (endpoint === PLATFORM_GATEWAY) return thinking === undefined ? false : thinking
  return thinking === true || (thinking === false && written === endpoint) ? thinking : null
}

/** The panel in the manifest's form, for provenance; of a disabled one nothing but that. */
export function panelSettings(panel: RequestedPanel, manifest: JudgePanelSettings): JudgePanelSettings {
  if (!panel.enabled)
    return { ...manifest, enabled: false, thinking: manifest.thinking === undefined ? false : manifest.thinking }
  return {
    ...manifest,
    enabled: panel.enabled,
    endpoint: panel.endpoint,
    thinking: panel.think,
    models: panel.models,
    ...(panel.rotations === null ? {} : { rotations: panel.rotations }),
    ...(panel.reference === (manifest.reference ?? SHOWS_REFERENCE) ? {} : { reference: panel.reference }),
  }
}

/**
 * Refuses an enabled panel that could not judge fairly; to be called before any approach is. Needed are two judges or more, each of another
 * family, none of them an approach. Throws `JudgePanelError`; a disabled panel passes.
 */
export function checkJudgePanel(
  panel: Pick<RequestedPanel, 'enabled' | 'models' | 'families'>,
  approaches: Iterable<string> = [],
): void {
  if (!panel.enabled) return
  const { models, families } = panel
  if (models.length === 0)
    throw new JudgePanelError(
      'judge_models_missing',
      'the judge panel has no judge: choose at least two (in New run, in JUDGE_MODELS, or in metrics.judge_panel.models of the manifest), or disable the panel',
    )
  if (new Set(models).size < 2)
    throw new JudgePanelError(
      'judge_models_too_few',
      `a panel needs two judges or more, but only ${models[0]!} is named`,
      { models },
    )
  const unknown = models.find((name) => isBuiltinName(name) && !isBuiltinJudge(name))
  if (unknown !== undefined)
    throw new JudgePanelError(
      'judge_unknown',
      `${unknown} is not a built-in judge; the built-in judges are ${BUILTIN_JUDGES.join(' and ')}`,
    )
  const graded = new Set<string>([...approaches, ...BaseApproach.options])
  const own = models.find((name) => graded.has(name))
  if (own !== undefined)
    throw new JudgePanelError('judge_is_approach', `${own} is an approach: it cannot grade its own answers`)
  const byFamily = Map.groupBy(new Set(models), (name) => modelFamily(name, families))
  for (const [family, members] of byFamily)
    if (members.length > 1)
      throw new JudgePanelError(
        'judge_families_not_distinct',
        `${members.join(' and ')} are of one family (${family}): a family tends to agree with itself. Name judges of different families, or declare the families where names mislead: JUDGE_FAMILIES=name=family,… or metrics.judge_panel.families`,
        { family, models: members },
      )
}
