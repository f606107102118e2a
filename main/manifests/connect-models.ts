// What a person does with connections and model sets, for the command line and the control API: list, add, test, save, remove, make the default,
// and find what this machine already has.
import { open, readdir, stat } from 'node:fs/promises'
import { homedir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  connectedModel,
  connectionAddress,
  connectionKey,
  connectionKind,
  isRemoteModel,
  joinModels,
  ModelsFile,
  OWN_MODELS_FILE,
  OwnModelsFile,
  resolveModel,
  DeclaredModel,
  type Connection,
  type ConnectionKind,
  type DeclaredSet,
  type DeclaredSetInput,
} from '../../contract/index.ts'
import type { ConnectionView, FoundModels, ModelProbe, ModelTest } from '../../contract/control/models.ts'
import { testConnection } from '../lib/test-connection.ts'
import { TRUSTED_VARIABLE, trustAddresses, trustedOrigins } from '../lib/trusted-addresses.ts'
import { editOwnFile, type OwnFileEdit } from './edit-own-file.ts'
import { loadModels, MODELS_FILE } from './experiment.ts'
import { loadManifest } from './load-manifest.ts'
import { InputError } from './runner-inputs.ts'

type Env = Readonly<Record<string, string | undefined>>
type LoadedModels = Awaited<ReturnType<typeof loadModels>>

export function connectionViews({ connections, ownConnections }: LoadedModels, env: Env): ConnectionView[] {
  return Object.entries(connections).map(([name, connection]) => {
    const key = connectionKey(connection)
    return {
      name,
      kind: connection.kind,
      address: connectionAddress(connection),
      key_env: key,
      key_set: key === null || (env[key] ?? '') !== '',
      cloud: connection.cloud ?? connectionKind(connection.kind).isCloud,
      own: ownConnections.includes(name),
    }
  })
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

/** Adds a connection, or replaces the person's own of that name, with a set of the same name where one is given. */
export async function addConnection(
  root: string,
  name: string,
  connection: Connection,
  set: DeclaredSetInput | null,
  env: Env,
): Promise<void> {
  await editOwnModels(root, [
    { path: ['connections', name], value: connection },
    ...(set === null ? [] : [{ path: ['sets', name], value: set }]),
  ])
  // The person has entered the address: it may get the key that they named for it.
  if (connection.base_url !== undefined && connectionKey(connection) !== null)
    trustAddresses([connection.base_url], env)
}

/** Adds a set, or replaces the person's own of that name. Throws `InputError` for a name of the project's. */
export async function saveSet(root: string, name: string, set: DeclaredSet): Promise<void> {
  const { models, ownModelSets } = await loadModels(root)
  if (Object.hasOwn(models.sets, name) && !ownModelSets.includes(name))
    throw new InputError([`name: the set ${name} belongs to the project: choose another name`])
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

/** Removes a person's own connection, set, or both of one name. Throws `InputError` for what is not theirs. */
export async function removeOwnModels(
  root: string,
  name: string,
  part: 'connection' | 'set' | null,
): Promise<{ wasDefault: boolean }> {
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
  return { wasDefault }
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

export interface TestOptions {
  model: string | null
  embeddingModel: string | null
  timeoutMs: number
  listOnly?: boolean
  /** The person has just entered the address: the named key may go there. */
  isEntered?: boolean
  signal?: AbortSignal
}

/** Tests one connection as a run would use it. What the service does is a result; nothing is asked where there are problems. */
export async function testDeclaredConnection(
  connection: Connection,
  { model, embeddingModel, timeoutMs, listOnly = false, isEntered = false, signal }: TestOptions,
  env: Env,
): Promise<ModelTest> {
  const trusted = [...trustedOrigins(env), ...(isEntered ? enteredOrigins(connection) : [])]
  const declared = connectedModel(connection, { connection: '-', model: '-' }, 'generation')
  const { choice, problems } = resolveModel('light_gen', declared, { ...env, [TRUSTED_VARIABLE]: trusted.join(',') })
  if (problems.length > 0 || !isRemoteModel(choice)) return { works: false, problems, probes: [], models: [] }
  const { base_url: baseUrl, api_key_env: keyName } = choice
  const { probes, models } = await testConnection({
    kind: connection.kind,
    baseUrl,
    keyName,
    key: keyName === null ? null : (env[keyName] ?? null),
    model,
    embeddingModel,
    listOnly,
    timeoutMs,
    ...(signal === undefined ? {} : { signal }),
  })
  return {
    works: probes.every(({ status }) => status !== 'failed'),
    problems: [],
    probes: probes.map(({ latencyMs, ...probe }): ModelProbe => ({ ...probe, latency_ms: latencyMs })),
    models,
  }
}

const enteredOrigins = ({ base_url: address }: Connection): string[] =>
  address !== undefined && URL.canParse(address) ? [new URL(address).origin] : []

/** Services that people run beside the program, with how long one that listens may take to list its models. */
const LOCAL_KINDS: readonly ConnectionKind[] = ['ollama', 'lmstudio']
const FIND_TIMEOUT_MS = 1500
/** More files and deeper folders than people have. */
const MAX_FILES = 200
const MAX_DEPTH = 4

export interface SearchPlaces {
  services: readonly { kind: ConnectionKind; address: string }[]
  folders: readonly string[]
}

/** The usual ports, and the folders where people keep model files: the project's, the program's and LM Studio's. */
export const usualPlaces = (root: string): SearchPlaces => ({
  services: LOCAL_KINDS.map((kind) => ({ kind, address: connectionKind(kind).usualAddress! })),
  folders: [join(root, 'models'), join(root, '.rag-ladder/models'), join(homedir(), '.lmstudio/models')],
})

/** What this machine has. A port that does not answer and a folder that does not exist are left out. */
export async function findLocalModels({ services, folders }: SearchPlaces): Promise<FoundModels> {
  const asked = services.map(async ({ kind, address }) => {
    const test = { kind, baseUrl: address, key: null, keyName: null, timeoutMs: FIND_TIMEOUT_MS }
    const { probes, models } = await testConnection({ ...test, model: null, embeddingModel: null, listOnly: true })
    return probes[0]?.status === 'passed' ? [{ kind, address, models }] : []
  })
  const searched = await Promise.all(
    folders.map(async (folder) => ({ folder, files: await modelFiles(folder, MAX_DEPTH) })),
  )
  const existing = searched.flatMap(({ folder, files }) => (files === null ? [] : [{ folder, files }]))
  const files = existing.flatMap((each) => each.files)
  return {
    services: (await Promise.all(asked)).flat(),
    files: files.slice(0, MAX_FILES).toSorted((a, b) => a.path.localeCompare(b.path)),
    folders: existing.map(({ folder }) => folder),
    memory_bytes: totalmem(),
  }
}

/** Null where there is no such folder. Links to folders are not followed. */
async function modelFiles(folder: string, depth: number): Promise<FoundModels['files'] | null> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => null)
  if (entries === null) return null
  const found = await Promise.all(
    entries.slice(0, 1000).map(async (entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return depth === 0 ? [] : ((await modelFiles(path, depth - 1)) ?? [])
      if (!/\.gguf$/i.test(entry.name)) return []
      const info = await stat(path).catch(() => null)
      return info?.isFile() === true ? [{ path, size_bytes: info.size }] : []
    }),
  )
  return found.flat()
}

const MIB = 1024 * 1024
const GGUF_MAGIC = 'GGUF'

/** What can be known of a GGUF file without loading it: that it is one, and its size beside the machine's memory. */
export async function checkModelFile(root: string, path: string): Promise<ModelProbe> {
  const file = resolve(root, path)
  const probe = { probe: 'file', model: null, latency_ms: null, finding: null, error: null, remedy: null } as const
  const failed = (error: string, remedy: string): ModelProbe => ({ ...probe, status: 'failed', error, remedy })
  const info = await stat(file).catch((error: unknown) => error as NodeJS.ErrnoException)
  if (info instanceof Error)
    return info.code === 'ENOENT'
      ? failed(`there is no file ${file}`, 'Correct the path: it is one of the machine that the engine runs on.')
      : failed(`${file} cannot be read: ${info.code ?? info.message}`, 'Check the permissions of the file.')
  if (!info.isFile()) return failed(`${file} is not a file`, 'Name the .gguf file itself.')
  const start = await firstBytes(file).catch(() => null)
  if (start === null) return failed(`${file} cannot be read`, 'Check the permissions of the file.')
  if (start !== GGUF_MAGIC)
    return failed(`${file} is not a GGUF file`, 'Its first four bytes are not GGUF: fetch the file again.')
  const sizes = `${Math.ceil(info.size / MIB)} MiB of ${Math.floor(totalmem() / MIB)} MiB memory`
  return info.size > totalmem()
    ? failed(`the file is larger than the memory of this machine: ${sizes}`, 'Choose a smaller model or quantization.')
    : { ...probe, status: 'passed', finding: sizes }
}

async function firstBytes(file: string): Promise<string> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await handle.close()
  }
}
