import { hash } from 'node:crypto'
import type { ResolvedModels } from '../../../contract/evidence/provenance.ts'
import {
  conditionsOf,
  isModelPath,
  isRemoteModel,
  modelNameOf,
  type ModelChoice,
} from '../../../contract/manifests/model-backends.ts'
import { connectionKey, connectionOfStoredKey } from '../../../contract/manifests/model-connections.ts'
import { fillPlaceholders } from '../../../contract/manifests/models.ts'
import type { Experiment } from '../experiment.ts'
import { RESOLVED_DIGEST } from '../../evidence/rows/conditions.ts'
import { hashOf } from '../load-manifest.ts'

// Which settings of a model are conditions of a row: those that can change what it answers. They are in each row, role by role, so that a refusal
// names the field, and so that a repair of one role leaves the answers of others as they are (decision 048).

type ResolvedRole = ResolvedModels['roles'][string]
type Environment = Readonly<Record<string, string | undefined>>

/** An address without user name, password and query, also where it begins with a variable. */
export function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return address.replace(/\/\/[^/@\s]*@/, '//')
  const url = new URL(address)
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/$/, '')}`
}

/** The first characters of the SHA-256 of an address or path that a variable completes: its value may be private. Null where no variable does, or its value is unknown. */
function resolvedDigest(choice: ModelChoice, env: Environment): string | null {
  const declared = isRemoteModel(choice) ? choice.base_url : isModelPath(choice) ? choice.model : ''
  const filled = declared.includes('${') ? fillPlaceholders(declared, env) : null
  if (filled?.ok !== true) return null
  return hash('sha256', isRemoteModel(choice) ? withoutCredentials(filled.value) : filled.value).slice(0, 16)
}

function declaredModel(choice: ModelChoice, env: Environment | undefined): ResolvedRole {
  const { backend, model } = choice
  const name = modelNameOf(choice)
  const settings = conditionsOf(choice)
  if (isRemoteModel(choice)) settings['base_url'] = withoutCredentials(choice.base_url)
  // Two files of one name can be two models. A path belongs to one machine, so its hash is recorded.
  if (name !== model) settings['path_sha256'] = hash('sha256', model)
  const digest = env === undefined ? null : resolvedDigest(choice, env)
  if (digest !== null) settings[RESOLVED_DIGEST] = digest
  return { backend, model: name, ...(Object.keys(settings).length === 0 ? {} : { settings }) }
}

/** The models of a set, with every setting that can change what they answer; null for a set that is not declared. Without `env`, values of variables are unknown. */
export function declaredModels(
  { models }: Pick<Experiment, 'models'>,
  set: string,
  env?: Environment,
): ResolvedModels | null {
  const declared = models.sets[set]
  if (declared === undefined) return null
  const roles = Object.entries(declared.roles).map(([role, choice]) => [role, declaredModel(choice, env)])
  return { set, roles: Object.fromEntries(roles) as ResolvedModels['roles'] }
}

/** The models of a set, to be compared with stored ones. A name with a variable is known to the platform alone, so the stored name is taken. */
export function declaredBeside(
  experiment: Pick<Experiment, 'models'>,
  set: string,
  stored: ResolvedModels | null,
  env?: Environment,
): ResolvedModels | null {
  const declared = declaredModels(experiment, set, env)
  if (declared === null || set !== stored?.set) return declared
  const roles = Object.entries(declared.roles).map(([role, each]) => {
    const model = each.model.includes('${') ? (stored.roles[role]?.model ?? each.model) : each.model
    return [role, { ...each, model }]
  })
  return { set, roles: Object.fromEntries(roles) as ResolvedModels['roles'] }
}

/** Models that the platform reports, with the settings that the project declares for them. */
export function withSettings(
  experiment: Pick<Experiment, 'models'>,
  resolved: ResolvedModels,
  env?: Environment,
): ResolvedModels {
  const declared = declaredModels(experiment, resolved.set, env)?.roles ?? {}
  const roles = Object.entries(resolved.roles).map(([role, { backend, model }]) => {
    const settings = declared[role]?.settings
    return [role, { backend, model, ...(settings === undefined ? {} : { settings }) }]
  })
  return { set: resolved.set, roles: Object.fromEntries(roles) as ResolvedModels['roles'] }
}

/** One hash of all sets, as rows record it that were stored before the settings of each model were. A person's own set counts where the run uses it. */
export function modelsHash(
  { models, projectModels, ownModelSets, connections }: Experiment,
  modelSet: string | null,
): string {
  const chosen = modelSet ?? models.default_set
  const count = ownModelSets.includes(chosen)
    ? { ...projectModels, sets: { ...projectModels.sets, [chosen]: models.sets[chosen]! } }
    : projectModels
  const sets = Object.entries(count.sets).map(([name, set]) => {
    const roles = Object.entries(set.roles).map(([role, choice]) => [
      role,
      withKeyVariable(withoutConcurrency(choice), connections),
    ])
    return [name, { ...set, roles: Object.fromEntries(roles) as typeof set.roles }] as const
  })
  return hashOf({ ...count, sets: Object.fromEntries(sets) })
}

/** Where a key is stored changes no answer, so the variable of the connection is hashed. */
function withKeyVariable(choice: ModelChoice, connections: Experiment['connections']): ModelChoice {
  if (!isRemoteModel(choice) || choice.api_key_env === null) return choice
  const name = connectionOfStoredKey(choice.api_key_env)
  return name === null || !Object.hasOwn(connections, name)
    ? choice
    : { ...choice, api_key_env: connectionKey(connections[name]!) }
}

/** The number of calls that a service gets at once changes no answer. */
function withoutConcurrency(choice: ModelChoice): ModelChoice {
  if (!('concurrency' in choice)) return choice
  const { concurrency: _concurrency, ...rest } = choice
  return rest
}
