import {
  isModelPath,
  isRemoteModel,
  unsuitable,
  type ModelChoice,
  type RemoteModel,
} from '../contract/manifests/model-backends.ts'
import { connectionOfStoredKey, storedKeyVariables } from '../contract/manifests/model-connections.ts'
import { fillPlaceholders, ModelRole, roleTask, type ModelsManifest } from '../contract/manifests/models.ts'
import { remedyFor } from './remedy.ts'

// Node and browsers have it; the contract's types are of neither.
declare const URL: {
  canParse(text: string): boolean
  new (text: string): { readonly origin: string; readonly protocol: string }
}

/** The models of one set: every role with its model, placeholders already replaced. */
export interface SelectedModels {
  name: string
  roles: Record<ModelRole, ModelChoice>
}

type Env = Readonly<Record<string, string | undefined>>

type SelectOutcome = { ok: true; models: SelectedModels } | { ok: false; problems: string[] }

/**
 * The one decision what a set of models means here, for the platform and for the check before a run: the named set (the manifest's default when
 * null) with `${NAME}` and `${NAME:-default}` in its addresses replaced from the
 * environment. Nothing is asked of an address here, and none may be asked where there are problems: an unknown set, an unset placeholder, an address that is none, a missing secret, a model unfit for its role.
 */
export function selectModels(manifest: ModelsManifest, setName: string | null, env: Env): SelectOutcome {
  const name = setName ?? manifest.default_set
  const set = manifest.sets[name]
  if (set === undefined) {
    return {
      ok: false,
      problems: [`no model set is named "${name}"; known sets: ${Object.keys(manifest.sets).join(', ')}`],
    }
  }
  const problems: string[] = []
  const unset = new Map<string, ModelRole[]>()
  const roles = ModelRole.options.map((role) => {
    const resolved = resolveChoice(role, set.roles[role], env)
    problems.push(...resolved.problems.map((problem) => `sets.${name}.roles.${role}: ${problem}`))
    for (const variable of resolved.unset) unset.set(variable, [...(unset.get(variable) ?? []), role])
    return [role, resolved.choice] as const
  })
  for (const [variable, users] of unset) {
    problems.push(`sets.${name}: ${missingWords(variable, ` (roles ${users.join(', ')})`)}`)
  }
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, models: { name, roles: Object.fromEntries(roles) as Record<ModelRole, ModelChoice> } }
}

/** Returns what is missing where a variable has no value, with what to do where the name does not show it. */
function missingWords(variable: string, users = ''): string {
  const connection = connectionOfStoredKey(variable)
  return connection === null
    ? `the environment variable ${variable} is not set${users}`
    : `no key is stored for the connection ${connection} at its address${users}. Store one on the page Models${remedyFor({ panel: '', commandLine: `, or: rag-ladder models key set ${connection}` })}`
}

interface Resolved {
  choice: ModelChoice
  problems: string[]
  /** Environment variables that the choice needs and that are not there. */
  unset: string[]
}

function resolveChoice(role: ModelRole, choice: ModelChoice, env: Env): Resolved {
  const unfit = unsuitable(roleTask(role), choice)
  const problems = unfit === null ? [] : [unfit]
  if (isModelPath(choice)) return resolvePath(choice, problems, env)
  if (!isRemoteModel(choice)) return { choice, problems, unset: [] }
  const baseUrl = fillPlaceholders(choice.base_url, env)
  const unset = baseUrl.ok ? [] : baseUrl.unset
  if (baseUrl.ok && !isHttpUrl(baseUrl.value)) problems.push('base_url is not an http or https address')
  const refused = keyAddressProblem(choice, baseUrl.ok ? baseUrl.value : '', env)
  if (refused !== null) problems.push(refused)
  if (choice.api_key_env !== null && (env[choice.api_key_env] ?? '') === '') unset.push(choice.api_key_env)
  return { choice: { ...choice, base_url: baseUrl.ok ? baseUrl.value : choice.base_url }, problems, unset }
}

/** Variables that may be part of a file's path. The name of the file is in every row, so a variable that may hold a secret may not. */
const PATH_NAME = /^HOME$|^USERPROFILE$|_(?:FILE|DIR|PATH)$/

function resolvePath(choice: ModelChoice, problems: readonly string[], env: Env): Resolved {
  const names = [...choice.model.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)/g)].map(([, name]) => name!)
  const refused = names.filter((name) => !PATH_NAME.test(name))
  if (refused.length > 0) {
    const problem = `model: ${refused.join(', ')} cannot be part of a path. Use HOME or a name that ends in _FILE, _DIR or _PATH`
    return { choice, problems: [...problems, problem], unset: [] }
  }
  const path = fillPlaceholders(choice.model, env)
  return path.ok
    ? { choice: { ...choice, model: path.value }, problems: [...problems], unset: [] }
    : { choice, problems: [...problems], unset: path.unset }
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

/** Comma-separated origins that the person has allowed to get keys; the project cannot set it. */
const TRUSTED_VARIABLE = 'RAG_LADDER_TRUSTED_ADDRESSES'

/** Defines where well-known keys belong. */
const HOMES: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: 'https://api.anthropic.com',
  CEREBRAS_API_KEY: 'https://api.cerebras.ai',
  COHERE_API_KEY: 'https://api.cohere.com',
  DEEPSEEK_API_KEY: 'https://api.deepseek.com',
  FIREWORKS_API_KEY: 'https://api.fireworks.ai',
  GEMINI_API_KEY: 'https://generativelanguage.googleapis.com',
  GROQ_API_KEY: 'https://api.groq.com',
  HF_TOKEN: 'https://router.huggingface.co',
  JINA_API_KEY: 'https://api.jina.ai',
  MISTRAL_API_KEY: 'https://api.mistral.ai',
  NVIDIA_API_KEY: 'https://integrate.api.nvidia.com',
  OPENAI_API_KEY: 'https://api.openai.com',
  OPENROUTER_API_KEY: 'https://openrouter.ai',
  TOGETHER_API_KEY: 'https://api.together.xyz',
  VOYAGE_API_KEY: 'https://api.voyageai.com',
  XAI_API_KEY: 'https://api.x.ai',
}

const KEY_NAME = /_API_(?:KEY|TOKEN)$|^HF_TOKEN$|^RAG_LADDER_(?!ENGINE_)/
const LEADING_PLACEHOLDER = /^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}(?=\/|$)/

/**
 * Why a model's address or key may not be used as a project asks; null when it may. A project may come from anyone: a variable of the
 * environment fills the beginning of an address only, where it is the address itself and reaches no other host; a key goes to its own service, to
 * an address that the environment gives, or to one that the person has allowed.
 */
function keyAddressProblem(declared: RemoteModel, address: string, env: Env): string | null {
  const leading = LEADING_PLACEHOLDER.exec(declared.base_url)
  if (declared.base_url.slice(leading?.[0].length ?? 0).includes('${'))
    return 'base_url: a variable may only be the beginning of the address, as in ${OLLAMA_URL:-http://127.0.0.1:11434}/v1'
  const { api_key_env: name } = declared
  if (name === null) return null
  if (!KEY_NAME.test(name))
    return `api_key_env: ${name} is not named like the key of a model service. Use a name that ends in _API_KEY or begins with RAG_LADDER_`
  // An address that is none is another problem.
  if (!URL.canParse(address)) return null
  const { origin, protocol } = new URL(address)
  if (!/^https?:$/.test(protocol)) return null
  const connection = connectionOfStoredKey(name)
  if (connection !== null) {
    const entered = env[storedKeyVariables(connection).origin] ?? ''
    // Without a key there is nothing to send, which is another problem.
    return entered === origin || (env[name] ?? '') === ''
      ? null
      : `the stored key of the connection ${connection} belongs to ${entered} and is not sent to ${origin}`
  }
  const isFromEnvironment = leading !== null && (env[leading[1]!] ?? '') !== ''
  const trusted = (env[TRUSTED_VARIABLE] ?? '').split(',')
  if (isFromEnvironment || HOMES[name] === origin || trusted.includes(origin)) return null
  return `${name} is not sent to ${origin}, because the project names this address and you have not allowed it. If you trust it with the key${remedyFor({ panel: ', edit the connection on the page Models and connect it again', commandLine: `: rag-ladder trust ${origin}` })}`
}

/** The model of a role with placeholders replaced, and everything that prevents its use here. Nothing may be asked of it where there are problems. */
export function resolveModel(
  role: ModelRole,
  choice: ModelChoice,
  env: Env,
): { choice: ModelChoice; problems: string[] } {
  const { choice: resolved, problems, unset } = resolveChoice(role, choice, env)
  return {
    choice: resolved,
    problems: [...problems, ...unset.map((variable) => missingWords(variable))],
  }
}
