import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { MODEL_RECORDS_FOLDER } from '../../../core/model-records/known-models.ts'
import { isCredentialName } from '../../../core/credential-names.ts'
import { CONFIG_EXIT_CODE } from '../../../core/process-exit.ts'
import { rememberSecrets } from '../../../core/known-secrets.ts'
import { TRUSTED_VARIABLE, trustedOrigins } from '../../lib/trust/trusted-addresses.ts'
import { moduleFile } from '../../lib/module-entry.ts'
import { detailOf } from '../../supervisor/service-state.ts'
import { ServiceFailedError, SupervisedService } from '../../supervisor/supervised-service.ts'
import type { LaunchedProcess, ProcessLauncher } from '../../supervisor/process-launcher.ts'
import type { RunEvent } from '../../../contract/evidence/run-event.ts'
import type { RunnerInputs } from '../../manifests/runner-inputs.ts'
import { MAX_DOCUMENTS } from '../../manifests/datasets/importers/choose-records.ts'
import { storedKeyEnvironment } from '../../manifests/models/connection-keys.ts'
import { loadModels } from '../../manifests/experiment.ts'
import { ManifestError } from '../../manifests/manifest-error.ts'
import { trustedApproaches, variablesOfApproaches } from '../../manifests/project/own-approaches.ts'
import { programRevision } from '../../manifests/project/program-revision.ts'
import { openPlatformSecrets, type PlatformSecrets } from '../../supervisor/platform-secrets.ts'
import { createPlatformClient } from './platform-client.ts'
import { platformCredentials } from './platform-credentials.ts'

/** A platform that answers for one ingestion profile until it is stopped. */
export interface RunningPlatform {
  url: string
  /** Base address of the backend's routes, where it is not the gateway's. */
  platformUrl?: string | null
  /** Credential of the gateway's routes. */
  apiKey: string | null
  /** Credential of the backend's routes: ingestion, evaluation, usage. */
  operatorToken: string | null
  /** Key of an edge in front of it. */
  edgeKey: string | null
  /** Resolves when the platform works: at once, or after a restart in progress. Throws when it has failed. */
  ready(): Promise<void>
  stop(): Promise<void>
}

type Environment = Readonly<Record<string, string | undefined>>

/** Describes where a run's platform comes from. */
export interface PlatformSource {
  readonly kind: 'embedded' | 'external'
  /** `embedded`, or the external address as provenance shows it. */
  readonly gateway: string
  readonly basePort: number | null
  /** Set of `manifests/models.yaml` that an embedded platform starts with; null: the manifest's default, or not ours to choose. */
  readonly modelSet: string | null
  /** Environment of an embedded platform, from which its models take addresses and keys. */
  readonly env?: Environment
  /** A request to stop ends a start under way, with its processes: then it rejects with the signal's reason. */
  start(profile: string, stop?: AbortSignal): Promise<RunningPlatform>
  /** Reads everything that a start would read of settings, manifests and env file. Throws `ServiceFailedError` with what must be changed. */
  check?(profile: string): Promise<void>
  /** Folder that holds everything the platform made for this profile; null when it is not ours to delete. */
  stateDir(profile: string): string | null
}

/** Folder of everything that the embedded platform keeps for an ingestion profile. */
export const embeddedStateDir = (stateRoot: string, profile: string): string => join(stateRoot, 'platform', profile)

const PLATFORM_ENTRY = moduleFile('../../../providers/platform/index', import.meta.url)

/** Below the state folder; mode 0600. */
export const SECRETS_FILE = 'secrets.json'

/** Credentials of an embedded platform, as the platform and its callers must know them. */
export interface PlatformKeys extends PlatformSecrets {
  /** Key of its edge; null while the edge is open. */
  edgeKey: string | null
}

/** Variables by which a person sets a credential of the platform instead of the one that the project has. */
const KEY_VARIABLES = {
  operatorToken: 'BACKEND_INTERNAL_API_TOKEN',
  gatewayKey: 'GATEWAY_MASTER_KEY',
  rerankAdapterToken: 'GRAPHENGINE_RERANK_ADAPTER_TOKEN',
  graphEngineKey: 'GRAPHENGINE_API_KEY',
} as const satisfies Record<keyof PlatformSecrets, string>

const valueOf = (env: Environment, name: string): string | null => {
  const value = env[name]?.trim() ?? ''
  return value === '' ? null : value
}

/** The project's secrets, each unless the environment has one of the person's own. Throws `SecretsError`. */
export async function platformKeys(stateRoot: string, env: Environment): Promise<PlatformKeys> {
  const secrets = await openPlatformSecrets(join(stateRoot, SECRETS_FILE))
  const isEdgeClosed = valueOf(env, 'BACKEND_EDGE_AUTH') === 'key-auth'
  const own = (key: keyof PlatformSecrets): string => valueOf(env, KEY_VARIABLES[key]) ?? secrets[key]
  const keys = {
    operatorToken: own('operatorToken'),
    gatewayKey: own('gatewayKey'),
    rerankAdapterToken: own('rerankAdapterToken'),
    graphEngineKey: own('graphEngineKey'),
    edgeKey: isEdgeClosed ? valueOf(env, 'BACKEND_EDGE_API_KEY') : null,
  }
  rememberSecrets(...Object.values(keys))
  return keys
}

interface EmbeddedOptions {
  root: string
  stateRoot: string
  modelSet: string | null
  launcher: ProcessLauncher
  emit: (event: RunEvent) => void
  /** Environment by which it finds the services that read a profile's corpus. */
  readers?: (profile: string) => Promise<Record<string, string>>
  /** Must be free; without it PLATFORM_PORT, else the platform's own default or any. */
  port?: number
  /** The person's own environment: its settings for the platform are used, not replaced. */
  env: Environment
}

/**
 * The platform that comes with the program, as a supervised child. What the person's environment sets for it (address, credentials, edge,
 * corpus) holds; the rest is this project's.
 */
export function embeddedPlatform(options: EmbeddedOptions): PlatformSource {
  const stateDir = (profile: string): string => embeddedStateDir(options.stateRoot, profile)
  const environmentOf = async (profile: string, keys: PlatformKeys): Promise<Record<string, string>> => {
    const chosen = (name: string, fallback: string): Record<string, string> => ({
      [name]: valueOf(options.env, name) ?? fallback,
    })
    const [revision, credentials] = await Promise.all([programRevision(), credentialsOf(options.root, options.env)])
    return {
      ...filledIn(options.env),
      ...credentials,
      // The platform sends keys of models only to addresses that the person has allowed.
      [TRUSTED_VARIABLE]: trustedOrigins().join(','),
      RAG_LADDER_TRUSTED_APPROACHES: trustedApproaches(options.root, options.env).join(','),
      ...chosen('PLATFORM_HOST', '127.0.0.1'),
      ...(options.port === undefined ? {} : { PLATFORM_PORT: String(options.port) }),
      RAG_LADDER_MANIFESTS: join(options.root, 'manifests'),
      RAG_LADDER_STATE_DIR: stateDir(profile),
      // All profiles share what is known of a model.
      RAG_LADDER_MODEL_RECORDS: join(options.stateRoot, MODEL_RECORDS_FOLDER),
      ...chosen('RAG_INGESTION_CORPUS_ROOT', join(options.root, 'corpus')),
      // An imported corpus can be run, unless a person or the project's env file sets fewer. Decision 116.
      RAG_LADDER_HOST_MAX_FILES: String(MAX_DOCUMENTS),
      ...(revision === null ? {} : { RAG_LADDER_REVISION: revision }),
      RAG_PROFILE: profile,
      BACKEND_INTERNAL_API_TOKEN: keys.operatorToken,
      GATEWAY_MASTER_KEY: keys.gatewayKey,
      GRAPHENGINE_RERANK_ADAPTER_TOKEN: keys.rerankAdapterToken,
      GRAPHENGINE_API_KEY: keys.graphEngineKey,
      ...(options.modelSet === null ? {} : { RAG_MODEL_SET: options.modelSet }),
    }
  }
  return {
    kind: 'embedded',
    gateway: 'embedded',
    basePort: options.port ?? null,
    modelSet: options.modelSet,
    env: options.env,
    stateDir,
    async check(profile) {
      const keys = await platformKeys(options.stateRoot, options.env)
      const env = { ...(await environmentOf(profile, keys)), RAG_LADDER_CHECK_ONLY: '1' }
      await checkSettings(options.launcher.launch({ entry: PLATFORM_ENTRY, env, withoutCredentials: true }))
    },
    async start(profile, stop: AbortSignal = new AbortController().signal) {
      const keys = await platformKeys(options.stateRoot, options.env)
      const { edgeKey } = keys
      const [readers = {}, env] = await Promise.all([options.readers?.(profile), environmentOf(profile, keys)])
      const service = new SupervisedService(
        {
          name: 'platform',
          launch: {
            entry: PLATFORM_ENTRY,
            env: { ...readers, ...env },
            // It gets those that it needs, and no others of this process.
            withoutCredentials: true,
            // Clients keep the address they were given, so a restart takes the same port.
            restartEnv: (url) => ({ PLATFORM_PORT: new URL(url).port }),
          },
          probe: async (url) => {
            const client = createPlatformClient({ url, apiKey: null, operatorToken: null, edgeKey })
            try {
              return (await client.health()).status === 'healthy'
            } finally {
              await client.close()
            }
          },
        },
        options.launcher,
      )
      service.onState((state) =>
        options.emit({
          type: 'service.changed',
          service: 'platform',
          state: state.name,
          detail: detailOf(state),
        }),
      )
      stop.throwIfAborted()
      const leave = (): void => void service.stop()
      stop.addEventListener('abort', leave, { once: true })
      try {
        const url = await service.start()
        const { gatewayKey: apiKey, operatorToken } = keys
        const ready = (): Promise<void> => service.whenReady()
        return { url, apiKey, operatorToken, edgeKey, ready, stop: () => service.stop() }
      } catch (error) {
        stop.throwIfAborted()
        throw error
      } finally {
        stop.removeEventListener('abort', leave)
      }
    },
  }
}

/** Returns what files of the project filled in: a child inherits the variables of this process, and these are not among them. */
const filledIn = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined || value === '' || (process.env[name] ?? '') !== '' || isCredentialName(name)
        ? []
        : [[name, value] as const],
    ),
  )

const CHECK_TIMEOUT_MS = 60_000
const LAST_LINES_MS = 50

/** Waits for a platform that only reads its settings. Throws `ServiceFailedError` with what it printed when it refuses them. */
async function checkSettings(child: LaunchedProcess): Promise<void> {
  const lines: string[] = []
  child.onLine((line) => lines.push(line))
  const tooLong = setTimeout(() => child.signalGroup('SIGKILL'), CHECK_TIMEOUT_MS)
  const code = await new Promise<number | null>((resolve) => child.onExit(resolve))
  clearTimeout(tooLong)
  if (code === 0) return
  // Its last lines may come after its end.
  await delay(LAST_LINES_MS)
  const reason = `its settings cannot be read (exit code ${code ?? 'unknown'})`
  const failure = code === CONFIG_EXIT_CODE ? 'configuration' : 'exit'
  throw new ServiceFailedError('platform', { name: 'failed', reason, failure }, lines)
}

/** The credentials that the platform needs, with the stored keys of the project's connections. The platform itself reports manifests that cannot be read. */
async function credentialsOf(root: string, env: Environment): Promise<Record<string, string>> {
  const loaded = await loadModels(root).catch((error: unknown) => {
    if (error instanceof ManifestError) return null
    throw error
  })
  const stored = loaded === null ? {} : await storedKeyEnvironment(loaded.connections, env)
  const named = [loaded?.models ?? null, variablesOfApproaches(root, env)]
  return { ...platformCredentials(named, env), ...stored }
}

/** The port that an address is reached at, also when it is the scheme's own. */
function portOf(address: string): number | null {
  if (!URL.canParse(address)) return null
  const { port, protocol } = new URL(address)
  return Number(port) || (protocol === 'https:' ? 443 : 80)
}

/** A platform that runs elsewhere: this program neither starts nor stops it. The gateway's key replaces a missing token. */
export function externalPlatform(
  url: string,
  {
    gatewayApiKey,
    platformUrl,
    platformToken,
    edgeApiKey,
  }: Pick<RunnerInputs, 'gatewayApiKey' | 'platformUrl' | 'platformToken' | 'edgeApiKey'>,
): PlatformSource {
  return {
    kind: 'external',
    gateway: url,
    basePort: portOf(url),
    modelSet: null,
    start: async () => ({
      url,
      platformUrl,
      apiKey: gatewayApiKey,
      operatorToken: platformToken ?? gatewayApiKey,
      edgeKey: edgeApiKey,
      ready: async () => undefined,
      stop: async () => undefined,
    }),
    stateDir: () => null,
  }
}
