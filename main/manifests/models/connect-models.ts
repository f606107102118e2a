// This is all that a person does with connections and model sets, for the command line and the control API: list, add, test, save, remove, make the default,
// and find what this machine already has.
import { isDeepStrictEqual } from 'node:util'
import {
  connectionAddress,
  connectionKey,
  connectionKind,
  hasStoredKey,
  type Connection,
} from '../../../contract/manifests/model-connections.ts'
import {
  joinModels,
  ModelsFile,
  OWN_MODELS_FILE,
  OwnModelsFile,
  DeclaredModel,
  type DeclaredSet,
  type DeclaredSetInput,
} from '../../../contract/manifests/models.ts'
import { addressProblem } from '../../../contract/service-address.ts'
import type { ConnectionView } from '../../../contract/control/models.ts'
import { trustAddresses } from '../../lib/trust/trusted-addresses.ts'
import { checkedKey, dropKey, keepKey, keyState, originForKey } from './connection-keys.ts'
import { editOwnFile, type OwnFileEdit } from '../edit-own-file.ts'
import { loadModels, MODELS_FILE } from '../experiment.ts'
import { loadManifest } from '../load-manifest.ts'
import { InputError } from '../runner-inputs.ts'

type Env = Readonly<Record<string, string | undefined>>
type LoadedModels = Awaited<ReturnType<typeof loadModels>>

/** Throws `SecretsError` where the key store cannot be read. */
export function connectionViews({ connections, ownConnections }: LoadedModels, env: Env): Promise<ConnectionView[]> {
  const views = Object.entries(connections).map(async ([name, connection]): Promise<ConnectionView> => {
    const { place, variable, isThere } = await keyState(name, connection, env)
    return {
      name,
      kind: connection.kind,
      address: connectionAddress(connection),
      key: place,
      key_env: variable,
      key_set: isThere,
      cloud: connection.cloud ?? connectionKind(connection.kind).isCloud,
      own: ownConnections.includes(name),
      declared: connection,
    }
  })
  return Promise.all(views)
}

/** Throws `InputError` naming the connections that exist. */
export function connectionNamed({ connections }: LoadedModels, name: string): Connection {
  if (Object.hasOwn(connections, name)) return connections[name]!
  throw new InputError([`no connection is named ${name}; there are ${Object.keys(connections).join(', ')}`])
}

const editOwnModels = (root: string, edits: readonly OwnFileEdit[]): Promise<void> =>
  editOwnFile(
    root,
    {
      file: OWN_MODELS_FILE,
      version: 2,
      schema: OwnModelsFile,
      maps: ['connections', 'sets'],
      problemsOf: async (own) => joinModels(await loadManifest(root, MODELS_FILE, ModelsFile), own).problems.ofPerson,
    },
    edits,
  )

/** The address of a service without the route that documentation of services often names with it. Throws `InputError`. */
function serviceAddress(address: string): string {
  if (address.includes('${')) return address
  const problem = addressProblem(address)
  if (problem !== null) throw new InputError([`address: ${problem}`])
  return address.replace(/\/(?:chat\/completions|completions|embeddings|models)\/*$/, '')
}

function refuseSetOfProject({ models, ownModelSets }: LoadedModels, name: string): void {
  if (Object.hasOwn(models.sets, name) && !ownModelSets.includes(name))
    throw new InputError([`name: the set ${name} belongs to the project: choose another name`])
}

/**
 * Adds a connection, or replaces the person's own of that name, with a set of the same name where one is given. A `key` is stored for the
 * address, in place of a variable. Throws `InputError`.
 */
export async function addConnection(
  root: string,
  name: string,
  connection: Connection,
  { set = null, key = null }: { set?: DeclaredSetInput | null; key?: string | null },
  env: Env,
): Promise<void> {
  if (set !== null) refuseSetOfProject(await loadModels(root), name)
  const added: Connection = {
    ...connection,
    ...(connection.base_url === undefined ? {} : { base_url: serviceAddress(connection.base_url) }),
    ...(key === null ? {} : { api_key: 'stored' }),
  }
  // Nothing is written where the key could not be stored.
  if (key !== null) {
    originForKey(name, added, env)
    checkedKey(key)
  }
  await editOwnModels(root, [
    { path: ['connections', name], value: added },
    ...(set === null ? [] : [{ path: ['sets', name], value: set }]),
  ])
  if (key !== null) await keepKey(name, added, key, env)
  // The person has entered the address: it may get the key that they named for it.
  else if (added.base_url !== undefined && !hasStoredKey(added) && connectionKey(added) !== null)
    trustAddresses([added.base_url], env)
}

/**
 * Stores the key of a connection on this computer; the connection, the person's own or the project's, then uses it in place of a variable.
 * Returns the origin that gets it. Throws `InputError`.
 */
export async function setConnectionKey(root: string, name: string, key: string, env: Env): Promise<string> {
  const connection = connectionNamed(await loadModels(root), name)
  const origin = await keepKey(name, connection, key, env)
  if (!hasStoredKey(connection))
    await editOwnModels(root, [{ path: ['connections', name], value: { ...connection, api_key: 'stored' } }])
  return origin
}

/** Deletes the stored key of a connection, which then reads its variable again where it has one. Throws `InputError` where none is stored. */
export async function removeConnectionKey(root: string, name: string, env: Env): Promise<void> {
  const loaded = await loadModels(root)
  const connection = connectionNamed(loaded, name)
  const isDeleted = await dropKey(name, connection, env)
  const isOwn = loaded.ownConnections.includes(name)
  if (!isDeleted && !(isOwn && hasStoredKey(connection)))
    throw new InputError([`no key is stored for the connection ${name}`])
  if (!isOwn || !hasStoredKey(connection)) return
  const { api_key: _stored, ...rest } = connection
  const { connections: ofProject } = await loadManifest(root, MODELS_FILE, ModelsFile)
  // The rest is no longer a person's own where the project has the same.
  const value = isDeepStrictEqual(ofProject[name], rest) ? undefined : rest
  await editOwnModels(root, [{ path: ['connections', name], value }])
}

/** Adds a set, or replaces the person's own of that name. Throws `InputError` for a name of the project's. */
export async function saveSet(root: string, name: string, set: DeclaredSet): Promise<void> {
  refuseSetOfProject(await loadModels(root), name)
  const { description, default: usual, roles } = set
  const short = {
    ...(description === '' ? {} : { description }),
    ...(usual === undefined ? {} : { default: withoutDefaults(usual) }),
    roles: Object.fromEntries(Object.entries(roles).map(([role, model]) => [role, withoutDefaults(model)])),
  }
  await editOwnModels(root, [{ path: ['sets', name], value: short }])
}

/** Only what a person has chosen is written, so that a default of a later version holds for the rest. */
function withoutDefaults(model: DeclaredModel): object {
  return Object.keys(model).reduce<object>((kept, key) => {
    const rest = Object.fromEntries(Object.entries(kept).filter(([each]) => each !== key))
    const parsed = DeclaredModel.safeParse(rest)
    return parsed.success && isDeepStrictEqual(parsed.data, model) ? rest : kept
  }, model)
}

/** Removes a person's own connection with its stored key, set, or both of one name. Throws `InputError` for what is not theirs. */
export async function removeOwnModels(
  root: string,
  name: string,
  part: 'connection' | 'set' | null,
  env: Env,
): Promise<{ wasDefault: boolean; hadKey: boolean }> {
  const loaded = await loadModels(root)
  const { connections, ownConnections, ownModelSets, models } = loaded
  const hasConnection = part !== 'set' && ownConnections.includes(name)
  const hasSet = part !== 'connection' && ownModelSets.includes(name)
  if (!hasConnection && !hasSet) {
    const isOfProject =
      (part !== 'set' && Object.hasOwn(connections, name)) ||
      (part !== 'connection' && Object.hasOwn(models.sets, name))
    if (isOfProject) throw new InputError([`${name} belongs to the project: edit manifests/models.yaml`])
    if (part === 'set') setNamed(loaded, name)
    connectionNamed(loaded, name)
  }
  const wasDefault = hasSet && models.default_set === name
  await editOwnModels(root, [
    ...(wasDefault ? [{ path: ['default_set'], value: undefined }] : []),
    ...(hasSet ? [{ path: ['sets', name], value: undefined }] : []),
    ...(hasConnection ? [{ path: ['connections', name], value: undefined }] : []),
  ])
  const hadKey = hasConnection && (await dropKey(name, connections[name]!, env))
  return { wasDefault, hadKey }
}

/** Makes a set the one that runs use unless they name another. */
export async function makeSetDefault(root: string, name: string): Promise<void> {
  setNamed(await loadModels(root), name)
  await editOwnModels(root, [{ path: ['default_set'], value: name }])
}

function setNamed({ models }: LoadedModels, name: string): void {
  if (!Object.hasOwn(models.sets, name))
    throw new InputError([`no set is named ${name}; there are ${Object.keys(models.sets).join(', ')}`])
}
