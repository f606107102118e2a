import { ModelRole } from '../../../contract/index.ts'
import type { ModelChoice, ModelsManifest } from '../../../contract/index.ts'
import type { SelectedModels } from './create-model-host.ts'
import { keyAddressProblem } from './key-address.ts'
import { unsuitable } from './model-backend.ts'

type Env = Readonly<Record<string, string | undefined>>

export type SelectOutcome = { ok: true; models: SelectedModels } | { ok: false; problems: string[] }

/**
 * The named set (the manifest's default when null) with `${NAME}` and `${NAME:-default}` in its addresses replaced from the
 * environment. Problems: an unknown set, an unset placeholder, an address that is none, a missing secret, a model unfit for its role.
 */
export function selectModels(manifest: ModelsManifest, setName: string | null, env: Env): SelectOutcome {
  const name = setName ?? manifest.default_set
  const set = manifest.sets[name]
  if (set === undefined) {
    return {
      ok: false,
      problems: [`no model set is named "${name}"; there are ${Object.keys(manifest.sets).join(', ')}`],
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
    problems.push(`sets.${name}: the environment variable ${variable} is not set (roles ${users.join(', ')})`)
  }
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, models: { name, roles: Object.fromEntries(roles) as Record<ModelRole, ModelChoice> } }
}

interface Resolved {
  choice: ModelChoice
  problems: string[]
  /** Environment variables that the choice needs and that are not there. */
  unset: string[]
}

function resolveChoice(role: ModelRole, choice: ModelChoice, env: Env): Resolved {
  const unfit = unsuitable(role, choice)
  const problems = unfit === null ? [] : [unfit]
  if (choice.backend === 'builtin' || choice.backend === 'onnx') return { choice, problems, unset: [] }
  const baseUrl = fillPlaceholders(choice.base_url, env)
  const unset = baseUrl.ok ? [] : baseUrl.unset
  if (baseUrl.ok && !isHttpUrl(baseUrl.value)) problems.push('base_url is not an http or https address')
  const refused = keyAddressProblem(choice, baseUrl.ok ? baseUrl.value : '', env)
  if (refused !== null) problems.push(refused)
  if (choice.api_key_env !== null && (env[choice.api_key_env] ?? '') === '') unset.push(choice.api_key_env)
  return { choice: { ...choice, base_url: baseUrl.ok ? baseUrl.value : choice.base_url }, problems, unset }
}

type Filled = { ok: true; value: string } | { ok: false; unset: string[] }

/** Replaces `${NAME}` and `${NAME:-default}`; an empty variable counts as unset, as in a shell. */
export function fillPlaceholders(text: string, env: Env): Filled {
  const unset: string[] = []
  const value = text.replace(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_match, name: string, fallback?: string) => {
      const given = env[name] ?? ''
      if (given !== '') return given
      if (fallback === undefined) unset.push(name)
      return fallback ?? ''
    },
  )
  return unset.length === 0 ? { ok: true, value } : { ok: false, unset }
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}
